"""The limits of the language: page-long proof against definitions written by strangers.

Sizes are of compact JSON in UTF-8 bytes (state) or in characters (strings); 1 MB is 1,000,000.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

MAX_EXPRESSION_LENGTH: Final = 10_000
MAX_EXPRESSION_NESTING: Final = 64
MAX_BLOCK_NESTING: Final = 10
MAX_LOGIC_LENGTH: Final = 200_000
"""Characters of all expressions and texts of a definition."""
MAX_LOGIC_WORK: Final = 8_000
"""Blocks and operations of a definition: compiling one takes 40 µs and 16 kB."""
MAX_LOOP_ITERATIONS: Final = 1_000
MAX_WORK: Final = 1_000_000
MAX_ACTION_SECONDS: Final = 5.0
MAX_STATE_BYTES: Final = 1_000_000
MAX_OBSERVATIONS: Final = 100
MAX_STRING_LENGTH: Final = 1_000_000
MAX_ARRAY_LENGTH: Final = 100_000
MAX_VALUE_DEPTH: Final = 64
"""Levels of a value that an action makes."""
MAX_INPUT_DEPTH: Final = 200
"""Levels of a value that is handed in; greater than whatever actions can build."""
MAX_INPUT_CHARACTERS: Final = 4_000_000
"""Characters of all texts in a value that is handed in."""
MAX_INPUT_VALUES: Final = 500_000
"""Values in a value that is handed in: what a state of 1 MB may hold."""
TEXT_UNIT: Final = 64
"""Characters or elements that are looked through for one unit of work."""
MAX_NUMBER: Final = 2**63
"""Integers lie within ±2^63, both ends included."""

_CLOCK_INTERVAL: Final = 10_000


class LimitExceeded(Exception):
    """Work went beyond a limit. ``deterministic`` is False for the wall clock alone."""

    def __init__(self, message: str, *, deterministic: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.deterministic = deterministic


class Meter:
    """Counts the work of one action; compiled code compares its own count with ``stop``.

    Compiled code keeps its count in a local variable and calls `checkpoint` only when it passes
    ``stop``. Functions whose work grows with their input `charge` it here, which lowers what is left.

    Args:
        clock: Tells the seconds.
    """

    __slots__ = ("_clock", "_deadline", "_limit", "stop")

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # As reset, spelled out: an expression makes a meter each time.
        self._limit = MAX_WORK
        self._deadline = 0.0
        self.stop = _CLOCK_INTERVAL

    def reset(self) -> None:
        """Start again at nothing, for another action."""
        self._limit = MAX_WORK
        self._deadline = 0.0
        self.stop = _CLOCK_INTERVAL

    def checkpoint(self, work: int) -> None:
        """Fail if ``work`` units are too many or the time is over; else set the next stop."""
        if work > self._limit:
            raise LimitExceeded("Action budget exceeded")
        now = self._clock()
        if not self._deadline:
            # Short actions never come here, and so never look at the clock.
            self._deadline = now + MAX_ACTION_SECONDS
        elif now > self._deadline:
            raise LimitExceeded("Action time limit exceeded", deterministic=False)
        self.stop = min(self._limit, work + _CLOCK_INTERVAL)

    def charge(self, units: int) -> None:
        """Take ``units`` off what may still be done."""
        self._limit -= units
        if self._limit < 0:
            raise LimitExceeded("Action budget exceeded")
        if self._limit < self.stop:
            self.stop = self._limit
