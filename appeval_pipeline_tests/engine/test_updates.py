"""Update blocks: every operation on every kind of target, from the case file."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.engine import Engine
from appeval_pipeline_tests.engine.apps import Json, cases, make_app, parameters_for, run, state_of, update

CASES = [
    pytest.param(case, id=f"{group}: {case['operation']} {case['target']} {number}")
    for group, group_cases in cases("updates").items()
    for number, case in enumerate(group_cases)
]


def state_before(case: Json) -> Json:
    given = {"given": case["given"]} if "given" in case else {}
    agents = {"alice": case.get("alice", {}), "bob": case.get("bob", {})}
    return state_of(agents, {**case.get("shared", {}), **given})


@pytest.mark.parametrize("case", CASES)
def test_update_changes_what_it_says_and_nothing_else(case: dict[str, Any]) -> None:
    before = state_before(case)
    params = case.get("params", {})
    app = make_app([update(case["target"], case["operation"], case["value"])], parameters_for(params))
    result = Engine(app).execute("alice", "go", params, before)
    if "error" in case:
        assert (result.success, result.error_kind, result.error) == (False, "expression", case["error"])
        assert result.state_after == before
        return
    assert result.error is None
    after = case["after"]
    expected = state_of(
        {name: after.get(name, before["per_agent"][name]) for name in ("alice", "bob")},
        after.get("shared", before["shared"]),
    )
    assert result.state_after == expected


SCHEMA: list[Json] = [
    {"name": "history", "type": "array", "default": [], "maxItems": 2},
    {"name": "card", "type": "object", "default": {}, "properties": [{"name": "number", "type": "string"}]},
    {"name": "notes", "type": "object", "default": {}},
    {"name": "board", "type": "array", "default": [], "maxItems": 1, "perAgent": False},
]


def test_append_below_and_at_max_items_works_and_above_fails() -> None:
    session = Engine(make_app([update("agent.history", "append", 1)], state_schema=SCHEMA)).session(["alice"])
    assert session.execute("alice", "go").success
    assert session.execute("alice", "go").success
    third = session.execute("alice", "go")
    assert third.error == "Array 'agent.history' holds at most 2 items"
    assert third.error_kind == "expression"
    assert session.state["per_agent"]["alice"]["history"] == [1, 1]


@pytest.mark.parametrize("target", ["agents[params.to].history", "agents.alice['history']", "shared.board"])
def test_max_items_holds_however_the_array_is_reached(target: str) -> None:
    app = make_app([update(target, "append", 1)] * 3, parameters_for({"to": "alice"}), state_schema=SCHEMA)
    result = Engine(app).session(["alice"]).execute("alice", "go", {"to": "alice"})
    assert result.error is not None
    assert result.error.startswith(f"Array '{target}' holds at most")


def test_set_beyond_max_items_fails_too() -> None:
    result = run([update("agent.history", "set", [1, 2, 3])], state_schema=SCHEMA)
    assert result.error == "Array 'agent.history' holds at most 2 items"


@pytest.mark.parametrize(
    ("target", "operation", "value"),
    [
        ("agent.card", "merge", {"colour": "red"}),
        ("agent.card", "set", {"colour": "red"}),
        ("agent.card[params.key]", "set", "red"),
        ("agent", "merge", {"colour": "red"}),
        ("agent", "merge", {"card": {"colour": "red"}}),
        ("agent", "set", {"colour": "red"}),
        ("shared", "merge", {"colour": "red"}),
        ("agent[params.key]", "set", "red"),
        ("shared[params.key]", "set", "red"),
    ],
)
def test_nothing_undeclared_gets_into_a_closed_object(target: str, operation: str, value: object) -> None:
    result = run([update(target, operation, value)], params={"key": "colour"}, state_schema=SCHEMA)
    assert result.error_kind == "expression"
    assert result.error is not None
    assert result.error.startswith("'colour' is not declared")


def test_an_object_without_declared_properties_is_a_map() -> None:
    result = run(
        [update("agent.notes[params.key]", "set", 1), update("agent.notes", "merge", {"b": 2})],
        params={"key": "a"},
        state_schema=SCHEMA,
    )
    assert result.state_after["per_agent"]["alice"]["notes"] == {"a": 1, "b": 2}


def test_what_was_read_stays_as_it_was_under_later_updates() -> None:
    result = run(
        [
            update("agent.copy", "set", "agent.list"),
            update("agent.list", "append", 2),
            update("agent.copy", "append", 9),
            {"type": "return", "value": {"list": "agent.list", "copy": "agent.copy", "all": "agent"}},
        ],
        state=state_of({"alice": {"list": [1]}}),
    )
    assert result.data == {"list": [1, 2], "copy": [1, 9], "all": {"list": [1, 2], "copy": [1, 9]}}


def test_error_tells_the_block_it_failed_in() -> None:
    result = run([update("agent.x", "set", 1), update("agent.y", "set", "agent.x + agent.y")])
    assert result.error_at == "actions.go.logic[1].value"
    result = run([update("agent.x", "set", 1), update("agent.y", "append", 1)])
    assert result.error_at == "actions.go.logic[1].target"
