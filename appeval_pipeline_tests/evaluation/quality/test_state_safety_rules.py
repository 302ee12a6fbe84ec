"""The five rules of state safety, with scores computed by hand from their weights (2.1)."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation import score_quality


def app_of(*actions: dict[str, Any], **rest: Any) -> AppDefinition:
    document = {"app_id": "app", "name": "App", "category": "custom", "actions": list(actions), **rest}
    return AppDefinition.model_validate(document)


def action(name: str = "act", *logic: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"name": name, "logic": list(logic), **rest}


def validate(condition: str) -> dict[str, Any]:
    return {"type": "validate", "condition": condition, "errorMessage": "no"}


def update(operation: str, target: str, value: Any) -> dict[str, Any]:
    return {"type": "update", "operation": operation, "target": target, "value": value}


def state(name: str, kind: str = "string", **rest: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, **rest}


LIST = state("list", "array")
BOX = {"type": "string", "required": True, "minLength": 1}


def deep(levels: int) -> dict[str, Any]:
    """An object field with ``levels`` levels of fields in all."""
    inner = state(f"level_{levels}")
    for level in range(levels - 1, 0, -1):
        inner = state(f"level_{level}", "object", properties=[inner])
    return inner


@pytest.mark.parametrize(
    ("case", "app", "expected"),
    [
        ("nothing to object to", app_of(action()), 100),
        ("an array that only grows", app_of(action(), state_schema=[LIST]), 100 - 30 - 20),
        ("an array with maxItems", app_of(action(), state_schema=[{**LIST, "maxItems": 9}]), 100),
        (
            "an array that is emptied",
            app_of(action("act", update("set", "agent.list", [])), state_schema=[LIST]),
            100 - 20,
        ),
        (
            "an array that is removed from, as another agent's",
            app_of(
                action("act", update("remove", "agents[agent.boss].list", "'x'")),
                state_schema=[LIST, state("boss")],
            ),
            100 - 20,
        ),
        (
            "an array of one name in the shared state is another",
            app_of(
                action("act", update("set", "shared.list", [])),
                state_schema=[LIST, state("other"), {**LIST, "name": "lists", "perAgent": False}],
            ),
            # neither array is bounded
            100 - 30 - 20,
        ),
        (
            "one array of two with maxItems",
            app_of(action(), state_schema=[LIST, state("more", "array", maxItems=5)]),
            100 - 15 - 10,
        ),
        (
            "an array within an object",
            app_of(
                action("act", update("set", "agent.box.list", [])),
                state_schema=[state("box", "object", properties=[LIST])],
            ),
            100 - 20,
        ),
        (
            "an array within an object that is reset as a whole",
            app_of(
                action("act", update("set", "agent.box", {"list": []})),
                state_schema=[state("box", "object", properties=[LIST])],
            ),
            100 - 20,
        ),
        (
            "a value that contains itself",
            app_of(
                action("act", update("append", "agent.list", {"before": "agent.list"})),
                state_schema=[{**LIST, "maxItems": 5}],
            ),
            100 - 20,
        ),
        (
            "the state around a field",
            app_of(
                action("act", update("append", "agent.list", "agent")), state_schema=[{**LIST, "maxItems": 5}]
            ),
            100 - 20,
        ),
        (
            "one of two writes contains itself",
            app_of(
                action(
                    "act", update("append", "agent.list", "agent.list"), update("append", "agent.list", 1)
                ),
                state_schema=[{**LIST, "maxItems": 5}],
            ),
            100 - 10,
        ),
        (
            "what is computed from a field does not contain it",
            app_of(
                action(
                    "act",
                    update("set", "agent.list", "slice(agent.list, 1)"),
                    update(
                        "append", "agent.list", {"count": "len(agent.list)", "first": "agent.list[0].name"}
                    ),
                ),
                state_schema=[{**LIST, "maxItems": 5}],
            ),
            100,
        ),
        ("five levels", app_of(action(), state_schema=[deep(5)]), 100),
        # one of six fields is too deep
        ("six levels", app_of(action(), state_schema=[deep(6)]), 100 - 15 / 6),
        (
            "a default of six levels",
            app_of(
                action(), state_schema=[state("a", "object", default={"b": {"c": {"d": {"e": {"f": 1}}}}})]
            ),
            100 - 15,
        ),
        (
            "a key made from caller input",
            app_of(
                action("act", update("set", "shared.box[params.a]", 1), parameters={"a": BOX}),
                state_schema=[state("box", "object", perAgent=False)],
            ),
            100 - 15,
        ),
        (
            "a key that is checked for presence",
            app_of(
                action(
                    "act",
                    validate("shared.box[params.a] != null"),
                    update("set", "shared.box[params.a]", 1),
                    parameters={"a": BOX},
                ),
                state_schema=[state("box", "object", perAgent=False)],
            ),
            100,
        ),
        (
            "a key that is checked for absence",
            app_of(
                action(
                    "act",
                    validate("shared.box[params.a] == null"),
                    update("set", "shared.box[params.a]", 1),
                    parameters={"a": BOX},
                ),
                state_schema=[state("box", "object", perAgent=False)],
            ),
            100 - 15,
        ),
        (
            "an agent of the caller's choice",
            app_of(
                action("act", update("set", "agents[params.a].name", "'x'"), parameters={"a": BOX}),
                state_schema=[state("name")],
            ),
            100,
        ),
        (
            "an object of the caller's merged into a map",
            app_of(
                action(
                    "act", update("merge", "shared.box", "params.a"), parameters={"a": {"type": "object"}}
                ),
                state_schema=[state("box", "object", perAgent=False)],
            ),
            100 - 15,
        ),
        (
            "an object of the caller's merged into a closed object",
            app_of(
                action("act", update("merge", "agent.box", "params.a"), parameters={"a": {"type": "object"}}),
                state_schema=[state("box", "object", properties=[state("x")])],
            ),
            100,
        ),
    ],
)
def test_state_safety_weighs_five_rules(case: str, app: AppDefinition, expected: float) -> None:
    assert score_quality(app).dimension_scores["state_safety"] == pytest.approx(expected), case
