"""What the agent makes of answers, and what it tells the model; the model is a list of answers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from appeval_pipeline.agents import (
    Agent,
    Briefing,
    InvalidAction,
    Limits,
    Observation,
    Reply,
    Reward,
    Tool,
    ToolCall,
    Trajectory,
    Usage,
    run_episode,
)
from appeval_pipeline.agents.llm import LlmAgent, Mode
from appeval_pipeline.agents.llm.arguments import NotAnObjectError, read_object
from appeval_pipeline.agents.llm.schema_mode import action_schema, respond_name
from appeval_pipeline.agents.models import Message, Model, ModelReply, RequestedCall
from appeval_pipeline.agents.protocol import JsonObject

PAY = Tool(
    "pay",
    "Pay somebody.",
    {
        "type": "object",
        "properties": {
            "to": {"type": "string", "pattern": "^[a-z]+$", "description": "Whom."},
            "coins": {"type": "number", "minimum": 1},
            "notes": {"type": "array", "items": {"type": "string", "maxLength": 9}},
            "secret": {"type": "string", "minLength": 600},
        },
        "required": ["to"],
        "additionalProperties": False,
    },
)
BRIEFING = Briefing("Be kind.", "Pay bob.", (PAY,))


class Said:
    """A model that says what it is told to, and notes what it was asked."""

    name = "said"

    def __init__(self, *replies: ModelReply) -> None:
        self.left = list(replies)
        self.conversations: list[list[Message]] = []
        self.asked: list[tuple[tuple[Tool, ...], JsonObject | None, int | None]] = []

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: JsonObject | None = None,
        seed: int | None = None,
    ) -> ModelReply:
        self.conversations.append(list(messages))
        self.asked.append((tuple(tools), schema, seed))
        return self.left.pop(0)


class Counter:
    """Answers each call with how many there were; a reply is answered by the user, and ``done`` ends it."""

    def __init__(self) -> None:
        self.actions: list[ToolCall | Reply] = []

    async def start(self) -> Briefing:
        return BRIEFING

    async def step(self, action: ToolCall | Reply) -> Observation:
        self.actions.append(action)
        if isinstance(action, Reply):
            return Observation("And then?", done=action.content == "done")
        return Observation(f"call {len(self.actions)}")

    async def reward(self) -> Reward:
        return Reward(1.0)


def says(text: str = "", *calls: RequestedCall, reason: str = "stop") -> ModelReply:
    return ModelReply(text, calls, Usage(10, 1, 0.5), reason)


def calls(name: str, arguments: str, call_id: str = "a") -> RequestedCall:
    return RequestedCall(call_id, name, arguments)


DONE = says("done")
SAY_DONE = says('{"name": "respond", "arguments": {"content": "done"}}')


def play(model: Said, mode: Mode = "tools", tries: int = 5) -> tuple[Trajectory, Counter]:
    environment = Counter()
    limits = Limits(max_invalid_actions=tries)
    return asyncio.run(run_episode(LlmAgent(model, mode), environment, limits, seed=42)), environment


def first_action(reply: ModelReply, mode: Mode = "tools") -> object:
    trajectory, _ = play(Said(reply), mode, tries=0)
    return trajectory.steps[0].exchange.action


def test_a_call_and_what_came_of_it_are_in_the_conversation() -> None:
    model = Said(says("", calls("pay", '{"to": "bob"}')), says("Paid."), DONE)
    trajectory, environment = play(model)
    assert environment.actions == [ToolCall("pay", {"to": "bob"}), Reply("Paid."), Reply("done")]
    assert (trajectory.end, trajectory.agent_usage) == ("done", Usage(30, 3, 1.5))
    assert model.asked == [((PAY,), None, 42)] * 3
    assert model.conversations[-1] == [
        Message("system", "Be kind."),
        Message("user", "Pay bob."),
        Message("assistant", "", calls=(calls("pay", '{"to": "bob"}'),)),
        Message("tool", "call 1", answers="a"),
        Message("assistant", "Paid."),
        Message("user", "And then?"),
    ]


def test_of_several_calls_the_first_is_carried_out_and_the_only_one_that_is_kept() -> None:
    model = Said(says("Both", calls("pay", "{}", "a"), calls("look", "{}", "b")), DONE)
    _, environment = play(model)
    assert environment.actions[0] == ToolCall("pay", {})
    assert model.conversations[1][2:] == [
        Message("assistant", "Both", calls=(calls("pay", "{}"),)),
        Message("tool", "call 1", answers="a"),
    ]


def test_an_unknown_tool_is_for_the_environment_to_refuse() -> None:
    assert first_action(says("", calls("fly", '{"high": true}'))) == ToolCall("fly", {"high": True})


def test_no_arguments_are_empty_ones() -> None:
    assert first_action(says("", calls("pay", " "))) == ToolCall("pay", {})


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ('{"to": ', "it is no JSON: Expecting value at character 8"),
        ("[1]", "it is a list; expected a JSON object"),
        ('"bob"', "it is a text"),
        ("null", "it is null"),
        ("true", "it is a truth value"),
        ('{"coins": NaN}', "it is no JSON: NaN is no JSON number"),
        ('{"coins": 1e999}', "a number that is too large"),
        ('{"coins": 1' + "0" * 400 + "}", "a number that is too large"),
        ('{"coins": ' + "9" * 5000 + "}", "it is no JSON: Exceeds the limit"),
        ('{"to": "\\ud800"}', "half of a surrogate pair"),
        ('{"\\udfff": 1}', "half of a surrogate pair"),
        ('{"a":' * 51 + "1" + "}" * 51, "nested too deep; expected at most 50"),
        ("[" * 90_000, "nested too deep"),
        (
            '{"a": "' + "x" * 100_000 + '"}',
            "it has 100,009 characters; expected a JSON object of at most 100,000",
        ),
    ],
)
def test_arguments_that_cannot_be_used_are_no_action(arguments: str, reason: str) -> None:
    action = first_action(says("", calls("pay", arguments)))
    assert isinstance(action, InvalidAction)
    assert action.reason.startswith("The arguments of pay cannot be used: ")
    assert reason in action.reason
    assert len(action.raw) <= 2_100


def test_what_is_deep_but_not_too_deep_is_taken() -> None:
    assert isinstance(first_action(says("", calls("pay", '{"a":' * 50 + "1" + "}" * 50))), ToolCall)


@given(st.text(max_size=50) | st.binary(max_size=50).map(lambda raw: raw.decode(errors="replace")))
def test_any_text_is_an_object_or_refused(text: str) -> None:
    with suppress(NotAnObjectError):
        assert read_object(text) == json.loads(text)


def test_a_deep_text_is_refused_whatever_the_stack_has_left() -> None:
    def sink(depth: int) -> None:
        if depth:
            sink(depth - 1)
        else:
            with pytest.raises(NotAnObjectError):
                read_object('{"a":' * 60 + "1" + "}" * 60)

    sink(sys.getrecursionlimit() - 200 - len_of_stack())


def len_of_stack() -> int:
    frame, count = sys._getframe(), 0
    while frame.f_back is not None:
        frame, count = frame.f_back, count + 1
    return count


def test_a_model_is_told_why_its_call_was_none_and_tries_again() -> None:
    model = Said(says("Hm", calls("pay", "{to: bob}")), says("", calls("pay", '{"to": "bob"}', "b")), DONE)
    trajectory, environment = play(model)
    assert environment.actions[0] == ToolCall("pay", {"to": "bob"})
    assert [step.exchange.observation.error_kind for step in trajectory.steps] == [
        "invalid_action",
        None,
        None,
    ]
    said, told = model.conversations[1][2:]
    # Services refuse a conversation with arguments that are no JSON.
    assert said == Message("assistant", "Hm", calls=(calls("pay", "{}"),))
    assert (told.role, told.answers) == ("tool", "a")
    assert told.content.startswith(
        "The arguments of pay cannot be used: it is no JSON: Expecting property name"
    )


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (says(""), "The answer was empty: call a tool, or say something."),
        (says(" \n"), "The answer was empty: call a tool, or say something."),
        (says("I think", reason="length"), "The answer was too long and was cut off; answer more briefly."),
        (
            says("", calls("pay", '{"to": "bo', "a"), reason="length"),
            "The answer was too long and was cut off; answer more briefly.",
        ),
        (says("", calls("", "{}")), "'' is no name of a tool."),
        (says("", calls("pay bob!", "{}")), "'pay bob!' is no name of a tool."),
        (says("x" * 100_001), "The answer is too long; expected at most 100,000 characters."),
    ],
)
def test_what_is_no_action_is_told_as_text(reply: ModelReply, reason: str) -> None:
    model = Said(reply, DONE)
    trajectory, environment = play(model)
    assert environment.actions == [Reply("done")]
    assert trajectory.steps[0].exchange.observation.error == reason
    said, told = model.conversations[1][2:]
    assert (said.role, said.calls, told) == ("assistant", (), Message("user", reason))
    assert 0 < len(said.content) <= 2_100


def test_an_agent_begins_anew_with_each_episode() -> None:
    model = Said(DONE, DONE)
    agent = LlmAgent(model)
    for seed in (1, 2):
        asyncio.run(run_episode(agent, Counter(), seed=seed))
    assert [len(conversation) for conversation in model.conversations] == [2, 2]
    assert [seed for _, _, seed in model.asked] == [1, 2]


def test_the_agent_and_the_model_keep_their_protocols() -> None:
    assert isinstance(LlmAgent(Said()), Agent)
    assert isinstance(Said(), Model)


def test_in_schema_mode_an_action_is_text() -> None:
    pay = '{"name": "pay", "arguments": {"to": "bob"}}'
    model = Said(says(pay), says('{"name": "respond", "arguments": {"content": "Paid."}}'), SAY_DONE)
    _, environment = play(model, "schema")
    assert environment.actions == [ToolCall("pay", {"to": "bob"}), Reply("Paid."), Reply("done")]
    assert model.conversations[-1][2:] == [
        Message("assistant", pay),
        Message("user", "pay answered: call 1"),
        Message("assistant", '{"name": "respond", "arguments": {"content": "Paid."}}'),
        Message("user", "And then?"),
    ]
    system = model.conversations[0][0].content
    assert system.startswith("Be kind.\n")
    assert '"pattern": "^[a-z]+$"' in system
    assert [(tools, seed) for tools, _, seed in model.asked] == [((), 42)] * 3
    assert model.asked[0][1] == action_schema((PAY,))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Sure!", "The answer cannot be used: it is no JSON: Expecting value at character 1."),
        ("[]", "The answer cannot be used: it is a list; expected a JSON object."),
        ('{"arguments": {}}', "The answer names no tool."),
        ('{"name": "pay", "arguments": 3}', "The answer names no tool."),
        (
            '{"name": "respond", "arguments": {"content": " "}}',
            "Nothing was said: expected a text as content.",
        ),
        ("", "The answer cannot be used: it is no JSON: Expecting value at character 1."),
    ],
)
def test_in_schema_mode_too_a_model_is_told_what_was_wrong(text: str, reason: str) -> None:
    model = Said(says(text), SAY_DONE)
    trajectory, _ = play(model, "schema")
    assert trajectory.steps[0].exchange.observation.error == reason
    told = model.conversations[1][-1]
    assert told.content == f'{reason} Expected one JSON object: {{"name": "…", "arguments": {{…}}}}.'
    assert trajectory.end == "done"


def test_in_schema_mode_a_cut_answer_is_no_action() -> None:
    action = first_action(says('{"name": "pay"', reason="length"), "schema")
    assert action == InvalidAction(
        "The answer was too long and was cut off; answer more briefly.", '{"name": "pay"'
    )


@pytest.mark.parametrize(
    ("action", "valid"),
    [
        ({"name": "pay", "arguments": {"to": "bob", "coins": 2, "notes": ["a"]}}, True),
        ({"name": "respond", "arguments": {"content": "Hello"}}, True),
        ({"name": "pay", "arguments": {}}, False),
        ({"name": "pay", "arguments": {"to": "b" * 501}}, False),
        ({"name": "pay", "arguments": {"to": "b", "notes": ["0123456789"]}}, False),
        ({"name": "pay", "arguments": {"to": "b", "notes": ["a"] * 21}}, False),
        ({"name": "pay", "arguments": {"to": "b", "secret": "s" * 600}}, True),
        ({"name": "pay", "arguments": {"to": "b", "coins": 0}}, False),
        ({"name": "fly", "arguments": {}}, False),
        ({"name": "respond", "arguments": {"content": "x" * 501}}, False),
    ],
)
def test_the_schema_takes_actions_of_bounded_length(action: dict[str, Any], valid: bool) -> None:
    schema = dict(action_schema((PAY,)))
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid(action) == valid
    assert "pattern" not in json.dumps(schema)


def test_a_tool_of_the_name_keeps_it() -> None:
    tools = (Tool("respond", "", {"type": "object"}), Tool("respond_", "", {"type": "object"}))
    assert respond_name(tools) == "respond__"
