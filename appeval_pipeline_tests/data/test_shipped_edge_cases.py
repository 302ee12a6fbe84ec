"""The scenarios of the reference apps meet the edge cases that follow from the parameters (page 2.4)."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.appdef.schema import ActionDefinition, ParamSpec
from appeval_pipeline.evaluation.scenarios.schema import Step
from appeval_pipeline_tests.data.shipped import REFERENCES, app_of, key, scenarios_of

Test = Callable[[Any], bool]
Case = tuple[str, Callable[[Step], bool]]

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


@pytest.mark.parametrize("entry", REFERENCES, ids=key)
def test_scenarios_of_a_reference_app_meet_its_edge_cases(entry: CatalogueEntry) -> None:
    known = {agent.id for scenario in scenarios_of(entry) for agent in scenario.setup.agents}
    steps = [step for scenario in scenarios_of(entry) for step in scenario.steps]
    cases = list(cases_of(app_of(entry), known))
    unmet = [name for name, meets in cases if not any(meets(step) for step in steps)]
    assert unmet == []


def cases_of(app: AppDefinition, known: set[str]) -> Iterator[Case]:
    actions = {action.name for action in app.actions}
    yield "unknown action", lambda step: step.action not in actions
    for action in app.actions:
        name = action.name
        yield f"{name}: unknown agent", of_stranger(action, known)
        yield f"{name}: unknown parameter", unknown_parameter(action)
        for parameter, spec in action.parameters.items():
            for kind, test in kinds_of(spec):
                yield f"{name}: {parameter}: {kind}", given(name, parameter, test)
            if spec.required:
                yield f"{name}: {parameter}: missing", missing(name, parameter)


def of_stranger(action: ActionDefinition, known: set[str]) -> Callable[[Step], bool]:
    return lambda step: step.action == action.name and step.agent not in known


def unknown_parameter(action: ActionDefinition) -> Callable[[Step], bool]:
    return lambda step: step.action == action.name and bool(step.params.keys() - action.parameters.keys())


def missing(action: str, parameter: str) -> Callable[[Step], bool]:
    return lambda step: step.action == action and parameter not in step.params


def given(action: str, parameter: str, test: Test) -> Callable[[Step], bool]:
    return lambda step: step.action == action and parameter in step.params and test(step.params[parameter])


def kinds_of(spec: ParamSpec) -> Iterator[tuple[str, Test]]:
    yield "null", lambda value: value is None
    yield "wrong type", lambda value: value is not None and not is_a(spec.type, value)
    for bound in (spec.min_value, spec.max_value):
        if bound is not None:
            for distance in (-1, 0, 1):
                yield f"{bound}{distance:+}", exactly(spec.type, bound + distance)
    for length in (spec.min_length, spec.max_length):
        if length is not None:
            for wanted in {max(0, length - 1), length, length + 1}:
                yield f"length {wanted}", of_length(spec.type, wanted)
    if spec.type == "string":
        yield "empty", lambda value: value == ""
    if spec.pattern is not None or spec.enum is not None:
        yield (
            "violation",
            lambda value: is_a(spec.type, value) and value != "" and not spec_accepts(spec, value),
        )


def is_a(name: str, value: object) -> bool:
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def exactly(name: str, wanted: float) -> Test:
    return lambda value: is_a(name, value) and value == wanted


def of_length(name: str, wanted: int) -> Test:
    return lambda value: is_a(name, value) and len(value) == wanted


def spec_accepts(spec: ParamSpec, value: Any) -> bool:
    if spec.enum is not None:
        return value in spec.enum
    return spec.pattern is None or re.search(spec.pattern, value) is not None
