"""What a model is to whoever asks it: messages in, an answer out, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypeAlias, runtime_checkable

from appeval_pipeline.agents.protocol import JsonObject, Tool, Usage

UNREADABLE: Final = "unreadable"
"""Why an answer ended whose calls could not be read at all; nothing else is known of it."""

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A call of a tool that a model asks for.

    Attributes:
        id: By which the tool's answer refers to it.
        name: Of the tool; there need be none of that name.
        arguments: What the model wrote; it need not be JSON.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """A part of a conversation.

    Attributes:
        calls: What an ``assistant`` asked for.
        answers: For a ``tool``, the id of the call that it answers.
    """

    role: Role
    content: str
    calls: tuple[RequestedCall, ...] = ()
    answers: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The message as chat completion APIs take it."""
        message: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            message["content"] = self.content or None
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in self.calls
            ]
        if self.answers is not None:
            message["tool_call_id"] = self.answers
        return message


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said.

    Attributes:
        content: Text; empty if there is none.
        tool_calls: In the order in which the model gave them.
        usage: Tokens and cost of this answer; what failed tries took is not told.
        finish_reason: ``stop``, ``tool_calls``, ``length`` (the answer was cut), ``unreadable`` or another.
    """

    content: str = ""
    tool_calls: tuple[RequestedCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None


@runtime_checkable
class Model(Protocol):
    """Whoever answers; one model may be asked by many episodes at once."""

    name: str

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: JsonObject | None = None,
        seed: int | None = None,
    ) -> ModelReply:
        """Continue a conversation.

        Args:
            tools: What the model may call.
            schema: A JSON Schema that the text of the answer has to keep.
            seed: For services that take one.

        Raises:
            ModelError: There was no answer.
        """
