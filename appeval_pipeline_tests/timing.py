"""How long the work of a test may take, on a machine of any speed and with any load."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

REFERENCE_S: Final = 0.04
"""What `_fixed_work` takes, in seconds of the process's own time, on a quiet machine of 2026."""
_SLICES: Final = 10


@contextmanager
def process_seconds(most: float) -> Iterator[None]:
    """What is done within takes no more than ``most`` seconds of the process's own time, in its own code.

    The system's time on its behalf is left out: what other tests left on the heap can make the allocator hand
    the same memory back and fetch it anew, again and again, for two seconds.

    Seconds are those of the quiet machine of `REFERENCE_S`. Where they do not suffice, this process is
    measured, then and there, at work that is always the same: one that takes twice as long for that (slow, or
    sharing its cores) has twice the time. What blows up exponentially takes too long on any.
    """
    started = os.times().user
    yield
    elapsed = os.times().user - started
    if elapsed >= most:
        slowness = max(1.0, _measured_s() / REFERENCE_S)
        assert elapsed < most * slowness, f"{elapsed:.2f} s; {most * slowness:.2f} s are allowed here"


def slowness() -> float:
    """How many times as long as on the machine of `REFERENCE_S` things take here and now; at least 1."""
    started = time.perf_counter()
    for _ in range(_SLICES):
        _fixed_work()
    return max(1.0, (time.perf_counter() - started) / _SLICES / REFERENCE_S)


def _measured_s() -> float:
    started = os.times().user  # in steps of 10 ms
    for _ in range(_SLICES):
        _fixed_work()
    return (os.times().user - started) / _SLICES


def _fixed_work() -> None:
    counts: dict[str, int] = {}
    for number in range(200_000):
        key = f"{number % 1_000}"
        counts[key] = counts.get(key, 0) + number
