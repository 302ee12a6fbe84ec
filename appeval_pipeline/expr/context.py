"""Where ids, the clock and access rights come from: passed in, seeded and frozen by default."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

FROZEN_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""What the clock shows in every evaluation."""


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Access:
    """What an agent may be admitted by: its role, and its role tags."""

    role: str | None = None
    role_tags: frozenset[str] = frozenset()

    @classmethod
    def of(cls, role: str | None = None, role_tags: Iterable[str] = ()) -> Access:
        return cls(role, frozenset(role_tags))


def wall_clock() -> datetime:
    """The real time, for interactive use."""
    return datetime.now(UTC)


class ExecutionContext:
    """The chance, clock and rights of a run of actions.

    Args:
        seed: Where the ids come from. One context hands out one sequence of ids: contexts of the same
            seed hand out the same.
        clock: A fixed time, or a function that tells it (`wall_clock`). Frozen by default.
        roles: What each agent may be admitted by, by agent id: an `Access`, or the name of a role.
    """

    __slots__ = ("_bits", "_frozen", "clock", "roles", "seed")

    def __init__(
        self,
        seed: int = 0,
        clock: datetime | Callable[[], datetime] = FROZEN_AT,
        roles: Mapping[str, Access | str] | None = None,
    ) -> None:
        self.seed = seed
        self.clock = clock
        self.roles = {
            agent: Access(role) if isinstance(role, str) else role for agent, role in (roles or {}).items()
        }
        self._bits = random.Random(seed).getrandbits
        self._frozen = iso_timestamp(clock) if isinstance(clock, datetime) else None

    def next_id(self) -> str:
        """The next id: 16 hexadecimal digits."""
        return f"{self._bits(64):016x}"

    def time(self) -> datetime:
        clock = self.clock
        moment = clock if isinstance(clock, datetime) else clock()
        # A time without a zone is UTC: the machine's zone must not show.
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)

    def timestamp(self) -> str:
        """The time in ISO 8601, UTC, to the millisecond."""
        return self._frozen or iso_timestamp(self.time())

    def now(self) -> int:
        """The time in milliseconds since 1970."""
        return (self.time() - _EPOCH) // timedelta(milliseconds=1)


def iso_timestamp(moment: datetime) -> str:
    """``moment`` as ``2026-01-01T00:00:00.000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
