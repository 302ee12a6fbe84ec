"""Loops: what they walk, and where their item is bound."""

from __future__ import annotations

import pytest

from appeval_pipeline.errors import DefinitionError
from appeval_pipeline_tests.engine.apps import (
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


def seen(result_value: object) -> dict[str, object]:
    return update("agent.seen", "append", result_value)


START = state_of({"alice": {"seen": [], "list": [1, 2, 3], "map": {"x": 10, "y": 20}}, "bob": {}})


def after(*logic: dict[str, object]) -> object:
    result = run(list(logic), state=START, params={"xs": [1, 2], "ys": [10, 20]})
    assert result.error is None
    return result.state_after["per_agent"]["alice"]["seen"]


def test_a_loop_runs_its_body_once_per_element() -> None:
    assert after(loop("agent.list", "n", seen("n * 2"))) == [2, 4, 6]


def test_a_loop_over_an_object_walks_its_keys() -> None:
    assert after(loop("agent.map", "key", seen("key"), seen("agent.map[key]"))) == ["x", 10, "y", 20]


def test_a_loop_over_nothing_does_nothing() -> None:
    assert after(loop("[]", "n", fail("never")), loop("{}", "n", fail("never"))) == []


def test_a_loop_over_agents_walks_their_ids() -> None:
    assert after(loop("agents", "who", seen("who"), seen("agents[who].id"))) == ["alice"] * 2 + ["bob"] * 2


@pytest.mark.parametrize(
    ("value", "kind"), [(None, "null"), (5, "number"), ("ab", "string"), (True, "boolean")]
)
def test_nothing_else_can_be_walked(value: object, kind: str) -> None:
    result = run([loop("agent.v", "n")], state=state_of({"alice": {"v": value}}))
    assert result.error == f"Cannot loop over {kind}; expected array or object"
    assert result.error_kind == "expression"


def test_a_nested_loop_of_the_same_item_name_does_not_lose_the_outer_one() -> None:
    body = [seen("n"), loop("params.ys", "n", seen("n")), seen("n")]
    assert after(loop("params.xs", "n", *body)) == [1, 10, 20, 1, 2, 10, 20, 2]


def test_a_branch_in_a_loop_sees_the_item() -> None:
    assert after(loop("params.xs", "n", branch("n > 1", [seen("n")], [seen("-n")]))) == [-1, 2]


def test_every_kind_of_block_sees_the_item() -> None:
    logic = [
        loop(
            "params.xs",
            "n",
            validate("n > 0", "bad ${n}"),
            notify("'bob'", "got ${n}", n="n"),
            branch("n == 2", [give(n="n")]),
        )
    ]
    result = run(logic, params={"xs": [1, 2, 3]})
    assert result.data == {"n": 2}
    assert [observation["message"] for observation in result.observations] == ["got 1", "got 2"]
    assert run(logic, params={"xs": [-4]}).error == "bad -4"


@pytest.mark.parametrize(
    "logic",
    [
        [loop("params.xs", "n"), give(n="[n, params.xs]")],
        [loop("params.xs", "n"), validate("n > 0")],
        [loop("n", "n")],
        [loop("params.xs", "n", loop("params.ys", "m")), fail("${m}")],
        [loop("params.xs", "n", loop("params.ys", "m"), validate("m == 1"))],
    ],
)
def test_the_item_is_bound_in_the_body_only(logic: list[dict[str, object]]) -> None:
    with pytest.raises(DefinitionError, match=r"Variable '[nm]' is not defined"):
        make_app(
            [*logic], {"xs": {"type": "array", "required": True}, "ys": {"type": "array", "required": True}}
        )


def test_a_bare_item_out_of_scope_in_a_value_is_text() -> None:
    assert run([loop("[1]", "n"), give(n="n")]).data == {"n": "n"}


@pytest.mark.parametrize("name", ["params", "agent", "agents", "shared", "config", "true", "false", "null"])
def test_an_item_cannot_take_a_name_that_means_something(name: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        make_app([loop("[1]", name)])
    assert [fault.location for fault in caught.value.faults] == ["actions.go.logic[0].item"]


def test_a_loop_walks_a_snapshot_of_an_array() -> None:
    body = [update("agent.list", "append", "n + 10"), seen("n")]
    assert after(loop("agent.list", "n", *body)) == [1, 2, 3]
    assert after(loop("agent.list", "n", update("agent.list", "remove", "n"), seen("n"))) == [1, 2, 3]


def test_a_loop_walks_a_snapshot_of_an_object() -> None:
    assert after(loop("agent.map", "k", update("agent.map[k + k]", "set", 1), seen("k"))) == ["x", "y"]


def test_an_item_stays_as_it_was_when_the_state_it_came_from_changes() -> None:
    result = run(
        [loop("agent.list", "e", update("agent.list[0].n", "add", 1), update("agent.seen", "append", "e.n"))],
        state=state_of({"alice": {"seen": [], "list": [{"n": 1}, {"n": 5}]}}),
    )
    assert result.state_after["per_agent"]["alice"] == {"seen": [1, 5], "list": [{"n": 3}, {"n": 5}]}


def test_what_a_literal_collection_holds_is_a_snapshot_too() -> None:
    result = run(
        [loop("[agent.o, agent.o]", "e", update("agent.o.n", "add", 1), update("agent.seen", "append", "e"))],
        state=state_of({"alice": {"seen": [], "o": {"n": 1}}}),
    )
    assert result.state_after["per_agent"]["alice"] == {"seen": [{"n": 1}, {"n": 1}], "o": {"n": 3}}


def test_a_return_inside_a_loop_ends_the_action() -> None:
    result = run([loop("params.xs", "n", update("agent.x", "set", "n"), give(n="n"))], params={"xs": [1, 2]})
    assert result.data == {"n": 1}
    assert result.state_after["per_agent"]["alice"] == {"x": 1}


def test_an_error_inside_a_loop_ends_the_action_and_takes_all_back() -> None:
    logic = [loop("params.xs", "n", update("agent.x", "set", "n"), branch("n == 2", [fail("Bad ${n}")]))]
    result = run(logic, params={"xs": [1, 2, 3]})
    assert (result.error, result.error_kind) == ("Bad 2", "logic")
    assert result.state_after["per_agent"]["alice"] == {}
