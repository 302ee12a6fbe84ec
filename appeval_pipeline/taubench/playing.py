"""Calls carried out on a fresh database, with what each of them made of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.agents.handing import apart
from appeval_pipeline.taubench.domain import TauDomain
from appeval_pipeline.taubench.records import ABSENT, Changes, Episode, RecordKey, same
from appeval_pipeline.taubench.toolset import Answer


@dataclass(frozen=True, slots=True)
class Written:
    """A record that a call changed: as it was, and as it was then; ABSENT where there was none."""

    key: RecordKey
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Played:
    """A call, carried out.

    Attributes:
        place: Of the call among the expected actions, or of its step in the trial; from 0.
        answer: What the tool said.
        written: What it changed; nothing for most calls.
    """

    place: int
    call: ToolCall
    answer: Answer
    written: tuple[Written, ...] = ()

    @property
    def keys(self) -> frozenset[RecordKey]:
        """The records that it changed."""
        return frozenset(one.key for one in self.written)

    @property
    def targets(self) -> frozenset[RecordKey]:
        """The changed records that it names or makes; all of them if there is none.

        Paying changes the customer's record too, and is no reason to take two orders of hers for one.
        """
        named = self.call.arguments.values()
        meant = frozenset(one.key for one in self.written if one.key.record in named or one.before is ABSENT)
        return meant or self.keys

    def comes_to_the_same_as(self, other: Played) -> bool:
        """Whether both left the same records in the same state."""
        states = {one.key: one.after for one in self.written}
        return self.keys == other.keys and all(same(states[one.key], one.after) for one in other.written)


@dataclass(frozen=True, slots=True)
class Play:
    """Calls in their order, and what they made of the database together."""

    calls: tuple[Played, ...]
    changes: Changes

    @property
    def writes(self) -> tuple[Played, ...]:
        """The calls that changed something."""
        return tuple(call for call in self.calls if call.written)


def play(domain: TauDomain, calls: Iterable[tuple[int, ToolCall]]) -> Play:
    """Carry out calls, each with its place, on the database as an episode begins with it."""
    episode = domain.database.open()
    states: dict[RecordKey, Any] = {}
    played = []
    for place, call in calls:
        answer = domain.toolset.call(episode.data, call)
        written = []
        for key in episode.take_written():
            before = states[key] if key in states else domain.database.record(key)
            states[key] = _state(episode, key)
            written.append(Written(key, before, states[key]))
        played.append(Played(place, call, answer, tuple(written)))
    return Play(tuple(played), episode.changes())


def _state(episode: Episode, key: RecordKey) -> Any:
    table = episode.data[key.table]
    return apart(table[key.record]) if key.record in table else ABSENT
