"""Actions in text: what is read of an answer, and what the model is told; the model is a list of answers."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appeval_pipeline.agents import InvalidAction, Limits, Reply, Tool, ToolCall, Trajectory, run_episode
from appeval_pipeline.agents.llm import LlmAgent, TextStrategy
from appeval_pipeline.agents.models import Message, ModelReply
from appeval_pipeline_tests.agents.test_llm_agent import BRIEFING, Counter, Said, says

REACT, ACT = TextStrategy(thinks=True), TextStrategy(thinks=False)
PAY = '{"name": "pay", "arguments": {"to": "bob"}}'
DONE = says('Action:\n{"name": "respond", "arguments": {"content": "done"}}')


def play(model: Said, strategy: TextStrategy = REACT, tries: int = 5) -> tuple[Trajectory, Counter]:
    environment = Counter()
    limits = Limits(max_invalid_actions=tries)
    return asyncio.run(run_episode(LlmAgent(model, strategy), environment, limits, seed=42)), environment


def read(text: str, reason: str = "stop") -> object:
    return REACT.read(says(text, reason=reason), BRIEFING).action


def test_only_the_action_reaches_the_environment_and_what_came_of_it_goes_back_as_text() -> None:
    thought = f"Thought:\nBob has no money. Action: pay him.\nAction:\n{PAY}"
    model = Said(says(thought), says('Action: {"name": "respond", "arguments": {"content": "Paid."}}'), DONE)
    trajectory, environment = play(model)
    assert environment.actions == [ToolCall("pay", {"to": "bob"}), Reply("Paid."), Reply("done")]
    assert trajectory.end == "done"
    assert model.asked == [((), None, 42)] * 3
    assert model.conversations[-1][1:] == [
        Message("user", "Pay bob."),
        Message("assistant", thought),
        Message("user", "pay answered: call 1"),
        Message("assistant", 'Action: {"name": "respond", "arguments": {"content": "Paid."}}'),
        Message("user", "And then?"),
    ]


def test_the_model_is_told_policy_tools_and_form() -> None:
    told = REACT.system(BRIEFING)
    assert told.startswith("Be kind.\n")
    assert '{"name": "pay", "description": "Pay somebody.", "parameters": {' in told
    assert "Thought:" in told
    assert '"respond"' in told
    assert "Thought" not in ACT.system(BRIEFING)
    assert "Action:" in ACT.system(BRIEFING)


@pytest.mark.parametrize(
    "text",
    [
        f"Thought: x\nAction:\n{PAY}",
        f"Thought: so be it. Action: {PAY}",
        f"Action:{PAY}\n",
        PAY,
        f"Thought:\nFirst Action: none.\n  Action:\n```json\n{PAY}\n```",
        f"```\n{PAY}\n```",
        f"Action:\nno, wait.\nAction:\n{PAY}",
    ],
)
def test_an_action_is_found_behind_its_label(text: str) -> None:
    assert read(text) == ToolCall("pay", {"to": "bob"})


def test_a_label_within_what_is_said_is_none() -> None:
    said = {"name": "respond", "arguments": {"content": "Action: pay.\nAction: {go}"}}
    assert read(f"Action: {json.dumps(said)}") == Reply("Action: pay.\nAction: {go}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I shall pay bob.", "it is no JSON"),
        ("Thought: I shall.\nAction: pay bob", "it is no JSON"),
        (f"Action: {PAY}\nAPI answered: paid", "it is no JSON: Extra data"),
        ('Action: {"name": "pay"', "it is no JSON"),
        ('Action: {"arguments": {}}', "names no tool"),
        ('Action: {"name": "pay", "arguments": [1]}', "names no tool"),
        ('Action: {"name": "respond", "arguments": {"content": " "}}', "Nothing was said"),
        ("Action: [" * 9_000, "it is no JSON"),
        ("Action: " + "[" * 90_000, "nested too deep"),
        (" " * 100_001, "too long"),
        ("", "it is no JSON"),
    ],
)
def test_what_cannot_be_read_is_no_action(text: str, reason: str) -> None:
    action = read(text)
    assert isinstance(action, InvalidAction)
    assert reason in action.reason
    assert len(action.raw) <= 2_100


def test_an_answer_that_was_cut_off_is_no_action() -> None:
    assert isinstance(read(f"Action: {PAY}", "length"), InvalidAction)


def test_a_model_is_told_why_its_answer_was_none_and_tries_again() -> None:
    model = Said(says("Bob?"), DONE)
    trajectory, _ = play(model)
    assert trajectory.end == "done"
    said, told = model.conversations[1][2:]
    assert said == Message("assistant", "Bob?")
    assert told.content == (
        "The answer cannot be used: it is no JSON: Expecting value at character 1. "
        "Expected a Thought, then an Action that is one JSON object."
    )
    assert play(Said(says("Bob?")), tries=0)[0].end == "invalid_action"


def test_where_a_tool_is_called_respond_something_is_said_by_another_name() -> None:
    briefing = BRIEFING.__class__("", "", (Tool("respond", "", {"type": "object"}),))
    assert '"respond_"' in ACT.system(briefing)
    said = ModelReply('Action: {"name": "respond_", "arguments": {"content": "Hello"}}')
    assert ACT.read(said, briefing).action == Reply("Hello")


@given(st.text(alphabet='Action: \n`{}[]"nme', max_size=60))
def test_any_text_is_an_action_or_none(text: str) -> None:
    assert isinstance(read(text), ToolCall | Reply | InvalidAction)
