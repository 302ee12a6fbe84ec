"""What holds for every app, state and sequence of actions."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline.engine.result import ActionResult
from appeval_pipeline.errors import DefinitionError
from appeval_pipeline.expr import ExecutionContext
from appeval_pipeline_tests.engine.apps import (
    Json,
    branch,
    fail,
    give,
    loop,
    notify,
    state_of,
    update,
    validate,
)

modestly = settings(max_examples=120, deadline=None, derandomize=True)

TARGETS = [
    "agent", "agent.a", "agent.b", "agent.list", "agent.o", "agent.o.p", "agent['é']", "agent[params.key]",
    "agent.list[0]", "agent.list[-1]", "agent.list[params.n]", "agent.list[0].x", "agents.bob.a",
    "agents[params.key].list", "agents[agent.id].o", "agents.bob", "shared", "shared.a",
    "shared.m[params.key]", "shared.m[params.key].x", "shared.list", "agent.missing.deep",
]  # fmt: skip
VALUES: list[object] = [
    "1", -1, 2.5, "params.n", "'é☕\\n'", "plain text", "Sent ${params.n}", None, True, [], {},
    [1, "params.key"], {"a": 1, "list": ["agent.a"]}, {"x": {"y": "agent.o"}}, "agent.list", "agent.o",
    "shared.m", "agents.bob", "agent", "generate_id()", "len(agent.list)", "agent.a + 1", "params.key",
    "[agent.list, agent.o]", "{a: shared.a, b: [1]}", "x",
]  # fmt: skip
OPERATIONS = ["set", "add", "subtract", "append", "remove", "merge"]

updates = st.builds(
    lambda target, operation, value: update(
        target, operation if target not in ("agent", "shared", "agents.bob") else "merge", value
    ),
    st.sampled_from(TARGETS),
    st.sampled_from([*OPERATIONS, "set", "append", "merge"]),
    st.sampled_from(VALUES),
)
simple = st.one_of(
    updates,
    updates,
    updates,
    updates,
    st.sampled_from(
        [
            notify("'bob'", "got ${agent.a}", copy="agent.o"),
            notify("params.key", "for you"),
            validate("params.n < 3", "n is ${params.n}"),
            fail("enough"),
            give(all="agent", ids=["generate_id()", "timestamp()"], other="agents.bob", m="shared.m"),
        ]
    ),
)


def _around(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    bodies = st.lists(inner, max_size=3)
    return st.one_of(
        st.builds(branch, st.sampled_from(["params.n > 1", "agent.a == 1"]), bodies, bodies),
        st.builds(
            lambda collection, body: loop(collection, "x", *body),
            st.sampled_from(["agent.list", "shared.m", "[1, agent.o]", "agents", "shared.list"]),
            bodies,
        ),
    )


logics = st.lists(st.one_of(simple, st.recursive(simple, _around, max_leaves=5)), min_size=1, max_size=6)
states = st.fixed_dictionaries(
    {
        "a": st.sampled_from([1, 2.5, 3, "text"]),
        "list": st.sampled_from([[], [1, 2], [{"x": 1}, "params"], [[1], [1]]]),
        "o": st.sampled_from([{}, {"p": {"q": 1}}, {"a": 1, "x": None}]),
        "m": st.sampled_from([{}, {"bob": {"x": 1}, "é": 2}]),
    },
    optional={"b": st.none()},
)
calls = st.lists(
    st.tuples(
        st.sampled_from(["alice", "bob", "alice", "bob", "carol"]),
        st.sampled_from(["first", "second"]),
        st.fixed_dictionaries(
            {"n": st.integers(0, 4), "key": st.sampled_from(["bob", "alice", "bob", "é", "id"])}
        ),
    ),
    min_size=1,
    max_size=6,
)
PARAMETERS = {"n": {"type": "number"}, "key": {"type": "string"}, "list": {"type": "array", "default": [[7]]}}


def engine_of(logic: list[list[Json]]) -> Engine:
    actions = [
        {"name": name, "parameters": PARAMETERS, "logic": blocks}
        for name, blocks in zip(("first", "second"), logic, strict=True)
    ]
    return Engine(load_app({"app_id": "app", "name": "A", "category": "custom", "actions": actions}))


@cache
def _loads(block: str) -> bool:
    try:
        engine_of([[json.loads(block)], [give()]])
    except DefinitionError:
        return False
    return True


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Engine, Json, list[tuple[str, str, Json]]]:
    """An app that loads, a state to start from, and calls."""
    # Some draws are refused, such as adding a text: those blocks are left out.
    engine = engine_of([[block for block in draw(logics) if _loads(json.dumps(block))] for _ in range(2)])
    start = state_of({"alice": draw(states), "bob": draw(states)}, draw(states))
    return engine, start, draw(calls)


def bytes_of(state: Any) -> int:
    return len(json.dumps(state, separators=(",", ":"), ensure_ascii=False).encode())


def plain(result: ActionResult) -> Json:
    shown = result.to_dict()
    del shown["duration_ms"]
    return shown


@modestly
@given(scenes())
def test_a_session_does_what_single_calls_on_successive_states_do(scene: Any) -> None:
    engine, state, made = scene
    session = engine.session(state=state, seed=3)
    context = ExecutionContext(seed=3)
    for agent, action, params in made:
        one = session.execute(agent, action, params, trace=True)
        other = engine.execute(agent, action, params, state, context, trace=True)
        assert plain(one) == plain(other)
        state = other.state_after
        assert session.state == state


@modestly
@given(scenes())
def test_a_failed_action_leaves_the_state_and_sends_nothing(scene: Any) -> None:
    engine, state, made = scene
    session = engine.session(state=state)
    for agent, action, params in made:
        before = json.dumps(session.state)
        size_before = session.state_bytes
        result = session.execute(agent, action, params)
        if not result.success:
            assert json.dumps(session.state) == before  # the order of keys too
            assert session.state_bytes == size_before
            assert (result.data, result.observations) == (None, [])
            assert result.error
            assert json.dumps(result.state_after) == before


@modestly
@given(scenes())
def test_peeking_sees_what_trying_out_does_and_leaves_nothing_behind(scene: Any) -> None:
    engine, state, made = scene
    session = engine.session(state=state)
    for agent, action, params in made:
        before, size_before = json.dumps(session.state), session.state_bytes
        session.context = ExecutionContext(seed=3)
        seen = session.peek(agent, action, params, json.dumps)
        assert (json.dumps(session.state), session.state_bytes) == (before, size_before)
        session.context = ExecutionContext(seed=3)
        tried = session.try_out(agent, action, params)
        assert (seen or before) == json.dumps(tried.state_after)
        session.execute(agent, action, params)


@modestly
@given(scenes())
def test_a_state_that_the_engine_told_is_resumed_as_it_is(scene: Any) -> None:
    engine, state, made = scene
    for agent, action, params in made:
        state = engine.execute(agent, action, params, state).state_after
        resumed = engine.resume(state, {}, ExecutionContext()).state
        assert json.dumps(resumed) == json.dumps(engine.session(state=state).state)


@modestly
@given(scenes())
def test_the_size_that_is_tracked_is_the_size_of_the_state(scene: Any) -> None:
    engine, state, made = scene
    session = engine.session(state=state)
    assert session.state_bytes == bytes_of(session.state)
    for agent, action, params in made:
        session.execute(agent, action, params)
        assert session.state_bytes == bytes_of(session.state)


@modestly
@given(scenes())
def test_no_later_action_changes_what_a_result_holds_however_late_it_is_asked(scene: Any) -> None:
    engine, state, made = scene
    session = engine.session(state=state)
    kept = []
    for agent, action, params in made * 2:
        result = session.execute(agent, action, params)
        kept.append((result, copy.deepcopy((result.data, result.observations)), session.state))
    for result, (data, observations), after in reversed(kept):
        assert result.state_after == after
        assert json.dumps(result.state_after) == json.dumps(after) or result.state_after == after
        assert (result.data, result.observations) == (data, observations)


@modestly
@given(scenes())
def test_nothing_of_the_caller_is_changed_or_held(scene: Any) -> None:
    engine, state, made = scene
    given_state, given_calls = copy.deepcopy(state), copy.deepcopy(made)
    session = engine.session(state=state)
    single = engine.execute("alice", "first", made[0][2], state)
    for agent, action, params in made:
        session.execute(agent, action, params)
    assert (state, made) == (given_state, given_calls)
    before, after = session.state, copy.deepcopy(single.state_after)
    for part in (state["per_agent"]["alice"], state["shared"]):
        for value in part.values():
            if isinstance(value, list):
                value.append("changed")
            elif isinstance(value, dict):
                value["changed"] = True
    assert session.state == before
    assert single.state_after == after


@modestly
@given(scenes())
def test_what_a_caller_does_to_a_result_changes_nothing_else(scene: Any) -> None:
    engine, state, made = scene
    session = engine.session(state=state)
    for agent, action, params in made:
        result = session.execute(agent, action, params)
        before = session.state
        spoil(result.data)
        spoil(result.observations)
        spoil(result.state_after)
        spoil(session.state)
        assert session.state == before


def spoil(value: Any) -> None:
    if isinstance(value, dict):
        for inner in list(value.values()):
            spoil(inner)
        value["spoilt"] = True
    elif isinstance(value, list):
        for inner in list(value):
            spoil(inner)
        value.append("spoilt")


@modestly
@given(scenes(), st.integers(0, 5))
def test_the_same_seed_gives_the_same_bytes(scene: Any, seed: int) -> None:
    engine, state, made = scene
    runs = []
    for _ in range(2):
        session = engine.session(state=state, seed=seed)
        runs.append(json.dumps([plain(session.execute(*call, trace=True)) for call in made]))
    assert runs[0] == runs[1]


@modestly
@given(scenes())
def test_tracing_changes_nothing_but_the_trace(scene: Any) -> None:
    engine, state, made = scene
    traced, untraced = engine.session(state=state), engine.session(state=state)
    for agent, action, params in made:
        one = plain(traced.execute(agent, action, params, trace=True))
        other = plain(untraced.execute(agent, action, params))
        assert other.pop("trace") == []
        one.pop("trace")
        assert one == other
