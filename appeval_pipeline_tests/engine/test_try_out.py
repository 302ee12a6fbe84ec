"""An action that is tried and taken back."""

from typing import Any

from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine

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
