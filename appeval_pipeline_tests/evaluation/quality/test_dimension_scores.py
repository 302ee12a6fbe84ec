"""Each dimension on small definitions, with scores computed by hand from the specification (2.1)."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation import score_quality

RETURN = {"type": "return", "value": {"done": True}}


def app_of(*actions: dict[str, Any], **rest: Any) -> AppDefinition:
    document = {"app_id": "app", "name": "App", "category": "custom", "actions": list(actions), **rest}
    return AppDefinition.model_validate(document)


def action(name: str = "act", *logic: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"name": name, "logic": list(logic), **rest}


def validate(condition: str) -> dict[str, Any]:
    return {"type": "validate", "condition": condition, "errorMessage": "no"}


def update(operation: str, target: str, value: Any) -> dict[str, Any]:
    return {"type": "update", "operation": operation, "target": target, "value": value}


def branch(condition: str, *then: dict[str, Any]) -> dict[str, Any]:
    return {"type": "branch", "condition": condition, "then": list(then)}


def loop(collection: str, *body: dict[str, Any], item: str = "one") -> dict[str, Any]:
    return {"type": "loop", "collection": collection, "item": item, "body": list(body)}


def state(name: str, kind: str = "string", **rest: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, **rest}


def score(dimension: str, app: AppDefinition) -> float:
    return score_quality(app).dimension_scores[dimension]


STRING = {"type": "string"}
LONG = {"type": "string", "minLength": 1}
NOTIFY = {"type": "notify", "to": "agent.id", "message": "hello ${agent.name}"}


@pytest.mark.parametrize(
    ("app", "filled", "applicable"),
    [
        # name, category of name, description, category, icon; neither description nor logic of the action
        (app_of(action()), 2, 6),
        (app_of(action(), description="What it is.", icon="x"), 4, 6),
        (app_of(action(), description="  ", icon=""), 2, 6),
        (app_of(action(description="Does it.")), 3, 6),
        # who is calling is no state
        (app_of(action("act", NOTIFY)), 3, 6),
        (app_of(action("act", validate("agents['bob'] != null && agent.id != 'bob'"))), 3, 6),
        # state_schema is missing where logic reads or writes state
        (app_of(action("act", validate("agent.count > 0"))), 3, 7),
        (app_of(action("act", validate("agents['bob'].count > 0"))), 3, 7),
        (app_of(action("act", update("set", "shared.count", 1))), 3, 7),
        (app_of(action("act", branch("len(shared.list) > 0", NOTIFY))), 3, 7),
        # returns, where a return block stands at any depth
        (app_of(action("act", RETURN)), 3, 7),
        (app_of(action("act", branch("true", RETURN))), 3, 7),
        (app_of(action("act", RETURN, returns={"done": "boolean"})), 4, 7),
        # a parameter adds its type and its description
        (app_of(action(parameters={"a": STRING})), 3, 8),
        (app_of(action(parameters={"a": {**STRING, "description": "The a."}})), 4, 8),
        # a state field adds its description and its default
        (app_of(action(), state_schema=[state("a")]), 2, 8),
        (app_of(action(), state_schema=[state("a", default="", description="The a.")]), 4, 8),
        (
            app_of(
                action("act", update("set", "agent.a", "x")),
                state_schema=[state("a", default=None, description="The a.")],
            ),
            6,
            9,
        ),
    ],
)
def test_completeness_is_the_share_of_applicable_fields(
    app: AppDefinition, filled: int, applicable: int
) -> None:
    assert score("completeness", app) == pytest.approx(100 * filled / applicable)


@pytest.mark.parametrize(
    ("description", "is_real"),
    [
        (None, False),
        ("", False),
        (" \n", False),
        ("...", False),
        ("send_money", False),
        ("Send money", False),
        ("send-Money!", False),
        ("SendMoney.", False),
        ("Send money to a friend", True),
        ("Überweisen", True),
    ],
)
def test_a_description_is_real_if_it_says_more_than_the_name(description: str | None, is_real: bool) -> None:
    app = app_of(action("send_money", description=description))
    assert score("documentation", app) == (100 if is_real else 0)


def test_documentation_is_the_share_of_described_actions() -> None:
    described = [action(name, description=f"Does what {name} does.") for name in ("a_one", "b_two")]
    assert score("documentation", app_of(*described, action("c_three"))) == pytest.approx(200 / 3)


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ([action()], 100),
        ([action(parameters={"a": STRING})], 0),
        ([action("act", validate("len(params.a) > 1"), parameters={"a": STRING})], 100),
        ([action("act", validate("agent.id == 'bob'"), parameters={"a": STRING})], 0),
        ([action("act", branch("true", validate("params.a == 'x'")), parameters={"a": STRING})], 100),
        ([action("act", loop("params.a", validate("one > 1")), parameters={"a": {"type": "array"}})], 100),
        ([action("act", loop("agent.a", validate("one > 1")), parameters={"a": {"type": "array"}})], 0),
        # a branch is no validate block
        ([action("act", branch("params.a == 'x'", RETURN), parameters={"a": STRING})], 0),
        ([action(parameters={"a": LONG})], 100),
        ([action(parameters={"a": LONG, "b": STRING})], 0),
        ([action("act", validate("params.b == 'x'"), parameters={"a": LONG, "b": STRING})], 100),
        # two of three; the action without parameters does not count
        (
            [
                action("one", parameters={"a": LONG}),
                action("two", parameters={"a": LONG}),
                action("three", parameters={"a": STRING}),
                action("four"),
            ],
            200 / 3,
        ),
    ],
)
def test_validation_is_the_share_of_actions_that_check_their_parameters(
    actions: list[dict[str, Any]], expected: float
) -> None:
    assert score("validation", app_of(*actions)) == pytest.approx(expected)


REQUIRED = {"type": "string", "required": True}


@pytest.mark.parametrize(
    ("app", "guarded", "modes"),
    [
        (app_of(action()), 0, 0),
        (app_of(action(parameters={"a": STRING})), 0, 0),
        (app_of(action(parameters={"a": REQUIRED})), 0, 1),
        (app_of(action(parameters={"a": {**REQUIRED, "pattern": "^x"}})), 0, 0),
        (app_of(action("act", validate("params.a != ''"), parameters={"a": REQUIRED})), 0, 0),
        (app_of(action("act", branch("params.a == 'x'", RETURN), parameters={"a": REQUIRED})), 0, 0),
        (app_of(action("act", validate("agent.id != ''"), parameters={"a": REQUIRED})), 0, 1),
        (
            app_of(
                action(
                    "act",
                    loop("params.a", validate("one > 1")),
                    parameters={"a": {"type": "array", "required": True}},
                )
            ),
            0,
            0,
        ),
        # guarded: the key; not guarded: the division and the second action's key
        (
            app_of(
                action(
                    "act",
                    validate("agents[params.a] != null"),
                    update("set", "agents[params.a].rate", "1 / agent.rate"),
                    parameters={"a": REQUIRED},
                ),
                action("other", update("set", "agents[params.a].rate", 1), parameters={"a": LONG}),
            ),
            1,
            3,
        ),
    ],
)
def test_error_handling_is_the_share_of_guarded_failure_modes(
    app: AppDefinition, guarded: int, modes: int
) -> None:
    report = score_quality(app)
    assert report.dimension_scores["error_handling"] == pytest.approx(100 * guarded / modes if modes else 100)
    assert report.details["error_handling"]["failure_modes"] == modes


@pytest.mark.parametrize(
    ("app", "expected"),
    [
        # names: app_id, action
        (app_of(action()), 100),
        # app, act, someThing: two of three names
        (app_of(action(parameters={"someThing": STRING})), 100 - 60 / 3),
        (app_of(action(), state_schema=[state("Name")]), 100 - 60 / 3),
        (app_of(action("act", loop("agent.list", item="theItem"))), 100 - 60 / 3),
        # a property is a name too: app, act, box, inner_Thing
        (
            app_of(action(), state_schema=[state("box", "object", properties=[state("inner_Thing")])]),
            100 - 60 / 4,
        ),
        (app_of(action("act_"), app_id="my__app"), 100 - 60),
        # one of two shared parameter names has one type; a name of one action only does not count
        (
            app_of(
                action("one", parameters={"a": STRING, "b": STRING, "c": STRING}),
                action("two", parameters={"a": STRING, "b": {"type": "number"}}),
            ),
            100 - 20 / 2,
        ),
        # returns and return blocks
        (app_of(action("act", RETURN, returns={"done": "boolean"})), 100),
        (app_of(action("act", RETURN, returns={"type": "object", "properties": {"done": {}}})), 100),
        (app_of(action("act", RETURN)), 100 - 20),
        (app_of(action("act", returns={"done": "boolean"})), 100 - 20),
        (app_of(action("act", RETURN, returns={"done": "boolean", "more": "string"})), 100 - 20),
        (
            app_of(
                action(
                    "act",
                    branch("true", {"type": "return", "value": {"why": "x"}}),
                    RETURN,
                    returns={"done": "boolean", "why": "string"},
                )
            ),
            100,
        ),
        (
            app_of(
                action("one", RETURN, returns={"done": "boolean"}), action("two", RETURN), action("three")
            ),
            100 - 20 / 2,
        ),
    ],
)
def test_consistency_weighs_names_types_and_returns(app: AppDefinition, expected: float) -> None:
    assert score("consistency", app) == pytest.approx(expected)
