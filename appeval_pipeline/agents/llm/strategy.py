"""What differs between ways of asking a model for an action: how a prompt is made, and an answer read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from appeval_pipeline.agents.llm.arguments import MOST_CHARACTERS
from appeval_pipeline.agents.models import Message, ModelReply
from appeval_pipeline.agents.protocol import (
    Action,
    Briefing,
    InvalidAction,
    JsonObject,
    Observation,
    Reply,
    Tool,
)


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked with, beside the conversation: tools it may call, or a schema it has to keep."""

    tools: tuple[Tool, ...] = ()
    schema: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as an action, and as the conversation keeps it."""

    action: Action
    said: Message


class Strategy(Protocol):
    """A way of asking; without state, so that one serves many episodes."""

    def system(self, briefing: Briefing) -> str:
        """What the model is told about its part."""

    def question(self, briefing: Briefing) -> Question:
        """What it is asked with, at each turn."""

    def read(self, reply: ModelReply, briefing: Briefing) -> Reading:
        """Which action it wants; an answer that is none becomes an ``InvalidAction``."""

    def tell(self, said: Message, action: Action, observation: Observation) -> Message:
        """What came of it, as the model is told."""


def read_text(reply: ModelReply) -> Reading:
    """An answer without any call: something said, unless it is empty or beyond all measure."""
    if len(reply.content) > MOST_CHARACTERS:
        return refused(
            f"The answer is too long; expected at most {MOST_CHARACTERS:,} characters.", reply.content
        )
    if not reply.content.strip():
        return refused("The answer was empty: call a tool, or say something.", reply.content)
    return Reading(Reply(reply.content), Message("assistant", reply.content))


def refused(reason: str, raw: str, said: Message | None = None) -> Reading:
    """An answer that is no action.

    Args:
        said: How the conversation keeps it; as text if it is not given. It is never empty there, for services
            refuse empty messages.
    """
    kept = excerpt(raw)
    return Reading(InvalidAction(reason, kept), said or Message("assistant", kept or "(no answer)"))


CUT: Final = "The answer was too long and was cut off; answer more briefly."
"""Why an answer that ended before its end is no action: the rest may turn its meaning."""

LONGEST_RAW: Final = 2_000
"""Characters of an answer that is no action that are kept."""


def excerpt(raw: str) -> str:
    """The text, or how it begins and how long it is."""
    if len(raw) <= LONGEST_RAW:
        return raw
    return f"{raw[:LONGEST_RAW]}… ({len(raw):,} characters)"
