"""What timing two versions against each other gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

CONFIDENCE: Final = 0.999
"""Of the interval of a median ratio."""

LEAST_CHANGE: Final = 1.10
"""Slower or faster by less than this factor is no change worth telling, however sure."""

MIN_PAIRS: Final = 5
"""Fewer pairs show nothing."""


@dataclass(frozen=True, slots=True)
class ActionComparison:
    """How long an action takes in two versions.

    Attributes:
        action: Its name.
        pair_count: Pairs of measurements, one old, one new; each is the time of all comparable calls of the
            action in a replay of the scenarios. Odd.
        old_median_ms, new_median_ms: Milliseconds a call: medians over the pairs.
        ratio: Median of the pairs' ratios new / old; above 1 is slower.
        low, high: The exact bootstrap interval of that median at `CONFIDENCE`.
    """

    action: str
    pair_count: int
    old_median_ms: float
    new_median_ms: float
    ratio: float
    low: float
    high: float

    @property
    def is_significant(self) -> bool:
        """Whether the interval excludes 1, and the ratio is beyond `LEAST_CHANGE` or its reciprocal.

        The reciprocal, so that old against new and new against old come to the same verdict.
        """
        sure = self.low > 1 or self.high < 1
        return sure and self.pair_count >= MIN_PAIRS and not 1 / LEAST_CHANGE <= self.ratio <= LEAST_CHANGE

    def to_dict(self) -> dict[str, Any]:
        return {
            "action": self.action,
            "pair_count": self.pair_count,
            "old_median_ms": self.old_median_ms,
            "new_median_ms": self.new_median_ms,
            "ratio": self.ratio,
            "low": self.low,
            "high": self.high,
            "is_significant": self.is_significant,
        }


@dataclass(frozen=True, slots=True)
class TimingComparison:
    """How long two versions take for the same scenarios.

    Attributes:
        actions: Of the actions that both have, in the old version's order.
        not_compared: Actions that both have, but of which no pair was measured: no scenario gets one
            to its logic, no call ends alike in both, or the budget ended before.
        throughput_change_pct: By how much more the new version gets done in a time, from whole replays of
            the scenarios in which every call ends alike: positive is faster. None if there is none.
    """

    actions: tuple[ActionComparison, ...]
    not_compared: tuple[str, ...]
    throughput_change_pct: float | None

    @property
    def latency_change_pct(self) -> float | None:
        """The geometric mean of the actions' ratios, less 1, in percent; positive is slower."""
        if not self.actions:
            return None  # nothing was compared
        mean = math.fsum(math.log(action.ratio) for action in self.actions) / len(self.actions)
        return (math.exp(mean) - 1) * 100

    @property
    def significant(self) -> tuple[ActionComparison, ...]:
        """The actions of which it is sure that they became slower or faster."""
        return tuple(action for action in self.actions if action.is_significant)

    def to_dict(self) -> dict[str, Any]:
        return {
            "latency_change_pct": self.latency_change_pct,
            "throughput_change_pct": self.throughput_change_pct,
            "actions": [action.to_dict() for action in self.actions],
            "not_compared": list(self.not_compared),
        }
