"""What FastWorkflow does in a conversation, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from appeval_pipeline.agents import (
    Briefing,
    InvalidAction,
    Limits,
    Observation,
    Reply,
    Reward,
    Tool,
    ToolCall,
    Trajectory,
    run_episode,
)
from appeval_pipeline.agents.fastworkflow import FastWorkflowAgent
from appeval_pipeline.agents.models import Message, Model, ModelReply
from appeval_pipeline.errors import ModelError
from appeval_pipeline_tests.fastworkflow.knowing_model import USAGE, Ask, KnowingModel, Raw, Turn

pytestmark = pytest.mark.fastworkflow


def tool(name: str, required: Sequence[str] = (), **properties: Mapping[str, Any]) -> Tool:
    return Tool(
        name, f"Does {name}.", {"type": "object", "properties": properties, "required": list(required)}
    )


LOOK = tool("look", ["place"], place={"type": "string", "description": "Where"})
MOVE = tool("move")


@dataclass
class Conversation:
    """Answers calls with their number, and replies with what the user says, until nothing is left to say."""

    says: Sequence[str] = ("Look around.",)
    tools: tuple[Tool, ...] = (LOOK, MOVE)
    done: list[ToolCall] = field(default_factory=list)
    heard: list[str] = field(default_factory=list)

    async def start(self) -> Briefing:
        return Briefing("Be polite.", self.says[0], self.tools)

    async def step(self, action: ToolCall | Reply) -> Observation:
        if isinstance(action, ToolCall):
            self.done.append(action)
            return Observation(f"Result {len(self.done)}")
        self.heard.append(action.content)
        over = len(self.heard) == len(self.says)
        return Observation("" if over else self.says[len(self.heard)], done=over)

    async def reward(self) -> Reward:
        return Reward(1.0)


GENEROUS = Limits(max_steps=100)


def converse(model: Model, conversation: Conversation, limits: Limits = GENEROUS) -> Trajectory:
    return asyncio.run(run_episode(FastWorkflowAgent(model), conversation, limits))


@pytest.fixture(autouse=True)
def _leaves_no_thread() -> Iterator[None]:
    yield
    assert_no_thread_is_left()


def assert_no_thread_is_left() -> None:
    deadline = time.monotonic() + 20
    while any(thread.name == "appeval-fastworkflow" for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "A thread is left behind"
        time.sleep(0.01)


def look(place: str = "here") -> ToolCall:
    return ToolCall("look", {"place": place})


def test_it_hears_the_policy_the_user_and_what_came_of_its_calls() -> None:
    model = KnowingModel([Turn((look(), look("there")), "There is a door.")])
    conversation = Conversation()
    trajectory = converse(model, conversation)
    assert (trajectory.end, trajectory.error) == ("done", None)
    assert conversation.done == [look(), look("there")]
    assert conversation.heard == ["There is a door."]
    assert all(system.startswith("Be polite.\n") for system, _ in model.prompts)
    assert "Look around." in model.prompts[0][1]
    assert "Result 1" in model.prompts[2][1]
    assert "Result 2" in model.prompts[3][1]
    # Each action carries what was asked before it: a plan first, the answer and a summary last.
    assert [step.usage.prompt_tokens for step in trajectory.steps] == [200, 100, 300]
    assert trajectory.agent_usage.prompt_tokens == USAGE.prompt_tokens * len(model.prompts)
    assert trajectory.agent_usage.cost_usd == pytest.approx(0.01 * len(model.prompts))


def test_a_question_to_the_user_is_answered_and_the_turn_goes_on() -> None:
    model = KnowingModel([Turn((Ask("Which way?"), look("left")), "Done there.")])
    conversation = Conversation(says=["Look.", "To the left"])
    converse(model, conversation)
    assert conversation.heard == ["Which way?", "Done there."]
    assert conversation.done == [look("left")]
    assert any("To the left" in asked for _, asked in model.prompts)


def test_turns_of_one_conversation_may_have_more_calls_together_than_one_turn_may() -> None:
    # One turn ends after 25 steps; FastWorkflow itself goes on counting in the next.
    model = KnowingModel([Turn((look(),) * 20, f"Answer {number}") for number in range(3)])
    conversation = Conversation(says=["One", "Two", "Three"])
    converse(model, conversation)
    assert conversation.heard == ["Answer 0", "Answer 1", "Answer 2"]
    assert len(conversation.done) == 60


def test_a_message_that_begins_with_a_slash_goes_to_the_agent_too() -> None:
    conversation = Conversation(says=["/move"])
    converse(KnowingModel([Turn((look(),))]), conversation)
    assert conversation.done == [look()]


def test_a_command_that_there_is_not_is_cleared_up_with_the_names_that_there_are() -> None:
    model = KnowingModel([Turn((Raw("frobnicate <x>1</x>"), ToolCall("move", {})))])
    conversation = Conversation()
    trajectory = converse(model, conversation)
    assert trajectory.error is None
    assert conversation.done == [ToolCall("move", {})]
    assert any("enter its command name" in asked and "\nlook\n" in asked for _, asked in model.prompts)


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, "5", "5"),
        ({"type": "integer"}, "5", 5),
        ({"type": "number"}, "5", 5),
        ({"type": "number"}, "5.5", 5.5),
        ({"type": "boolean"}, "true", True),
        ({"type": "array", "items": {"type": "string"}}, '["a", "b"]', ["a", "b"]),
        ({"type": "array", "items": {"type": "object"}}, '[{"a": 1}]', [{"a": 1}]),
        ({"type": "array"}, '[1, "a", null]', [1, "a", None]),
        ({"type": "object"}, '{"a": {"b": 1}}', {"a": {"b": 1}}),
        ({"type": "string", "enum": ["no (longer)", "mistake"]}, "no (longer)", "no (longer)"),
        ({}, "[1, 2]", [1, 2]),
        ({}, "as it is", "as it is"),
    ],
)
def test_values_arrive_with_the_types_of_the_schema(
    schema: Mapping[str, Any], text: str, value: object
) -> None:
    conversation = Conversation(tools=(tool("put", ["value"], value=schema),))
    converse(KnowingModel([Turn((Raw(f"put <value>{text}</value>"),))]), conversation)
    assert conversation.done == [ToolCall("put", {"value": value})]
    assert type(conversation.done[0].arguments["value"]) is type(value)


def test_a_value_that_is_none_of_the_choices_is_refused_by_fastworkflow() -> None:
    choice = {"type": "string", "enum": ["red", "blue"]}
    model = KnowingModel([Turn((Raw("paint <colour>green</colour>"),))])
    conversation = Conversation(tools=(tool("paint", ["colour"], colour=choice),))
    converse(model, conversation)
    assert conversation.done == []
    assert any("Invalid parameter values" in asked for _, asked in model.prompts)


def test_optional_values_that_are_not_given_are_left_out() -> None:
    put = tool("put", ["value"], value={"type": "string"}, note={"type": "string"})
    conversation = Conversation(tools=(put,))
    # With a value missing, FastWorkflow has the model read the command.
    converse(KnowingModel([Turn((ToolCall("put", {"value": "a"}),))]), conversation)
    assert conversation.done == [ToolCall("put", {"value": "a"})]


def test_an_answer_that_cannot_be_read_is_no_action() -> None:
    class Babbling(KnowingModel):
        def answer(self, system: str, asked: str) -> str:
            return "Well, well."

    trajectory = converse(Babbling([]), Conversation())
    assert trajectory.end == "invalid_action"
    action = trajectory.steps[-1].exchange.action
    assert isinstance(action, InvalidAction)
    assert "Well, well." in action.raw


def test_what_the_model_cannot_answer_breaks_the_trial_down() -> None:
    class Unreachable(KnowingModel):
        async def complete(self, messages: Sequence[Message], **_: Any) -> ModelReply:
            raise ModelError("knowing", "connection refused", 4)

    trajectory = converse(Unreachable([]), Conversation())
    assert (trajectory.end, trajectory.reward) == ("infra_error", None)
    assert trajectory.error is not None
    assert "connection refused" in trajectory.error


def test_a_time_limit_cuts_off_a_question_to_the_model() -> None:
    class Slow(KnowingModel):
        async def complete(self, messages: Sequence[Message], **_: Any) -> ModelReply:
            await asyncio.sleep(60)
            raise AssertionError

    converse(KnowingModel([Turn((look(),))]), Conversation())  # loaded by now
    began = time.monotonic()
    trajectory = converse(Slow([]), Conversation(), Limits(max_time_s=0.2))
    assert trajectory.end == "time_limit"
    assert time.monotonic() - began < 20


def test_a_step_limit_ends_the_thread() -> None:
    trajectory = converse(KnowingModel([Turn((look(),) * 9)]), Conversation(), Limits(max_steps=3))
    assert (trajectory.end, len(trajectory.steps)) == ("max_steps", 3)


def test_conversations_at_the_same_time_do_not_mix() -> None:
    numbers = range(8)
    others = (tool("look", ["place"], place={"type": "integer"}),)
    conversations = [Conversation(tools=others if number % 2 else (LOOK, MOVE)) for number in numbers]

    def places(number: int) -> list[object]:
        return [number * 10 + step if number % 2 else f"{number}.{step}" for step in range(5)]

    async def run() -> list[Trajectory]:
        agents = [
            FastWorkflowAgent(
                KnowingModel([Turn(tuple(ToolCall("look", {"place": place}) for place in places(number)))])
            )
            for number in numbers
        ]
        pairs = zip(agents, conversations, strict=True)
        return await asyncio.gather(*(run_episode(agent, other) for agent, other in pairs))

    for trajectory in asyncio.run(run()):
        assert trajectory.error is None
    for number, conversation in zip(numbers, conversations, strict=True):
        assert [call.arguments["place"] for call in conversation.done] == places(number)


def test_an_agent_that_begins_again_leaves_the_first_episode() -> None:
    async def run() -> None:
        agent = FastWorkflowAgent(KnowingModel([Turn((look(), look("again")))]))
        for _ in range(2):
            await agent.start(Briefing("", "Look.", (LOOK,)), 0)
            turn = await agent.act(())
            assert isinstance(turn.action, ToolCall)
        agent.end()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("unusable", "why"),
    [
        (tool("Get-User"), "'Get-User' (expected a name of small letters"),
        (tool("go_up"), "'go_up' (FastWorkflow has a command of that name)"),
        (tool("put", **{"a b": {}}), "'put' (its parameter 'a b' cannot be a tag)"),
    ],
)
def test_a_tool_that_cannot_be_a_command_is_named_and_the_trial_has_no_reward(
    unusable: Tool, why: str
) -> None:
    trajectory = converse(KnowingModel([]), Conversation(tools=(LOOK, unusable)))
    assert (trajectory.end, trajectory.reward) == ("infra_error", None)
    assert trajectory.error is not None
    assert why in trajectory.error


def test_logging_and_the_console_stay_as_they_are(capfd: pytest.CaptureFixture[str]) -> None:
    before = logging.getLogger().level, list(logging.getLogger().handlers), logging.getLogRecordFactory()
    model = KnowingModel([Turn((ToolCall("look", {"place": ""}),))], extracts=False)
    converse(model, Conversation())
    root = logging.getLogger()
    assert (root.level, list(root.handlers), logging.getLogRecordFactory()) == before
    assert logging.getLogRecordFactory() is logging.LogRecord
    assert capfd.readouterr().out == ""
