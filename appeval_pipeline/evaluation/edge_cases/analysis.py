"""The edge cases of an app: derived, met by scenarios, and run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.schema import ActionDefinition, ValidateBlock
from appeval_pipeline.engine import Engine, TraceEvent
from appeval_pipeline.evaluation.coverage.graph import FlowGraph
from appeval_pipeline.evaluation.edge_cases.derivation import MISSING, UNFOUND, value_cases
from appeval_pipeline.evaluation.edge_cases.examples import example_parameters
from appeval_pipeline.evaluation.edge_cases.meeting import MetStep, Steps, names
from appeval_pipeline.evaluation.edge_cases.report import (
    EdgeCase,
    EdgeCaseReport,
    Expected,
    Kind,
    Outcome,
    UnsolvedCase,
)
from appeval_pipeline.evaluation.edge_cases.running import (
    AGENTS,
    CASES_BUDGET,
    OUTSIDER,
    SEARCH_BUDGET,
    STRANGER,
    Call,
    Runner,
)
from appeval_pipeline.evaluation.edge_cases.searching import Findings, Found, search
from appeval_pipeline.evaluation.scenarios import ScenarioResult, StepResult


def edge_cases(
    app: AppDefinition | Engine, results: Iterable[ScenarioResult | StepResult] = ()
) -> EdgeCaseReport:
    """The edge cases of ``app``, which of them ``results`` meet, and whether the app behaves in each.

    Which cases there are, and how they are run, does not depend on ``results``, with one exception: a step
    that takes a failing arm, and says what it expects, is an input for it where the search finds none.

    Args:
        app: The app, or an engine of it where there is one.
        results: Scenarios or steps that ran on it; steps without an expectation meet nothing.

    Raises:
        DefinitionError: The definition cannot run.
        StateError: Its initial state with one agent is larger than 1 MB as JSON.
    """
    engine = app if isinstance(app, Engine) else Engine(app)
    runner = Runner(engine)
    runner.refill(SEARCH_BUDGET)
    findings = search(runner)
    is_search_capped = runner.budget <= 0
    runner.refill(CASES_BUDGET)
    steps = Steps(engine.app.actions, results)
    cases: list[EdgeCase] = []
    unsolved: list[UnsolvedCase] = []
    for candidate in _Derivation(engine.app, runner, findings, steps).all():
        case = _run(runner, candidate)
        if runner.is_capped:
            break
        if isinstance(case, EdgeCase):
            cases.append(case)
        else:
            unsolved.append(case)
    return EdgeCaseReport(
        app_id=engine.app.app_id,
        version=engine.app.version,
        edge_case_coverage=_percentage(sum(bool(case.covered_by) for case in cases), len(cases)),
        edge_case_robustness=_percentage(sum(case.is_robust for case in cases), len(cases)),
        cases=tuple(cases),
        unsolved=tuple(unsolved),
        capped=runner.is_capped or (is_search_capped and bool(unsolved)),
    )


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A case before it is run; ``found`` is None where no input was found."""

    action: str
    kind: Kind
    parameter: str | None
    found: Found | None
    expected: Expected
    met_by: list[MetStep]


class _Derivation:
    """All cases of an app, in the order of its definition."""

    def __init__(self, app: AppDefinition, runner: Runner, findings: Findings, steps: Steps) -> None:
        self.app = app
        self.findings = findings
        self.steps = steps
        self.world = runner.initial_world()

    def all(self) -> Iterator[_Candidate]:
        name = "no_such_action"
        while self.app.action(name) is not None:
            name += "_"
        found = Found(self.world, Call(AGENTS[0], name, {}))
        yield _Candidate(
            name, "unknown_action", None, found, "unknown_action", self.steps.of_unknown_action()
        )
        for action in self.app.actions:
            usual = self._usual(action)
            yield from self._of_callers(action, usual)
            yield from self._of_parameters(action, usual)
            yield from self._of_validations(action)

    def _usual(self, action: ActionDefinition) -> Found | None:
        """A call that is accepted, to be changed in one thing a case; None if none is found."""
        best = self.findings.best.get(action.name)
        if best is not None:
            return best
        params = example_parameters(action, AGENTS[1:])
        return None if params is None else Found(self.world, Call(AGENTS[0], action.name, params))

    def _of_callers(self, action: ActionDefinition, usual: Found | None) -> Iterator[_Candidate]:
        base = usual or Found(self.world, Call(AGENTS[0], action.name, {}))
        name = action.name
        stranger = _as_agent(base, STRANGER)
        met_by = self.steps.refused(name, "unknown_agent")
        yield _Candidate(name, "unknown_agent", None, stranger, "unknown_agent", met_by)
        if self.app.access_type == "role_restricted":
            met_by = self.steps.refused(name, "access")
            yield _Candidate(name, "no_access", None, _as_agent(base, OUTSIDER), "access", met_by)
        unknown = "no_such_parameter"
        while unknown in action.parameters:
            unknown += "_"
        met_by = self.steps.with_unknown_parameter(action)
        found = _with_value(base, unknown, 1)
        yield _Candidate(name, "unknown_parameter", None, found, "parameters", met_by)

    def _of_parameters(self, action: ActionDefinition, usual: Found | None) -> Iterator[_Candidate]:
        for name, spec in action.parameters.items():
            for case in value_cases(name, spec):
                is_found = usual is not None and case.value is not UNFOUND
                found = _with_value(usual, name, case.value) if usual is not None and is_found else None
                expected: Expected = "accepted" if case.is_valid else "parameters"
                met_by = self.steps.meeting(action, name, case)
                yield _Candidate(action.name, case.kind, name, found, expected, met_by)

    def _of_validations(self, action: ActionDefinition) -> Iterator[_Candidate]:
        graph = FlowGraph.of(action)
        for node in graph.nodes.values():
            if isinstance(node.block, ValidateBlock) and node.id in graph.reachable:
                found = self.findings.arms.get(TraceEvent(node.id, "fail"))
                met_by = self.steps.failing(node.id)
                yield _Candidate(action.name, "validate_fails", node.id, found, "validation", met_by)


def _as_agent(found: Found, agent: str) -> Found:
    return Found(found.world, Call(agent, found.call.action, found.call.params))


def _with_value(found: Found, parameter: str, value: Any) -> Found:
    params = {name: given for name, given in found.call.params.items() if name != parameter}
    if value is not MISSING:
        params[parameter] = value
    return Found(found.world, Call(found.call.agent, found.call.action, params))


def _run(runner: Runner, candidate: _Candidate) -> EdgeCase | UnsolvedCase:
    if candidate.found is not None:
        world, call = candidate.found.world, candidate.found.call
        result = runner.run(world, call)
        if result is not None:
            return _case(candidate, world.call_to_dict(call), result.error_kind or "success")
    elif candidate.met_by:
        step = candidate.met_by[0].step
        call = Call(step.agent, step.action, step.params)
        # A failing arm whose message breaks off is no clean refusal, so what came of the step counts.
        return _case(candidate, call.to_dict(), cast(Outcome, step.error_kind or "success"))
    of = f" of `{candidate.parameter}`" if candidate.parameter else ""
    message = f"`{candidate.action}`: no input was found for {candidate.kind}{of}"
    return UnsolvedCase(candidate.action, candidate.kind, candidate.parameter, message)


def _case(candidate: _Candidate, call: dict[str, Any], outcome: Outcome) -> EdgeCase:
    return EdgeCase(
        action=candidate.action,
        kind=candidate.kind,
        parameter=candidate.parameter,
        call=call,
        expected=candidate.expected,
        outcome=outcome,
        covered_by=names(candidate.met_by),
    )


def _percentage(part: int, whole: int) -> float:
    """100 where there is nothing."""
    return 100.0 * part / whole if whole else 100.0
