"""The figures that sum up measured times: percentiles, a histogram, an interval of a median."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

BINS_PER_DECADE: Final = 8
_SHORTEST_MS: Final = 1e-6
"""A nanosecond: what a clock that saw no time pass is drawn as."""


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of a sample lies, interpolated between its neighbours.

    Definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages" (1996), which is NumPy's
    default.

    Args:
        ordered: The sample, ascending, not empty.
        share: From 0 to 1.
    """
    position = (len(ordered) - 1) * share
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many of the latencies lie in each bin.

    Attributes:
        edges_ms: Ascending, `BINS_PER_DECADE` a decade on a grid that is the same for every sample; a bin
            holds its lower edge.
        counts: One fewer than edges.
    """

    edges_ms: tuple[float, ...]
    counts: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"edges_ms": list(self.edges_ms), "counts": list(self.counts)}


def histogram(latencies_ms: Sequence[float]) -> Histogram:
    """The bins from the shortest to the longest latency, each of them `BINS_PER_DECADE`-th of a decade."""
    if not latencies_ms:
        return Histogram((), ())
    bins = [math.floor(math.log10(max(latency, _SHORTEST_MS)) * BINS_PER_DECADE) for latency in latencies_ms]
    first, last = min(bins), max(bins)
    counts = [0] * (last - first + 1)
    for number in bins:
        counts[number - first] += 1
    edges = (10.0 ** (number / BINS_PER_DECADE) for number in range(first, last + 2))
    return Histogram(tuple(edges), tuple(counts))


@lru_cache(maxsize=1_000)
def bootstrap_ranks(count: int, confidence: float) -> tuple[int, int]:
    """Where the bootstrap interval of a median begins and ends in the ordered sample, counted from 0.

    The median of a resample is at most the k-th smallest value of the sample if more than half of its draws
    are among the k smallest: P(median* ≤ x_(k)) = P(Bin(n, k/n) ≥ (n+1)/2). So the distribution that
    resampling would only estimate is known, and exactly, in whole numbers over n^n.

    Source: Efron, "Bootstrap methods: another look at the jackknife" (1979), section 3; Maritz and Jarrett,
    "A note on estimating the variance of the sample median" (1978).

    Args:
        count: n, odd, so that a median is one of the values.
        confidence: Of the two-sided percentile interval, e.g. 0.999.
    """
    if count < 1 or count % 2 == 0:
        raise ValueError(f"the sample must be odd, got {count} values")
    tail = (1 - confidence) / 2
    for rank in range(1, count + 1):
        ways = sum(
            math.comb(count, draws) * rank**draws * (count - rank) ** (count - draws)
            for draws in range(count // 2 + 1, count + 1)
        )
        if ways / count**count >= tail:
            return rank - 1, count - rank
    raise AssertionError("the last rank has probability 1")


def median_interval(values: Sequence[float], confidence: float) -> tuple[float, float, float]:
    """The median of an odd number of values, and its exact bootstrap percentile interval.

    Returns:
        Median, low, high.
    """
    ordered = sorted(values)
    low, high = bootstrap_ranks(len(ordered), confidence)
    return ordered[len(ordered) // 2], ordered[low], ordered[high]
