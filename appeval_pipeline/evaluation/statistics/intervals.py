"""How sure a mean over tasks is: standard errors and intervals."""

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
    _check_share(values)
    mean = fmean(values)
    error = stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None
    if all(value in (0, 1) for value in values) or len(values) == 1:
        low, high = wilson_interval(mean, len(values))
        return Estimate(mean, error, low, high, "wilson", len(values))
    low, high = bootstrap_interval(values, seed=seed)
    return Estimate(mean, error, low, high, "bootstrap", len(values))


def estimate_mean_of_trials(trials_by_task: Sequence[Sequence[float]], *, seed: int = 0) -> Estimate:
    """The mean over all trials, each value 0 to 1, with standard error and interval over tasks.

    Trials of a task stay together. With as many trials of every task it is the mean of the tasks' means, and
    the error is the one of `estimate_mean`; else it is the linearised error of a ratio of totals,

        sqrt(T / (T - 1) * sum over tasks of (s - n * mean)^2) / N

    for T tasks, n trials of a task with the total s, and N trials in all. Source: W. G. Cochran, Sampling
    Techniques (1977), section 6.3. Wilson's interval counts tasks, not trials, where there is one trial a
    task or the mean is 0 or 1.

    Raises:
        ValueError: There is no task, a task has no trial, or a value is beyond 0 to 1.
    """
    if not trials_by_task or not all(trials_by_task):
        raise ValueError("The mean of no task, or of one without trials, is undefined")
    if all(len(trials) == len(trials_by_task[0]) for trials in trials_by_task):
        _check_share([value for trials in trials_by_task for value in trials])
        return estimate_mean([fmean(trials) for trials in trials_by_task], seed=seed)
    return _estimate_ratio([(sum(trials), len(trials)) for trials in trials_by_task], trials_by_task, seed)


def _estimate_ratio(
    totals: Sequence[tuple[float, int]], trials_by_task: Sequence[Sequence[float]], seed: int
) -> Estimate:
    values = [value for trials in trials_by_task for value in trials]
    _check_share(values)
    mean, count = fmean(values), len(totals)
    spread = math.fsum((total - trials * mean) ** 2 for total, trials in totals)
    error = math.sqrt(count / (count - 1) * spread) / len(values)
    if mean in (0, 1):
        low, high = wilson_interval(mean, count)
        return Estimate(mean, error, low, high, "wilson", count)
    generator = random.Random(seed)
    draws = (generator.choices(totals, k=count) for _ in range(RESAMPLES))
    means = [math.fsum(total for total, _ in draw) / sum(trials for _, trials in draw) for draw in draws]
    low, high = _percentiles(means, CONFIDENCE)
    return Estimate(mean, error, low, high, "bootstrap", count)


def _check_share(values: Sequence[float]) -> None:
    if not all(0 <= value <= 1 for value in values):
        raise ValueError(f"Expected values from 0 to 1, got {min(values)} to {max(values)}")


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
    return _percentiles([fmean(generator.choices(values, k=count)) for _ in range(resamples)], confidence)


def _percentiles(drawn: Sequence[float], confidence: float) -> tuple[float, float]:
    """The bounds between which the middle ``confidence`` of the values lies."""
    ordered = sorted(drawn)
    outside = (1 - confidence) / 2
    return ordered[math.floor(outside * len(ordered))], ordered[math.ceil((1 - outside) * len(ordered)) - 1]
