"""The limits of actions and states, each at, below and above."""

from __future__ import annotations

import json
from typing import Any

import pytest

from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import DefinitionError, StateError
from appeval_pipeline_tests.engine.apps import (
    Json,
    branch,
    give,
    loop,
    make_app,
    notify,
    run,
    state_of,
    update,
    validate,
)

COUNT = loop("params.xs", "x", update("agent.n", "add", 1))
COUNTER = state_of({"alice": {"n": 0}, "bob": {}})


@pytest.mark.parametrize("length", [999, 1000])
def test_a_loop_of_1000_iterations_runs(length: int) -> None:
    result = run([COUNT], state=COUNTER, params={"xs": [0] * length})
    assert result.state_after["per_agent"]["alice"] == {"n": length}


def test_the_1001st_iteration_fails_and_takes_all_back() -> None:
    result = run([COUNT], state=COUNTER, params={"xs": [0] * 1001})
    assert (result.error, result.error_kind) == ("Loop iteration limit exceeded", "limit")
    assert result.deterministic
    assert result.state_after == COUNTER


@pytest.mark.parametrize(("length", "fails"), [(1000, False), (1001, True)])
def test_the_limit_holds_for_objects_snapshots_and_empty_bodies(length: int, fails: bool) -> None:
    keys = {f"k{number}": 1 for number in range(length)}
    for block in (loop("params.o", "k"), loop("params.o", "k", validate("true")), COUNT):
        result = run([block], state=COUNTER, params={"o": keys, "xs": [0] * length})
        assert result.success is not fails


def test_what_ends_the_action_before_the_1001st_iteration_counts() -> None:
    result = run([loop("params.xs", "x", give(x="x"))], params={"xs": [7] * 1001})
    assert result.data == {"x": 7}
    result = run([loop("params.xs", "x", validate("x < 999", "At ${x}."))], params={"xs": list(range(1001))})
    assert result.error == "At 999."


def test_the_limit_is_per_loop_block() -> None:
    result = run([COUNT, COUNT], state=COUNTER, params={"xs": [0] * 1000})
    assert result.state_after["per_agent"]["alice"] == {"n": 2000}


def nested_blocks(levels: int, kind: str) -> Json:
    block: Json = update("agent.n", "add", 1)
    for _ in range(levels):
        block = branch("true", [block]) if kind == "branch" else loop("[1]", "x", block)
    return block


@pytest.mark.parametrize("kind", ["branch", "loop"])
def test_ten_nested_branches_or_loops_run_and_eleven_are_a_definition_error(kind: str) -> None:
    for levels in (9, 10):
        assert run([nested_blocks(levels, kind)], state=COUNTER).success
    with pytest.raises(DefinitionError) as caught:
        make_app([nested_blocks(11, kind)])
    (fault,) = caught.value.faults
    assert fault.message == "Maximum nesting depth exceeded"
    arm = ".then[0]" if kind == "branch" else ".body[0]"
    assert fault.location == "actions.go.logic[0]" + arm * 10


def test_an_else_nests_as_deep_as_a_then() -> None:
    block: Json = give()
    for _ in range(11):
        block = branch("true", [], [block])
    with pytest.raises(DefinitionError, match="Maximum nesting depth exceeded"):
        make_app([block])


def work_of(outer: int, inner: int) -> Any:
    """A loop block (2 units: itself and ``params.x``) and its body, at one unit a block.

    2 + outer * (2 + inner): the inner loop is one block and one operation, its body one block.
    """
    return run(
        [loop("params.outer", "a", loop("params.inner", "b", branch("true", [])))],
        params={"outer": [0] * outer, "inner": [0] * inner},
    )


def test_work_within_the_budget_succeeds_and_beyond_it_fails_the_same_each_time() -> None:
    assert 2 + 998 * (2 + 1000) < 1_000_000 < 2 + 1000 * (2 + 1000)
    assert work_of(997, 1000).success
    for _ in range(2):
        result = work_of(1000, 1000)
        assert (result.error, result.error_kind) == ("Action budget exceeded", "limit")
        assert result.deterministic


@pytest.mark.parametrize("sent", [99, 100])
def test_100_observations_are_delivered(sent: int) -> None:
    result = run([loop("params.xs", "x", notify("'bob'", "${x}"))], params={"xs": list(range(sent))})
    assert [observation["message"] for observation in result.observations] == [str(n) for n in range(sent)]
    assert result.observations_dropped == 0


def test_observations_beyond_100_are_dropped_and_counted() -> None:
    result = run([loop("params.xs", "x", notify("'bob'", "${x}"))], params={"xs": list(range(103))})
    assert result.success
    assert [observation["message"] for observation in result.observations] == [str(n) for n in range(100)]
    assert result.observations_dropped == 3


def test_a_dropped_observation_to_nobody_is_still_an_error() -> None:
    logic = [loop("params.xs", "x", notify("'bob'", "")), notify("'carol'", "")]
    assert run(logic, params={"xs": [0] * 100}).error == "Unknown agent 'carol'"


LIMIT = 1_000_000


def size(state: Json) -> int:
    return len(json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode())


def padded(total: int) -> Json:
    """A state of exactly ``total`` bytes as JSON."""
    state = state_of({"alice": {"pad": ""}})
    state["per_agent"]["alice"]["pad"] = "x" * (total - size(state))
    assert size(state) == total
    return state


@pytest.mark.parametrize("total", [LIMIT - 1, LIMIT])
def test_a_state_of_a_megabyte_is_accepted(total: int) -> None:
    engine = Engine(make_app([give(n="len(agent.pad)")]))
    assert engine.execute("alice", "go", {}, padded(total)).success
    assert engine.session(state=padded(total)).execute("alice", "go").success


def test_a_larger_state_is_refused() -> None:
    engine = Engine(make_app([give()]))
    with pytest.raises(StateError, match="1000001 bytes as JSON; at most 1000000"):
        engine.execute("alice", "go", {}, padded(LIMIT + 1))
    with pytest.raises(StateError, match="1000001 bytes as JSON; at most 1000000"):
        engine.session(state=padded(LIMIT + 1))


def test_defaults_of_many_agents_that_are_larger_than_the_limit_are_refused() -> None:
    app = make_app([give()], state_schema=[{"name": "pad", "type": "string", "default": "x" * 400_000}])
    engine = Engine(app)
    assert engine.session(["a", "b"]).execute("a", "go").success
    with pytest.raises(StateError, match="bytes as JSON"):
        engine.session(["a", "b", "c"])
    with pytest.raises(StateError, match="bytes as JSON"):
        engine.session(["b", "c"], state=state_of({"a": {}}))


GROWTH = {
    "set": (update("agent.new", "set", "'1234567'"), ',"new":"1234567"'),
    "set an element": (update("agent['new']", "set", "'1234567'"), ',"new":"1234567"'),
    "merge": (update("agent", "merge", {"a": 1, "é": [None]}), ',"a":1,"é":[null]'),
    "merge into nothing": (update("agent.o", "merge", {"a": 1}), ',"o":{"a":1}'),
    "text in UTF-8": (update("agent.t", "set", "'é☕😀\\n'"), ',"t":"é☕😀\\n"'),
}


@pytest.mark.parametrize("name", GROWTH)
def test_a_state_may_grow_up_to_the_limit_and_not_beyond(name: str) -> None:
    block, added = GROWTH[name]
    engine = Engine(make_app([block]))
    growth = len(added.encode())
    at_limit = engine.execute("alice", "go", {}, padded(LIMIT - growth))
    assert at_limit.success
    assert size(at_limit.state_after) == LIMIT
    start = padded(LIMIT - growth + 1)
    above = engine.execute("alice", "go", {}, start)
    assert (above.error, above.error_kind) == ("State size limit exceeded", "limit")
    assert above.state_after == start


def test_numbers_and_arrays_grow_a_state_too() -> None:
    logic = [update("agent.n", "add", 1), update("agent.list", "append", "'ab'")]
    engine = Engine(make_app(logic))
    for slack, succeeds in ((5, True), (4, False)):
        state = padded(LIMIT - slack - len(',"n":99,"list":[]'))
        state["per_agent"]["alice"] |= {"n": 99, "list": []}
        assert engine.execute("alice", "go", {}, state).success is succeeds


def test_a_session_at_its_limit_can_still_shrink() -> None:
    app = make_app([update("agent.pad", "set", "slice(agent.pad, 10)"), update("agent.new", "set", 1)])
    session = Engine(app).session(state=padded(LIMIT))
    result = session.execute("alice", "go")
    assert result.success
    assert size(session.state) == LIMIT - 10 + len(',"new":1')


def test_a_definition_has_at_most_8000_blocks_and_operations() -> None:
    block = update("agent.n", "set", 1)  # the block, and the one step of its target
    make_app([block] * 4_000)
    with pytest.raises(DefinitionError, match="Logic has 8002 blocks and operations; at most 8000"):
        make_app([block] * 4_001)


def test_a_definition_has_at_most_200000_characters_of_logic() -> None:
    make_app([{"type": "error", "message": "x" * 200_000}])
    with pytest.raises(DefinitionError, match="Logic is 200001 characters long; at most 200000"):
        make_app([{"type": "error", "message": "x" * 200_001}])


def test_a_value_in_a_definition_nests_at_most_64_levels() -> None:
    value: object = 1
    for _ in range(63):
        value = [value]
    make_app([give(v=value)])
    with pytest.raises(DefinitionError, match="Value nests deeper than 64 levels"):
        make_app([give(v=[value])])
