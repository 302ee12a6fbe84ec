"""How often agents succeed, and how sure that is: pass^k, and intervals over tasks."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist, fmean, stdev
from typing import Any, Final, Literal

CONFIDENCE: Final = 0.95
"""Of every interval."""

RESAMPLES: Final = 2_000
"""Of a bootstrap: the ends of its interval then vary by about a fiftieth of its width from seed to seed."""


def pass_hat_k(successes: Sequence[Sequence[bool]], k: int) -> float:
    """The probability that k trials of a task, drawn without replacement, all succeed; mean over tasks.

    pass^k = mean over tasks of C(c, k) / C(n, k), for n trials of a task of which c succeeded.

    Source: tau-bench, arXiv 2406.12045, section 3.

    Args:
        successes: Scored trials by task, true where one succeeded; tasks may have different numbers of them.
        k: Number of trials, from 1.

    Returns:
        0 to 1; 0 for a task in which fewer than k succeeded.

    Raises:
        ValueError: k is less than 1, there is no task, or a task has fewer than k trials: it is undefined
            then.
    """
    return fmean(pass_hat_k_by_task(successes, k))


def pass_hat_k_by_task(successes: Sequence[Sequence[bool]], k: int) -> list[float]:
    """C(c, k) / C(n, k) of each task, 0 to 1; see :func:`pass_hat_k` for arguments and errors."""
    if k < 1:
        raise ValueError(f"pass^k needs a k of at least 1, got {k}")
    if not successes:
        raise ValueError(f"pass^{k} of no task is undefined")
    fewest = min(map(len, successes))
    if fewest < k:
        raise ValueError(f"pass^{k} needs at least {k} trials of every task, one has {fewest}")
    return [math.comb(sum(trials), k) / math.comb(len(trials), k) for trials in successes]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over tasks, and how sure it is.

    Attributes:
        value: The mean.
        standard_error: Of the mean, over tasks; None for fewer than two.
        low, high: Interval at `CONFIDENCE`.
        method: How the interval was found.
        task_count: Number of tasks.
    """

    value: float
    standard_error: float | None
    low: float
    high: float
    method: Literal["wilson", "bootstrap"]
    task_count: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def estimate_mean(values: Sequence[float], *, seed: int = 0) -> Estimate:
    """The mean of one value a task, each 0 to 1, with standard error and interval over tasks.

    Trials of one task are not independent, so a task counts once, with its mean over trials or its pass^k.
    Where all values are 0 or 1 (one trial a task, say), and where the mean is 0 or 1, where a bootstrap would
    find no width at all, the interval is Wilson's; else it is a percentile bootstrap over tasks.

    Raises:
        ValueError: There is no value, or one beyond 0 to 1.
    """
    if not values:
        raise ValueError("The mean of no task is undefined")
    if not all(0 <= value <= 1 for value in values):
        raise ValueError(f"Expected values from 0 to 1, got {min(values)} to {max(values)}")
    mean = fmean(values)
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    if all(value in (0, 1) for value in values) or len(values) == 1:
        low, high = wilson_interval(mean, len(values))
        return Estimate(mean, error, low, high, "wilson", len(values))
    low, high = bootstrap_interval(values, seed=seed)
    return Estimate(mean, error, low, high, "bootstrap", len(values))


def wilson_interval(share: float, count: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's score interval for a binomial share of ``count`` trials; within 0 to 1.

    Source: E. B. Wilson, Journal of the American Statistical Association 22 (1927).

    Raises:
        ValueError: There is no trial.
    """
    if count < 1:
        raise ValueError("The interval of no trial is undefined")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    scale = 1 + z * z / count
    centre = (share + z * z / (2 * count)) / scale
    reach = z / scale * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    low = 0.0 if share == 0 else max(0.0, centre - reach)
    high = 1.0 if share == 1 else min(1.0, centre + reach)
    return low, high


def bootstrap_interval(
    values: Sequence[float], *, seed: int = 0, confidence: float = CONFIDENCE, resamples: int = RESAMPLES
) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean; the same seed gives the same interval.

    Source: B. Efron, Annals of Statistics 7 (1979).
    """
    generator = random.Random(seed)
    count = len(values)
    means = sorted(fmean(generator.choices(values, k=count)) for _ in range(resamples))
    outside = (1 - confidence) / 2
    return means[math.floor(outside * resamples)], means[math.ceil((1 - outside) * resamples) - 1]
