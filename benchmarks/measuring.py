"""Timing two ways of doing the same thing, in turn, so that a machine's moods hit both alike."""

from __future__ import annotations

import gc
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Medians over the repeats; times in µs a call, and the median of the ratios pair by pair."""

    ours_us: float
    theirs_us: float
    ratio: float


def compare(
    make_ours: Callable[[], Work], make_theirs: Callable[[], Work], calls: int, repeats: int = 15
) -> Comparison:
    """Time ``calls`` calls of each, in turn, ``repeats`` times, each time on freshly made work."""
    pairs = []
    for repeat in range(repeats + 1):
        first, second = (make_ours, make_theirs) if repeat % 2 else (make_theirs, make_ours)
        times = {make: _time(make(), calls) for make in (first, second)}
        if repeat:  # the first pair warms up
            pairs.append((times[make_ours], times[make_theirs]))
    return Comparison(
        ours_us=statistics.median(ours for ours, _ in pairs) * 1e6 / calls,
        theirs_us=statistics.median(theirs for _, theirs in pairs) * 1e6 / calls,
        ratio=statistics.median(ours / theirs for ours, theirs in pairs),
    )


def _time(work: Work, calls: int) -> float:
    gc.collect()
    gc.disable()
    try:
        started = time.perf_counter()
        for _ in range(calls):
            work()
        return time.perf_counter() - started
    finally:
        gc.enable()


def machine() -> str:
    """What the figures were taken on."""
    name = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [
            line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line
        ]
        name = f"{models[0]} × {len(models)}" if models else name
    return f"CPython {platform.python_version()} on {sys.platform}, {name}"
