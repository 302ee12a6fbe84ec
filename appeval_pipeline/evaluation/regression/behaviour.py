"""What the steps of a scenario do otherwise in the new version, where both do as expected."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from appeval_pipeline.engine import Access, ActionResult, Engine
from appeval_pipeline.errors import StateError
from appeval_pipeline.evaluation.regression.differences import Difference, differences, same
from appeval_pipeline.evaluation.regression.identifiers import Pairing, RecordingContext
from appeval_pipeline.evaluation.regression.report import Aspect, ChangeKind, OutputChange
from appeval_pipeline.evaluation.regression.state_fields import own_fields
from appeval_pipeline.evaluation.scenarios import Scenario, ScenarioResult, StepResult
from appeval_pipeline.evaluation.scenarios.schema import Step
from appeval_pipeline.expr.writing import MISSING

State = dict[str, Any]
_OTHER_SEEDS: Final = 2**64
"""Added to a scenario's seed, ids come out that none of its runs makes."""
Found = dict[Aspect, list[Difference]]


@dataclass(frozen=True, slots=True)
class VersionPair:
    """Two versions, compiled, and the state fields that mean the same in both.

    Attributes:
        own_agent_fields, own_shared_fields: Fields that only one version has, or that hold other things in
            each: a matter of the interface, told once, and not at each step that touches them.
    """

    old: Engine
    new: Engine
    own_agent_fields: frozenset[str]
    own_shared_fields: frozenset[str]

    @classmethod
    def of(cls, old: Engine, new: Engine) -> VersionPair:
        return cls(old, new, *own_fields(old.app, new.app))

    def comparable(self, state: State) -> State:
        """The part of ``state`` whose fields mean the same in both versions."""
        return {
            "per_agent": {
                agent: _without(fields, self.own_agent_fields) for agent, fields in state["per_agent"].items()
            },
            "shared": _without(state["shared"], self.own_shared_fields),
        }

    def transplanted(self, old: State, new: State) -> State:
        """The state of the old version, with the new version's own fields as they are in its state."""
        common = self.comparable(old)
        for agent, fields in common["per_agent"].items():
            fields |= _only(new["per_agent"].get(agent, {}), self.own_agent_fields)
        common["shared"] |= _only(new["shared"], self.own_shared_fields)
        return common


class _Run:
    """A scenario under way in one version, step by step as `run_scenario` runs it."""

    def __init__(self, engine: Engine, scenario: Scenario) -> None:
        self._engine = engine
        self._config = scenario.setup.config
        self.context = RecordingContext(scenario.setup.seed, _roles(scenario))
        self.state = engine.complete_state(
            scenario.setup.initial_state.model_dump(mode="json"), scenario.setup.agent_ids
        )

    def perform(self, step: Step, *, passed: bool) -> ActionResult:
        """Run one step; the next one starts from the state after it if it passed."""
        result = _execute(self._engine, step, self.state, self._config, self.context)
        if passed and result.success:
            self.state = result.state_after
        return result


def output_changes(
    versions: VersionPair, scenario: Scenario, old_result: ScenarioResult, new_result: ScenarioResult
) -> Iterator[OutputChange]:
    """What each step that does as expected in both versions does otherwise in the new one.

    Where the states of the versions have come apart, every later step would differ with them. So that a
    difference shows where it arises and only there, such a step is run once more, in the new version from
    the old version's state: what is the same then is only a consequence.
    """
    if not old_result.steps or not new_result.steps:
        return  # a setup that cannot be used
    old, new = _Run(versions.old, scenario), _Run(versions.new, scenario)
    pairing = Pairing(old.context.by_beginning, new.context.by_beginning)
    together = same(versions.comparable(old.state), versions.comparable(new.state), pairing)
    # A version that stops on a failure has fewer steps.
    steps = zip(scenario.steps, old_result.steps, new_result.steps, strict=False)
    for step, was, now in steps:
        before_old, before_new, known = old.state, new.state, len(old.context.issued)
        before = old.perform(step, passed=was.passed)
        after = new.perform(step, passed=now.passed)
        if not (was.passed and now.passed):
            together = same(versions.comparable(old.state), versions.comparable(new.state), pairing)
            continue
        found = _differences(versions, before, after, (old.state, new.state), pairing)
        state_differs = bool(found["state"])
        if not together and any(found.values()):
            start = versions.transplanted(before_old, before_new)
            found = _arising_here(versions, scenario, step, start, (before, old), found, known)
        together = not state_differs
        yield from _changes(scenario.name, was, found)


def _arising_here(
    versions: VersionPair,
    scenario: Scenario,
    step: Step,
    start: State,
    old: tuple[ActionResult, _Run],
    found: Found,
    known: int,
) -> Found:
    """Of what differs at a step, that which does so from the same state, too."""
    result, run = old
    context = RecordingContext(scenario.setup.seed + _OTHER_SEEDS, _roles(scenario))
    try:
        again = _execute(versions.new, step, start, scenario.setup.config, context)
    except StateError:
        return found | {"state": []}
    if again.success is not result.success:
        # The new version cannot go on from such a state, as where it stores things in another form.
        return found | {"state": []}
    old_ids = run.context.by_beginning
    pairing = Pairing(old_ids, ChainMap(old_ids, context.by_beginning), run.context.issued[:known])
    after = again.state_after if again.success else start
    narrowed = _differences(versions, result, again, (run.state, after), pairing)
    return {aspect: those if found[aspect] else [] for aspect, those in narrowed.items()}


def _differences(
    versions: VersionPair, old: ActionResult, new: ActionResult, states: tuple[State, State], pairing: Pairing
) -> Found:
    errors = list(differences(old.error, new.error, "error", pairing))
    if not errors:
        errors = list(differences(old.error_kind, new.error_kind, "error_kind", pairing))
    before, after = (versions.comparable(state) for state in states)
    return {
        "data": list(differences(old.data, new.data, "data", pairing)),
        "error": errors,
        "observations": list(differences(_told(old), _told(new), "observations", pairing)),
        "state": [
            *differences(before["per_agent"], after["per_agent"], "", pairing),
            *differences(before["shared"], after["shared"], "shared", pairing),
        ],
    }


def _told(result: ActionResult) -> list[dict[str, object]]:
    """The observations, as expectations write them."""
    return [
        {"to": made["agent_id"], "message": made["message"], "data": made["data"]}
        for made in result.observations
    ]


def _changes(scenario: str, step: StepResult, found: Found) -> Iterator[OutputChange]:
    for aspect, those in found.items():
        for one in those:
            kind: ChangeKind = "changed"
            if one.old is MISSING:
                kind = "added"
            elif one.new is MISSING:
                kind = "removed"
            old, new = (None if value is MISSING else value for value in (one.old, one.new))
            yield OutputChange(scenario, step.name, step.action, aspect, one.path, kind, old, new)


def _execute(
    engine: Engine, step: Step, state: State, config: Mapping[str, object], context: RecordingContext
) -> ActionResult:
    session = engine.session(state=state, config=config, context=context)
    return session.execute(step.agent, step.action, step.params)


def _roles(scenario: Scenario) -> dict[str, Access | str]:
    return dict(scenario.setup.roles)


def _without(fields: State, names: frozenset[str]) -> State:
    return {name: value for name, value in fields.items() if name not in names}


def _only(fields: State, names: frozenset[str]) -> State:
    return {name: value for name, value in fields.items() if name in names}
