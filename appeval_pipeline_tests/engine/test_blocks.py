"""The seven block types, and what an action's result holds."""

from __future__ import annotations

import pytest

from appeval_pipeline.engine import Engine
from appeval_pipeline_tests.engine.apps import (
    Json,
    branch,
    fail,
    give,
    loop,
    make_app,
    notify,
    run,
    state_of,
    update,
    validate,
)


def test_validate_that_holds_goes_on() -> None:
    assert run([validate("1 < 2"), give(ok=True)]).data == {"ok": True}


def test_validate_that_fails_ends_the_action_with_the_interpolated_message() -> None:
    result = run([validate("params.n > 5", "Got $${params.n}, need more."), give(ok=True)], params={"n": 3})
    assert (result.success, result.data) == (False, None)
    assert (result.error, result.error_kind) == ("Got $3, need more.", "validation")


@pytest.mark.parametrize(
    ("value", "kind"),
    [(1, "number"), (None, "null"), ("true", "string"), ([], "array"), ({}, "object")],
)
def test_a_condition_that_is_no_boolean_is_an_expression_error(value: object, kind: str) -> None:
    for block in (validate("agent.v"), branch("agent.v", [])):
        result = run([block], state=state_of({"alice": {"v": value}}))
        assert (result.error, result.error_kind) == (f"Expected boolean, got {kind}", "expression")
        assert result.error_at == "actions.go.logic[0].condition"


def test_logic_that_ends_without_a_return_succeeds_with_empty_data() -> None:
    result = run([update("agent.x", "set", 1)])
    assert (result.success, result.data, result.error, result.error_kind) == (True, {}, None, None)


def test_return_ends_the_action() -> None:
    result = run([give(a=1), update("agent.x", "set", 1)])
    assert result.data == {"a": 1}
    assert result.state_after["per_agent"]["alice"] == {}


def test_return_value_is_walked_and_keeps_its_shape() -> None:
    value = {
        "literal": 5, "text": "sent", "expr": "params.n + 1", "quoted": "'params.n'", "number": "42",
        "mixed": "Sent ${params.n}", "none": None, "list": ["params.n", ["agent.id", "now"]],
        "deep": {"yes": True, "params.n": "params.n"},
    }  # fmt: skip
    assert run([give(**value)], params={"n": 3}).data == {
        "literal": 5, "text": "sent", "expr": 4, "quoted": "params.n", "number": 42, "mixed": "Sent 3",
        "none": None, "list": [3, ["alice", "now"]], "deep": {"yes": True, "params.n": 3},
    }  # fmt: skip


def test_error_ends_the_action_with_its_message() -> None:
    result = run([update("agent.x", "set", 1), fail("No ${params.n}."), give(a=1)], params={"n": 3})
    assert (result.success, result.data) == (False, None)
    assert (result.error, result.error_kind) == ("No 3.", "logic")
    assert result.state_after["per_agent"]["alice"] == {}


@pytest.mark.parametrize(("condition", "expected"), [("true", "then"), ("false", "else")])
def test_branch_takes_the_arm_of_its_condition(condition: str, expected: str) -> None:
    assert run([branch(condition, [give(arm="then")], [give(arm="else")])]).data == {"arm": expected}


def test_branch_without_else_goes_on() -> None:
    assert run([branch("false", [give(a=1)]), give(a=2)]).data == {"a": 2}


def test_branch_goes_on_after_its_arm() -> None:
    result = run([branch("true", [update("agent.x", "set", 1)]), give(x="agent.x")])
    assert result.data == {"x": 1}


def test_notify_queues_an_observation() -> None:
    result = run(
        [notify("params.to", "Got $${params.n}", amount="params.n", note="thanks")],
        params={"to": "bob", "n": 5},
    )
    assert result.observations == [
        {
            "app_id": "an_app",
            "agent_id": "bob",
            "message": "Got $5",
            "data": {"amount": 5, "note": "thanks"},
        }
    ]
    assert run([notify("'bob'", "Hi")]).observations[0]["data"] is None


@pytest.mark.parametrize(
    ("to", "error"),
    [("carol", "Unknown agent 'carol'"), (None, "Unknown agent null"), (5, "Unknown agent number")],
)
def test_notifying_nobody_fails_as_an_expression(to: object, error: str) -> None:
    logic = [update("agent.x", "set", 1), notify("'bob'", "Hi"), notify("agent.to", "Hi")]
    result = run(logic, state=state_of({"alice": {"to": to}, "bob": {}}))
    assert (result.success, result.error, result.error_kind) == (False, error, "expression")
    assert result.observations == []
    assert "carol" not in result.state_after["per_agent"]


@pytest.mark.parametrize(
    ("block", "at"),
    [
        (validate("false", "${1 + agent.none}"), "errorMessage"),
        (fail("${1 + agent.none}"), "message"),
        (notify("'bob'", "${1 + agent.none}"), "message"),
        (notify("'bob'", "Hi", x="1 + agent.none"), "data"),
        (notify("agent.none + 'a'", "Hi"), "to"),
        (give(x="1 + agent.none"), "value"),
        (update("agent.x", "set", "1 + agent.none"), "value"),
        (loop("agent.n.x", "x"), "collection"),
    ],
)
def test_an_expression_that_fails_anywhere_fails_the_action(block: Json, at: str) -> None:
    result = run([block], state=state_of({"alice": {"n": 5}, "bob": {}}))
    assert result.error_kind == "expression"
    assert result.error_at == f"actions.go.logic[0].{at}"


def test_unknown_action_names_the_actions_there_are() -> None:
    engine = Engine(make_app([]))
    result = engine.execute("alice", "fly", {}, engine.initial_state(["alice"]))
    assert (result.success, result.error_kind) == (False, "unknown_action")
    assert result.error == "Unknown action 'fly'; known actions: go"


@pytest.mark.parametrize("agent", ["carol", "", "per_agent", "__class__"])
def test_unknown_agent_is_an_error_and_is_never_created(agent: str) -> None:
    engine = Engine(make_app([update("agent.x", "set", 1)]))
    start = engine.initial_state(["alice"])
    session = engine.session(["alice"])
    for result in (engine.execute(agent, "go", {}, start), session.execute(agent, "go", {})):
        assert (result.error_kind, result.error) == ("unknown_agent", f"Unknown agent '{agent}'")
        assert result.state_after == start
    assert session.state == start


def test_result_as_plain_json_has_every_field() -> None:
    result = run([give(a=1)], trace=True)
    plain = result.to_dict()
    assert plain.pop("duration_ms") >= 0
    assert plain == {
        "success": True,
        "data": {"a": 1},
        "error": None,
        "error_kind": None,
        "error_at": None,
        "state_after": state_of({"alice": {}, "bob": {}}),
        "observations": [],
        "observations_dropped": 0,
        "trace": [{"block": "go.logic[0]", "outcome": "return"}],
        "deterministic": True,
    }
