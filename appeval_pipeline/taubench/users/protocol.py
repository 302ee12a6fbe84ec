"""Who the agent talks to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from appeval_pipeline.agents import Usage

STOP: Final = "###STOP###"
"""What a user says when there is nothing more to want; tau-bench ends an episode on it wherever it stands."""


@dataclass(frozen=True, slots=True)
class UserReply:
    """What a user says.

    Attributes:
        done: Whether that ends the episode.
        usage: What it took of a model.
    """

    content: str
    done: bool = False
    usage: Usage = field(default_factory=Usage)


@runtime_checkable
class User(Protocol):
    """A user with a wish; one is used for one episode."""

    async def start(self, instruction: str) -> UserReply:
        """Say the first thing, knowing the instruction; ``done`` has no meaning here."""

    async def reply(self, agent_says: str) -> UserReply:
        """Answer the agent."""
