"""Running a scenario against an app."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import ActionResult, Engine, ExecutionContext, Session
from appeval_pipeline.errors import ExpressionError, StateError
from appeval_pipeline.evaluation.scenarios.diffing import state_diff
from appeval_pipeline.evaluation.scenarios.loading import assertion_expression, assertion_names
from appeval_pipeline.evaluation.scenarios.matching import Mismatch, mismatches, shown
from appeval_pipeline.evaluation.scenarios.paths import parse_state_path, resolve
from appeval_pipeline.evaluation.scenarios.result import ScenarioResult, StepFailure, StepResult
from appeval_pipeline.evaluation.scenarios.schema import Expectation, ExpectedObservation, Scenario, Step
from appeval_pipeline.expr import compile_expression, parse, print_expression
from appeval_pipeline.expr.tree import Chain
from appeval_pipeline.expr.writing import MISSING

_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
State = dict[str, Any]


def run_scenario(app: AppDefinition | Engine, scenario: Scenario) -> ScenarioResult:
    """Run every step of ``scenario``, then its assertions.

    A step that meets its expectations hands its state to the next; after one that does not, the next
    starts from the state before it.

    Args:
        app: The app, or an engine of it where many scenarios are to run.
    """
    engine = app if isinstance(app, Engine) else Engine(app)
    setup = scenario.setup
    context = ExecutionContext(
        seed=setup.seed,
        roles=setup.roles,
    )
    try:
        session = engine.session(
            setup.agent_ids,
            setup.initial_state.model_dump(mode="json"),
            config=setup.config,
            context=context,
        )
    except StateError as error:
        failure = StepFailure("setup", {}, {}, str(error))
        return ScenarioResult(scenario.name, False, 0, len(scenario.steps), (failure,), ())
    run = _Run(engine, scenario, session)
    run.steps()
    run.assertions()
    return ScenarioResult(
        scenario_name=scenario.name,
        passed=not run.failures,
        steps_passed=sum(step.passed for step in run.results),
        steps_total=len(scenario.steps),
        failures=tuple(run.failures),
        steps=tuple(run.results),
    )


class _Run:
    """A scenario under way."""

    def __init__(self, engine: Engine, scenario: Scenario, session: Session) -> None:
        self.engine = engine
        self.scenario = scenario
        self.session = session
        self.state = session.state
        self.results: list[StepResult] = []
        self.failures: list[StepFailure] = []

    def steps(self) -> None:
        for index, step in enumerate(self.scenario.steps):
            name = step.name or f"Step {index + 1}"
            result = self.session.execute(step.agent, step.action, step.params, trace=True)
            after = result.state_after if result.success else self.state
            differences = list(self._differences(step.expect, result, after))
            self.results.append(self._record(name, index, step, result, after, passed=not differences))
            if not differences:
                self.state = after
                continue
            self.failures.append(_failure(name, differences))
            if self.scenario.stop_on_failure:
                return
            if result.success:
                self.session = self.engine.session(
                    state=self.state, config=self.scenario.setup.config, context=self.session.context
                )

    def _record(
        self, name: str, index: int, step: Step, result: ActionResult, after: State, *, passed: bool
    ) -> StepResult:
        return StepResult(
            name=name,
            index=index,
            agent=step.agent,
            action=step.action,
            params=dict(step.params),
            has_expectation=bool(step.expect.model_fields_set),
            passed=passed,
            success=result.success,
            data=result.data,
            error=result.error,
            error_kind=result.error_kind,
            state_diff=state_diff(self.state, after) if after is not self.state else {},
            observations=result.observations,
            trace=tuple(result.trace),
            duration_ms=result.duration_ms,
        )

    def _differences(self, expect: Expectation, result: ActionResult, after: State) -> Iterator[Mismatch]:
        if result.success != expect.success:
            reason = (
                f"the action succeeded, a failure was expected (data: {shown(result.data)})"
                if result.success
                else f"the action failed ({result.error_kind}): {result.error}"
            )
            yield Mismatch("success", expect.success, result.success, reason)
        if "data" in expect.model_fields_set:
            yield from mismatches(expect.data, result.data, "data")
        if expect.error is not None and result.error != expect.error:
            reason = f"error is {shown(result.error)}, expected {shown(expect.error)}"
            yield Mismatch("error", expect.error, result.error, reason)
        if expect.error_contains is not None and expect.error_contains not in (result.error or ""):
            reason = f"error is {shown(result.error)}, expected it to contain {shown(expect.error_contains)}"
            yield Mismatch("error_contains", expect.error_contains, result.error, reason)
        agents = self.scenario.setup.agent_ids
        for path, expected in expect.state.items():
            yield from mismatches(expected, resolve(after, parse_state_path(path, agents)), path)
        if expect.observations is not None:
            yield from _observation_differences(expect.observations, result.observations)

    def assertions(self) -> None:
        """Check every assertion against the state at the end."""
        config = {**self.engine.app.initial_config, **self.scenario.setup.config}
        agents = self.state["per_agent"]
        variables = {**agents, "agents": agents, "shared": self.state["shared"], "config": config}
        known = assertion_names(self.scenario)
        for text in self.scenario.assertions:
            expression = assertion_expression(text)
            try:
                value = compile_expression(expression, known, agents=agents.keys()).evaluate(
                    variables, self.session.context
                )
            except ExpressionError as error:
                self.failures.append(
                    StepFailure(
                        f"assertion: {text}", {"assertion": True}, {}, f"{expression}: {error.message}"
                    )
                )
                continue
            if value is not True:
                sides, explanation = self._explain(expression, variables, known)
                actual = {"assertion": value, **sides}
                self.failures.append(
                    StepFailure(f"assertion: {text}", {"assertion": True}, actual, explanation)
                )

    def _explain(
        self, text: str, variables: Mapping[str, object], known: frozenset[str]
    ) -> tuple[dict[str, Any], str]:
        """The values on both sides of the comparison that makes an assertion false, and the same in words."""
        tree = parse(text)
        agents = self.state["per_agent"].keys()

        def value_of(part: str) -> object:
            return compile_expression(part, known, agents=agents).evaluate(variables, self.session.context)

        if isinstance(tree, Chain) and tree.operators[0] == "&&":
            tree = next(part for part in tree.operands if value_of(print_expression(part)) is not True)
        whole = print_expression(tree)
        if isinstance(tree, Chain) and len(tree.operators) == 1 and tree.operators[0] in _COMPARISONS:
            left, right = map(print_expression, tree.operands)
            sides = {left: value_of(left), right: value_of(right)}
            words = " and ".join(
                f"{part} is {shown(value)}" for part, value in sides.items() if part != shown(value)
            )
            return sides, f"{whole} is false" + (f": {words}" if words else "")
        return {}, f"{whole} is {shown(value_of(whole))}, expected true"


def _failure(name: str, differences: list[Mismatch]) -> StepFailure:
    return StepFailure(
        step_name=name,
        expected={difference.path: difference.expected for difference in differences},
        actual={
            difference.path: difference.actual
            for difference in differences
            if difference.actual is not MISSING
        },
        error="; ".join(difference.reason for difference in differences),
    )


def _observation_differences(
    expected: list[ExpectedObservation], actual: list[dict[str, Any]]
) -> Iterator[Mismatch]:
    """Each expected observation must be one of those made, no two the same one; none means none."""
    if not expected and actual:
        reason = f"{len(actual)} observations were made, expected none"
        yield Mismatch("observations", [], actual, reason)
    met = _met(expected, actual)
    for position, wanted in enumerate(expected):
        if position not in met:
            path = f"observations[{position}]"
            given = wanted.model_dump(mode="json", exclude_unset=True)
            yield Mismatch(
                path, given, actual, f"no observation matches {shown(given)}; made: {shown(actual)}"
            )


def _met(expected: list[ExpectedObservation], actual: list[dict[str, Any]]) -> set[int]:
    """The positions of the expectations that have an observation of their own: as many as can have one.

    An expectation that many observations meet makes room for one that few do (Kuhn 1955, augmenting paths).
    """
    meeting = [[place for place, made in enumerate(actual) if _observes(wanted, made)] for wanted in expected]
    taken_by: dict[int, int] = {}

    def takes_one(position: int, asked: set[int]) -> bool:
        for place in meeting[position]:
            if place not in asked:
                asked.add(place)
                if place not in taken_by or takes_one(taken_by[place], asked):
                    taken_by[place] = position
                    return True
        return False

    return {position for position in range(len(expected)) if takes_one(position, set())}


def _observes(wanted: ExpectedObservation, made: dict[str, Any]) -> bool:
    return (
        (wanted.to is None or wanted.to == made["agent_id"])
        and (
            "message" not in wanted.model_fields_set
            or not any(mismatches(wanted.message, made["message"], "message"))
        )
        and (wanted.message_contains is None or wanted.message_contains in made["message"])
        and ("data" not in wanted.model_fields_set or not any(mismatches(wanted.data, made["data"], "data")))
    )
