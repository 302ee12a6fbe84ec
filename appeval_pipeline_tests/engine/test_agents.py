"""Agents: their ids and names, their own state, who may call, and whom each sees."""

from __future__ import annotations

import pytest

from appeval_pipeline.engine import Engine
from appeval_pipeline.expr import Access, ExecutionContext
from appeval_pipeline_tests.engine.apps import (
    Json,
    give,
    loop,
    make_app,
    parameters_for,
    run,
    state_of,
    update,
)


def data(value: dict[str, object], state: Json | None = None, **params: object) -> object:
    result = run([give(**value)], state=state, params=params)
    assert result.error is None
    return result.data


NAMED = state_of({"alice": {"name": "Alice A."}, "bob": {}, "0-9": {"x": 1}, "agent": {"x": 2}})


def test_agent_id_is_the_callers_id() -> None:
    assert data({"id": "agent.id", "by": "agents[agent.id].id", "key": "agent['id']"}) == {
        "id": "alice",
        "by": "alice",
        "key": "alice",
    }


def test_agent_name_is_the_name_field_or_else_the_id() -> None:
    value = {
        "own": "agent.name", "bob": "agents.bob.name", "dynamic": "agents[params.to].name",
        "key": "agents['bob']['name']", "computed": "agents[params.to][params.field]",
    }  # fmt: skip
    assert data(value, NAMED, to="alice", field="name") == {
        "own": "Alice A.", "bob": "bob", "dynamic": "Alice A.", "key": "bob", "computed": "Alice A.",
    }  # fmt: skip


def test_a_name_that_is_null_gives_the_id() -> None:
    assert data({"name": "agent.name"}, state_of({"alice": {"name": None}})) == {"name": "alice"}


@pytest.mark.parametrize("field", ["id", "name"])
def test_id_and_name_of_other_agents_however_they_are_reached(field: str) -> None:
    texts = {
        "a": f"agents.bob.{field}",
        "b": f"agents['bob'].{field}",
        "c": f"agents[params.to].{field}",
        "d": f"agents['b' + 'ob']['{field}']",
        "e": "agents[params.to][params.field]",
        "f": f"(agents.bob).{field}",
    }
    assert data(dict(texts), None, to="bob", field=field) == dict.fromkeys(texts, "bob")


def test_id_and_name_of_a_missing_agent_are_null() -> None:
    value: dict[str, object] = {"id": "agents.carol.id", "name": "agents[params.to].name"}
    assert data(value, None, to="carol") == {"id": None, "name": None}


def test_id_in_the_state_does_not_hide_the_callers_id() -> None:
    assert data({"id": "agent.id"}, state_of({"alice": {"id": "mallory"}})) == {"id": "alice"}


def test_virtual_id_and_name_are_not_copied_counted_or_compared() -> None:
    value: dict[str, object] = {
        "copy": "agent",
        "all": "agents",
        "count": "len(agent)",
        "equal": "agents.alice == {}",
        "has": "contains(agent, 'id')",
    }
    assert data(value, state_of({"alice": {}, "bob": {"x": 1}})) == {
        "copy": {},
        "all": {"alice": {}, "bob": {"x": 1}},
        "count": 0,
        "equal": True,
        "has": False,
    }
    assert run([loop("agent", "key", give(key="key"))]).data == {}


def test_an_agent_whose_state_is_empty_is_not_null() -> None:
    value: dict[str, object] = {
        "bob": "agents[params.to] != null",
        "carol": "agents.carol == null",
        "own": "agent == null",
        "field": "agents.bob.x == null",
    }
    assert data(value, None, to="bob") == {"bob": True, "carol": True, "own": False, "field": True}


def test_agent_ids_that_are_no_names_are_reached_by_index() -> None:
    value: dict[str, object] = {"a": "agents['0-9'].x", "b": "agents['agent'].x", "c": "agents['0-9'].id"}
    assert data(value, NAMED) == {"a": 1, "b": 2, "c": "0-9"}


def test_writing_agent_is_writing_agents_of_the_caller() -> None:
    result = run(
        [update("agent.x", "set", 1), update("agents[agent.id].x", "add", 1), give(x="agents.alice.x")]
    )
    assert result.data == {"x": 2}


SCHEMA: list[Json] = [
    {"name": "purse", "type": "array", "default": []},
    {"name": "card", "type": "object", "default": {"limits": [1]}},
    {"name": "age", "type": "number"},
    {"name": "board", "type": "array", "default": [0], "perAgent": False},
]


def test_initial_state_is_the_defaults_per_agent_or_shared() -> None:
    engine = Engine(make_app([], state_schema=SCHEMA))
    own = {"purse": [], "card": {"limits": [1]}, "age": None}
    assert engine.initial_state(["a", "b"]) == state_of({"a": own, "b": own}, {"board": [0]})
    assert engine.initial_state() == state_of({}, {"board": [0]})


def test_per_agent_apps_have_no_shared_fields() -> None:
    app = make_app([], state_schema=SCHEMA[:3], state_type="per_agent", access_type="per_agent")
    assert Engine(app).initial_state(["a"])["shared"] == {}


def test_defaults_are_never_shared_or_changed() -> None:
    logic = [update("agent.purse", "append", 1), update("agent.card.limits", "append", 2)]
    app = make_app([*logic, update("shared.board", "append", 3)], state_schema=SCHEMA)
    engine = Engine(app)
    hash_before = app.definition_hash
    fresh = engine.initial_state(["a", "b"])
    first = engine.initial_state(["a", "b"])
    first["per_agent"]["a"]["card"]["limits"].append(9)
    session = engine.session(["a", "b"])
    assert session.execute("a", "go").success
    assert session.state["per_agent"]["b"] == fresh["per_agent"]["b"]
    assert engine.initial_state(["a", "b"]) == fresh
    assert engine.session(["a", "b"]).state == fresh
    assert app.definition_hash == hash_before


def test_config_is_visible_and_never_changed() -> None:
    config = {"fees": [1, 2], "limits": {"daily": 5}}
    app = make_app(
        [update("agent.fees", "set", "config.fees"), update("agent.fees", "append", 3), give(all="config")],
        initial_config=config,
    )
    session = Engine(app).session(["a", "b"])
    first = session.execute("a", "go")
    assert first.data == {"all": config}
    first.data["all"]["fees"].append(99)  # type: ignore[index]
    assert session.execute("b", "go").data == {"all": config}
    assert app.initial_config == config
    assert session.state["per_agent"]["a"] == {"fees": [1, 2, 3]}


def test_parameter_defaults_are_never_shared_or_changed() -> None:
    app = make_app(
        [
            update("agent.tags", "set", "params.tags"),
            update("agent.tags", "append", 1),
            give(t="params.tags"),
        ],
        {"tags": {"type": "array", "default": [[0]]}},
    )
    session = Engine(app).session(["a"])
    for _ in range(2):
        result = session.execute("a", "go")
        assert result.data == {"t": [[0]]}
        result.data["t"][0].append(5)  # type: ignore[index]
    assert session.state["per_agent"]["a"] == {"tags": [[0], 1]}


def access_of(roles: dict[str, Access | str], **keys: Json | list[str]) -> list[str | None]:
    app = make_app([], access_type="role_restricted", **keys)
    engine = Engine(app)
    session = engine.session(["alice", "bob"], context=ExecutionContext(roles=roles))
    state = engine.initial_state(["alice", "bob"])
    kinds = [session.execute(agent, "go").error_kind for agent in ("alice", "bob")]
    again = [
        engine.execute(agent, "go", {}, state, ExecutionContext(roles=roles)).error_kind
        for agent in ("alice", "bob")
    ]
    assert kinds == again
    return kinds  # type: ignore[return-value]


def test_a_role_admits() -> None:
    assert access_of({"alice": "admin", "bob": "guest"}, allowed_roles=["admin", "boss"]) == [None, "access"]
    assert access_of({"bob": Access("boss")}, allowed_roles=["admin", "boss"]) == ["access", None]


def test_a_role_tag_admits() -> None:
    roles: dict[str, Access | str] = {"alice": Access.of(None, ["staff", "x"]), "bob": Access.of("staff")}
    assert access_of(roles, allowed_role_tags=["staff"]) == [None, "access"]


def test_any_match_of_role_or_tag_admits() -> None:
    roles: dict[str, Access | str] = {"alice": Access.of("guest", ["vip"]), "bob": "admin"}
    assert access_of(roles, allowed_roles=["admin"], allowed_role_tags=["vip"]) == [None, None]


def test_without_a_role_nobody_is_admitted() -> None:
    assert access_of({}, allowed_roles=["admin"]) == ["access", "access"]


def test_roles_do_not_matter_where_access_is_shared() -> None:
    assert run([give(a=1)]).success


def test_refused_access_changes_nothing() -> None:
    app = make_app([update("agent.x", "set", 1)], access_type="role_restricted", allowed_roles=["admin"])
    session = Engine(app).session(["alice"])
    result = session.execute("alice", "go")
    assert (result.success, result.data, result.error_kind) == (False, None, "access")
    assert session.state == state_of({"alice": {}})


def test_per_agent_access_shows_the_caller_alone() -> None:
    app = make_app(
        [give(all="agents", bob="agents[params.to]", own="agents[agent.id].x", count="len(agents)")],
        parameters_for({"to": ""}),
        access_type="per_agent",
        state_type="per_agent",
    )
    state = state_of({"alice": {"x": 1}, "bob": {"x": 2}})
    result = Engine(app).execute("alice", "go", {"to": "bob"}, state)
    assert result.data == {"all": {"alice": {"x": 1}}, "bob": None, "own": 1, "count": 1}
    assert result.state_after == state


def test_per_agent_access_lets_no_one_write_another_agent() -> None:
    app = make_app([update("agents.bob.x", "set", 1)], access_type="per_agent", state_type="per_agent")
    state = state_of({"alice": {}, "bob": {}})
    result = Engine(app).execute("alice", "go", {}, state)
    assert (result.error_kind, result.error) == ("expression", "Unknown agent 'bob'")
    assert result.state_after == state
