"""An action that is tried and taken back."""

import json
from typing import Any

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine, ExecutionContext
from appeval_pipeline.expr import limits
from appeval_pipeline_tests.engine.apps import loop, make_app, update

APP: dict[str, Any] = {
    "app_id": "diary",
    "name": "Diary",
    "category": "custom",
    "state_schema": [{"name": "pages", "type": "array", "default": []}],
    "actions": [
        {
            "name": "write",
            "parameters": {"text": {"type": "string", "required": True}},
            "logic": [
                {"type": "update", "target": "agent.pages", "operation": "append", "value": "params.text"},
                {"type": "return", "value": {"count": "len(agent.pages)"}},
            ],
        }
    ],
}


def test_what_is_tried_leaves_the_session_as_it_was() -> None:
    session = Engine(load_app(APP)).session(["ann"])
    first = session.execute("ann", "write", {"text": "one"})
    tried = session.try_out("ann", "write", {"text": "two"})
    refused = session.try_out("ann", "write", {"text": 2})
    assert tried.state_after["per_agent"]["ann"]["pages"] == ["one", "two"]
    assert (tried.data, refused.success) == ({"count": 2}, False)
    assert session.state["per_agent"]["ann"]["pages"] == ["one"]
    assert session.execute("ann", "write", {"text": "three"}).data == {"count": 2}
    assert first.state_after["per_agent"]["ann"]["pages"] == ["one"]
    assert tried.state_after["per_agent"]["ann"]["pages"] == ["one", "two"]


@pytest.mark.parametrize(
    ("agent", "action", "text"),
    [("bob", "write", "two"), ("ann", "erase", "two"), ("ann", "write", 2)],
    ids=["agent", "action", "parameter"],
)
def test_of_what_fails_there_is_nothing_to_be_seen(agent: str, action: str, text: object) -> None:
    session = Engine(load_app(APP)).session(["ann"])
    assert session.peek(agent, action, {"text": text}, lambda _: True) is None


def test_an_app_shows_nothing_to_whom_it_does_not_admit() -> None:
    restricted = {**APP, "access_type": "role_restricted", "allowed_roles": ["writer"]}
    session = Engine(load_app(restricted)).session(["ann"])
    assert session.peek("ann", "write", {"text": "two"}, lambda _: True) is None
    session.context = ExecutionContext(roles={"ann": "writer"})
    assert session.peek("ann", "write", {"text": "two"}, lambda _: True) is True


def test_a_look_that_fails_leaves_the_session_as_it_was() -> None:
    session = Engine(load_app(APP)).session(["ann"])
    with pytest.raises(ZeroDivisionError):
        session.peek("ann", "write", {"text": "two"}, lambda _: 1 / 0)
    assert session.state["per_agent"]["ann"]["pages"] == []


def test_that_time_ran_out_is_told_for_it_may_not_another_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ACTION_SECONDS", 0.0)
    many = loop("shared.many", "one", loop("shared.many", "two", update("agent.n", "add", 1)))
    state = {"per_agent": {"ann": {"n": 0}}, "shared": {"many": [1] * 200}}
    session = Engine(make_app([many])).session(state=state)
    with pytest.raises(limits.LimitExceeded, match="time limit"):
        session.peek("ann", "go", {}, lambda _: True)
    assert session.state == state


def test_a_state_that_an_action_took_fields_from_is_resumed_with_their_defaults() -> None:
    fields = [{"name": "a", "type": "number", "default": 1}, {"name": "b", "type": "number", "default": 2}]
    engine = Engine(make_app([update("agent", "set", {"b": 5})], state_schema=fields))
    state = engine.execute("ann", "go", {}, engine.initial_state(["ann"])).state_after
    assert state["per_agent"]["ann"] == {"b": 5}
    resumed = engine.resume(state, {}, ExecutionContext()).state
    assert json.dumps(resumed["per_agent"]["ann"]) == json.dumps({"a": 1, "b": 5})
