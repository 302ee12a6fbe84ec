"""What makes a suite weaker than it looks: scenarios that cannot fail, cannot run, or name what is not there.

A suite is linted by a tuple of small rules; what is wrong with a scenario itself is told apart from what is
wrong with it as a test of one version of the app.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from appeval_pipeline.appdef.schema import AppDefinition
from appeval_pipeline.evaluation.scenarios.loading import LoadedScenario, assertion_expression
from appeval_pipeline.evaluation.scenarios.schema import Expectation, Scenario
from appeval_pipeline.expr import parse, print_expression
from appeval_pipeline.expr.tree import Chain, names

_HOLD_OF_EQUALS: Final = (("==",), ("<=",), (">=",))


@dataclass(frozen=True, slots=True)
class SuiteFinding:
    """Something that the lint found in a suite.

    Attributes:
        file: The scenario's file; None where it was no file.
        line: 1-based; None where the input has no lines.
        location: Where in the file, e.g. ``steps[0].action``.
        message: What is wrong, and what would be accepted.
        version: The version of the app that it is about; None where it is about the scenario itself.
    """

    file: str | None
    line: int | None
    location: str
    message: str
    version: int | None = None

    def __str__(self) -> str:
        place = f"{Path(self.file).name}: {self.location}" if self.file else self.location
        line = f" (line {self.line})" if self.line is not None else ""
        return f"{place}{line}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "line": self.line,
            "location": self.location,
            "message": self.message,
            "version": self.version,
        }


Problem = tuple[str, str]
"""A location and a message."""


def lint_scenarios(
    apps: Iterable[AppDefinition], scenarios: Sequence[LoadedScenario], known_versions: Collection[int] = ()
) -> tuple[SuiteFinding, ...]:
    """Everything that the lint finds in a suite: of its own, then for each version of the app.

    Args:
        apps: Versions of the app that the suite is for.
        known_versions: As in `lint_suite`; without any, those of ``apps``.
    """
    versions = tuple(apps)
    known = known_versions or [app.version or 1 for app in versions]
    against = (finding for app in versions for finding in lint_for_version(app, scenarios))
    return (*lint_suite(scenarios, known), *against)


def lint_suite(
    scenarios: Sequence[LoadedScenario], known_versions: Collection[int] = ()
) -> tuple[SuiteFinding, ...]:
    """What is wrong with a suite whatever the app says, in the order of the scenarios.

    Args:
        known_versions: The versions of the app that there are; none if that is not known.
    """
    found: list[SuiteFinding] = []
    for position, loaded in enumerate(scenarios):
        problems = [problem for rule in RULES for problem in rule(loaded.scenario)]
        problems += _range_problems(loaded.scenario, known_versions)
        problems += _name_problems(loaded.scenario, scenarios[:position], known_versions)
        found += _findings(loaded, problems)
    return tuple(found)


def lint_for_version(app: AppDefinition, scenarios: Iterable[LoadedScenario]) -> tuple[SuiteFinding, ...]:
    """What the scenarios that apply to a version name, and it does not have."""
    version = app.version or 1
    return tuple(
        finding
        for loaded in scenarios
        if loaded.scenario.applies(version)
        for rule in VERSION_RULES
        for finding in _findings(loaded, rule(app, loaded.scenario), version)
    )


def _findings(
    loaded: LoadedScenario, problems: Iterable[Problem], version: int | None = None
) -> Iterator[SuiteFinding]:
    for location, message in problems:
        yield SuiteFinding(loaded.document.source, loaded.line(location), location, message, version)


def _nothing_expected(scenario: Scenario) -> Iterator[Problem]:
    says_more = any(_says_more_than_success(step.expect) for step in scenario.steps)
    if not says_more and all(_why_constant(text) for text in scenario.assertions):
        yield (
            "steps",
            "Nothing is expected beyond success; expect data, state, error_contains or observations of a "
            "step, or add an assertion",
        )


def _says_more_than_success(expect: Expectation) -> bool:
    return (
        ("data" in expect.model_fields_set and expect.data != {})
        or expect.error is not None
        or bool(expect.error_contains)
        or bool(expect.state)
        or expect.observations is not None
    )


def _contradictions(scenario: Scenario) -> Iterator[Problem]:
    for index, step in enumerate(scenario.steps):
        for key in ("error", "error_contains"):
            if step.expect.success and getattr(step.expect, key) is not None:
                message = "An error is expected, and so is success, which is the default; add success: false"
                yield f"steps[{index}].expect.{key}", message


def _constant_assertions(scenario: Scenario) -> Iterator[Problem]:
    for index, text in enumerate(scenario.assertions):
        why = _why_constant(text)
        if why is not None:
            yield f"assertions[{index}]", f"{why}; name an agent's state or shared state"


def _why_constant(text: str) -> str | None:
    """Why an assertion says nothing of how the scenario ends; None if it may."""
    tree = parse(assertion_expression(text))
    if next(names(tree), None) is None:
        return "The assertion reads nothing of the final state, so it always comes to the same"
    if isinstance(tree, Chain) and tree.operators in _HOLD_OF_EQUALS:
        left, right = map(print_expression, tree.operands)
        if left == right:
            return f"Both sides of the assertion are {left}, so it always holds"
    return None


def _agents(scenario: Scenario) -> Iterator[Problem]:
    agents = scenario.setup.agent_ids
    named = {agent.id for agent in scenario.setup.agents}
    for agent in scenario.setup.initial_state.per_agent:
        if named and agent not in named:
            message = _unknown(f"'{agent}' is not in setup.agents", agent, sorted(named))
            yield f"setup.initial_state.per_agent.{agent}", message
    for index, step in enumerate(scenario.steps):
        if not step.expect.success:
            continue
        if step.agent not in agents:
            yield f"steps[{index}].agent", _unknown(f"Unknown agent '{step.agent}'", step.agent, agents)
        for position, observation in enumerate(step.expect.observations or ()):
            to = observation.to
            if to is not None and to not in agents:
                place = f"steps[{index}].expect.observations[{position}].to"
                yield place, _unknown(f"Unknown agent '{to}'", to, agents)


RULES: Final[tuple[Callable[[Scenario], Iterator[Problem]], ...]] = (
    _nothing_expected,
    _contradictions,
    _constant_assertions,
    _agents,
)


def _range_problems(scenario: Scenario, known_versions: Collection[int]) -> Iterator[Problem]:
    given = scenario.applies_to
    if scenario.applies_to_nothing:
        yield "applies_to", f"No version can be '{given}'; expected a range that holds some, e.g. '>=2,<5'"
    elif known_versions and not any(map(scenario.applies, known_versions)):
        known = ", ".join(map(str, sorted(known_versions)))
        yield "applies_to", f"'{given}' holds none of the versions there are ({known}), so it never runs"


def _name_problems(
    scenario: Scenario, before: Iterable[LoadedScenario], known_versions: Collection[int]
) -> Iterator[Problem]:
    for other in before:
        together = not known_versions or any(
            scenario.applies(version) and other.scenario.applies(version) for version in known_versions
        )
        if other.scenario.name == scenario.name and together:
            place = Path(other.document.source).name if other.document.source else "a scenario before it"
            yield "name", f"'{scenario.name}' is the name of {place}, too; results are told apart by it"
            return


def _actions_and_parameters(app: AppDefinition, scenario: Scenario) -> Iterator[Problem]:
    for index, step in enumerate(scenario.steps):
        if not step.expect.success:
            continue
        action = app.action(step.action)
        if action is None:
            known = [action.name for action in app.actions]
            yield f"steps[{index}].action", _unknown(f"Unknown action '{step.action}'", step.action, known)
            continue
        for name in step.params:
            if name not in action.parameters:
                message = f"Action '{action.name}' has no parameter '{name}'"
                yield f"steps[{index}].params.{name}", _unknown(message, name, list(action.parameters))


def _state_fields(app: AppDefinition, scenario: Scenario) -> Iterator[Problem]:
    initial = scenario.setup.initial_state
    own = [field.name for field in app.state_schema if app.is_per_agent(field)]
    shared = [field.name for field in app.state_schema if not app.is_per_agent(field)]
    for agent, fields in initial.per_agent.items():
        for name in fields:
            # Every agent has a name, which only a state can give.
            if name not in own and name != "name":
                message = f"'{name}' is no field of an agent's state"
                yield f"setup.initial_state.per_agent.{agent}.{name}", _unknown(message, name, own)
    for name in initial.shared:
        if name not in shared:
            message = _unknown(f"'{name}' is no field of the shared state", name, shared)
            yield f"setup.initial_state.shared.{name}", message


VERSION_RULES: Final[tuple[Callable[[AppDefinition, Scenario], Iterator[Problem]], ...]] = (
    _actions_and_parameters,
    _state_fields,
)


def _unknown(message: str, name: str, known: Sequence[str]) -> str:
    """``message``, followed by what would be known, and the nearest of it."""
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"{message}; known: {', '.join(known) or 'none'}{hint}"
