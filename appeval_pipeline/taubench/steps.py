"""What an agent did in a trial, step by step, from the messages of a results file: it has nothing else.

Messages are not trusted. What cannot be read as an action is one that is invalid, as it would be in a trial.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError

from appeval_pipeline.agents import InvalidAction, Reply, ToolCall
from appeval_pipeline.agents.protocol import JsonObject
from appeval_pipeline.taubench.arguments import nest_too_deeply
from appeval_pipeline.taubench.environment import said_by
from appeval_pipeline.taubench.json_list import with_whole_characters

SaidAction: TypeAlias = ToolCall | Reply | InvalidAction

INVALID_ACTION: Final = "invalid_action"
"""The key under which our own messages tell why one was no action: nobody was told its content."""
_WRITTEN_ACTION: Final = re.compile(r"^\s*Action:", re.MULTILINE)
_API_OUTPUT: Final = "API output: "
"""How tau-bench's text agents are told what a tool said."""


@dataclass(frozen=True, slots=True)
class TauStep:
    """An action of the agent's with its answer.

    Attributes:
        index: From 0; steps count as in `TauResult.turns`.
        action: A tool call, something said to the user, or what could not be read.
        answer: What the tool or the user said; None where nothing follows.
    """

    index: int
    action: SaidAction
    answer: str | None


class _Function(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    name: str
    arguments: str | dict[str, Any] = "{}"


class _Call(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    function: _Function


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    role: str
    content: str | None = None
    tool_calls: list[_Call] | None = None
    invalid_action: str | None = None


def read_steps(messages: Sequence[JsonObject]) -> tuple[TauStep, ...]:
    """The actions of the assistant, each with the message that answers it.

    Tool calls are read in the form of function calling APIs, and as tau-bench's text agents write them: JSON
    of ``name`` and ``arguments`` after ``Action:``. Of several calls in a message tau-bench carries out the
    first. Calls of ``respond`` are replies.

    Args:
        messages: With the keys ``role``, ``content`` and ``tool_calls``, as tau-bench stores them.
    """
    return tuple(_steps(messages))


def _steps(messages: Sequence[JsonObject]) -> Iterator[TauStep]:
    index = 0
    for place, message in enumerate(messages):
        if message.get("role") == "assistant":
            action = _action(message)
            yield TauStep(index, action, _answer(messages[place + 1 :], action))
            index += 1


def _action(raw: JsonObject) -> SaidAction:
    try:
        message = _Message.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        return InvalidAction(f"The message cannot be read: {place}: {first['msg']}", _short(raw))
    if message.tool_calls:
        function = message.tool_calls[0].function
        return _call(function.name, function.arguments)
    content = message.content or ""
    if message.invalid_action is not None:
        return InvalidAction(message.invalid_action, content)
    *_, written = _WRITTEN_ACTION.split(content)
    if written == content:
        return Reply(content)
    return _written_call(written) or Reply(written.strip())


def _written_call(text: str) -> SaidAction | None:
    try:
        said = json.loads(with_whole_characters(text))
    except (ValueError, RecursionError):
        return None
    if isinstance(said, dict) and isinstance(said.get("name"), str) and "arguments" in said:
        return _call(said["name"], said["arguments"])
    return None


def _call(name: str, arguments: object) -> SaidAction:
    read = arguments
    if isinstance(arguments, str):
        try:
            read = json.loads(with_whole_characters(arguments))
        except (ValueError, RecursionError):
            return InvalidAction(f"The arguments of {name} are no JSON", arguments)
    if not isinstance(read, Mapping):
        return InvalidAction(f"The arguments of {name} are no JSON object", _short(arguments))
    if nest_too_deeply(read):
        return InvalidAction(f"The arguments of {name} nest too deeply", _short(arguments))
    call = ToolCall(name, read)
    said = said_by(call)
    return call if said is None else Reply(said)


def _answer(following: Sequence[JsonObject], action: SaidAction) -> str | None:
    if not following or following[0].get("role") == "assistant":
        return None
    content = following[0].get("content")
    if not isinstance(content, str):
        return None
    return content.removeprefix(_API_OUTPUT) if isinstance(action, ToolCall) else content


def _short(value: object) -> str:
    return str(value)[:1_000]
