"""Which scenario steps meet a case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from appeval_pipeline.appdef.schema import ActionDefinition
from appeval_pipeline.evaluation.edge_cases.derivation import MISSING, ValueCase
from appeval_pipeline.evaluation.edge_cases.examples import accepts
from appeval_pipeline.evaluation.scenarios import ScenarioResult, StepResult

_BEFORE_PARAMETERS = ("unknown_action", "unknown_agent", "access")


@dataclass(frozen=True, slots=True)
class MetStep:
    """A step that says what it expects, by its full name, and what of it decides on cases.

    Attributes:
        refused: The parameter that the call was refused for: of several that are not accepted, the one that
            the engine looks at first, for it alone decides the outcome. None where none was.
    """

    name: str
    step: StepResult
    refused: str | None


class Steps:
    """The steps of scenarios that have an expectation, to be asked for those that meet a case."""

    def __init__(
        self, actions: Iterable[ActionDefinition], results: Iterable[ScenarioResult | StepResult]
    ) -> None:
        known = {action.name: action for action in actions}
        self.by_action: defaultdict[str, list[MetStep]] = defaultdict(list)
        self.by_failed_block: defaultdict[str, list[MetStep]] = defaultdict(list)
        self.by_refusal: defaultdict[tuple[str, str | None], list[MetStep]] = defaultdict(list)
        for name, step in _named_steps(results):
            if not step.has_expectation:
                continue
            action = known.get(step.action)
            self.by_refusal[step.action if action else "", step.error_kind].append(MetStep(name, step, None))
            if action is None or step.error_kind in _BEFORE_PARAMETERS:
                continue
            met = MetStep(name, step, _refused_parameter(action, step))
            # Another version may have refused what this one takes, or the other way round.
            if (met.refused is None) == (step.error_kind != "parameters"):
                self.by_action[step.action].append(met)
            for block in dict.fromkeys(event.block for event in step.trace if event.outcome == "fail"):
                self.by_failed_block[block].append(met)

    def of_unknown_action(self) -> list[MetStep]:
        return self.by_refusal["", "unknown_action"]

    def refused(self, action: str, kind: str) -> list[MetStep]:
        """The steps that were refused with that kind of error."""
        return self.by_refusal[action, kind]

    def with_unknown_parameter(self, action: ActionDefinition) -> list[MetStep]:
        return [
            met
            for met in self.by_action[action.name]
            if met.refused is not None and met.refused not in action.parameters
        ]

    def failing(self, block: str) -> list[MetStep]:
        """The steps that took the failing arm of a `validate`."""
        return self.by_failed_block[block]

    def meeting(self, action: ActionDefinition, parameter: str, case: ValueCase) -> list[MetStep]:
        """The steps that give ``parameter`` such a value, and whose outcome is about that.

        That is, if the value is valid, the parameters were accepted; else it is what they were refused for.
        """
        spec = action.parameters[parameter]
        return [
            met
            for met in self.by_action[action.name]
            if met.refused == (None if case.is_valid else parameter)
            and case.meets(spec, met.step.params.get(parameter, MISSING))
        ]


def names(steps: Iterable[MetStep]) -> tuple[str, ...]:
    """The names of ``steps``, each once, in their order."""
    return tuple(dict.fromkeys(met.name for met in steps))


def _named_steps(results: Iterable[ScenarioResult | StepResult]) -> Iterator[tuple[str, StepResult]]:
    for result in results:
        match result:
            case ScenarioResult():
                for step in result.steps:
                    yield f"{result.scenario_name}: {step.name}", step
            case StepResult():
                yield result.name, result


def _refused_parameter(action: ActionDefinition, step: StepResult) -> str | None:
    """The parameter that the engine refuses the call for: it looks for unknown ones first."""
    unknown = next((name for name in step.params if name not in action.parameters), None)
    if unknown is not None:
        return unknown
    return next(
        (name for name, spec in action.parameters.items() if not accepts(name, spec, step.params.get(name))),
        None,
    )
