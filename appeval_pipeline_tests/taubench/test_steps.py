"""The messages of a results file as steps: in the forms that tau-bench's agents write, and damaged."""

import json
from typing import Any

import pytest

from appeval_pipeline.agents import InvalidAction, Reply, ToolCall
from appeval_pipeline.taubench.steps import SaidAction, TauStep, read_steps

ORDER = {"order_id": "#W1"}


def call(name: str, arguments: object) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }


def action(message: dict[str, Any]) -> SaidAction:
    (step,) = read_steps([message])
    return step.action


def test_each_action_has_the_message_that_answers_it() -> None:
    messages = [
        {"role": "system", "content": "policy"},
        {"role": "user", "content": "hello"},
        call("get_order_details", json.dumps(ORDER)),
        {"role": "tool", "tool_call_id": "c", "name": "get_order_details", "content": "{}"},
        {"role": "assistant", "content": "It is on its way."},
        {"role": "user", "content": "Thanks. ###STOP###"},
        {"role": "assistant", "content": "Never answered."},
    ]
    assert read_steps(messages) == (
        TauStep(0, ToolCall("get_order_details", ORDER), "{}"),
        TauStep(1, Reply("It is on its way."), "Thanks. ###STOP###"),
        TauStep(2, Reply("Never answered."), None),
    )


def test_text_agents_write_their_actions() -> None:
    messages = [
        {"role": "assistant", "content": 'Thought:\nI look.\nAction:\n{"name": "f", "arguments": {"a": 1}}'},
        {"role": "user", "content": "API output: found"},
        {"role": "assistant", "content": 'Action:\n{"name": "respond", "arguments": {"content": "Hi"}}'},
        {"role": "user", "content": "API output: is what I say"},
        {"role": "assistant", "content": "Thought: hm\nAction: just words"},
    ]
    assert read_steps(messages) == (
        TauStep(0, ToolCall("f", {"a": 1}), "found"),
        TauStep(1, Reply("Hi"), "API output: is what I say"),
        TauStep(2, Reply("just words"), None),
    )


def test_of_several_calls_the_first_was_carried_out() -> None:
    message = call("first", "{}")
    message["tool_calls"] += call("second", "{}")["tool_calls"]
    assert action(message) == ToolCall("first", {})


def test_a_call_of_respond_is_a_reply() -> None:
    assert action(call("respond", '{"content": "Hi"}')) == Reply("Hi")


def test_arguments_may_be_an_object_already() -> None:
    assert action(call("f", ORDER)) == ToolCall("f", ORDER)


@pytest.mark.parametrize(
    "message",
    [
        call("f", "{"),
        call("f", "[" * 100_000),
        call("f", '{"a": ' + "[" * 100 + "]" * 100 + "}"),
        call("f", "[1]"),
        call("f", 3),
        {"role": "assistant", "content": ["parts"]},
        {"role": "assistant", "tool_calls": [{"function": {}}]},
        {"role": "assistant", "tool_calls": "f()"},
    ],
)
def test_what_cannot_be_read_is_no_action(message: dict[str, Any]) -> None:
    assert isinstance(action(message), InvalidAction)


def test_messages_of_nobody_are_no_steps() -> None:
    assert read_steps([{}, {"role": None}, {"content": "?"}]) == ()


def test_half_of_a_surrogate_pair_in_arguments_becomes_a_character_that_can_be_printed() -> None:
    assert action(call("f", r'{"a": "x\ud83d"}')) == ToolCall("f", {"a": "x\ufffd"})
    written = {"role": "assistant", "content": r'Action: {"name": "f", "arguments": {"a": "\ude00"}}'}
    assert action(written) == ToolCall("f", {"a": "\ufffd"})
