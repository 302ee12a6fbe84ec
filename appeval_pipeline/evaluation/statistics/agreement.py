"""How much tasks differ, and how small a difference of agents an experiment can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean
from typing import Final

ALPHA: Final = 0.05
"""How often a test may find a difference where there is none."""

POWER: Final = 0.8
"""How often it is to find a difference that is there."""


def intraclass_correlation(trials_by_task: Sequence[Sequence[float]]) -> float:
    """How much alike trials of one task are: the share of the variance that lies between tasks.

    One-way random effects, by analysis of variance; with n trials of a task, T tasks and N trials in all,

        n0 = (N - sum of n^2 / N) / (T - 1)
        ICC = (MSB - MSW) / (MSB + (n0 - 1) * MSW)

    MSB and MSW are the mean squares between and within tasks. At 1 a task always goes the same way, and more
    trials tell nothing new; at 0 trials are independent of their task. The estimate may be below 0.

    Source: P. E. Shrout and J. L. Fleiss, Psychological Bulletin 86 (1979), ICC(1, 1); n0 for unequal n from
    A. Donner, International Statistical Review 54 (1986).

    Raises:
        ValueError: It is undefined: there are fewer than two tasks, a task without trials, no task with two
            trials, or values that are all the same.
    """
    counts = [len(trials) for trials in trials_by_task]
    tasks, total = len(counts), sum(counts)
    if tasks < 2 or min(counts) < 1 or total == tasks:
        raise ValueError("The intraclass correlation needs two tasks, and one of them with two trials")
    mean = fmean(value for trials in trials_by_task for value in trials)
    means = [fmean(trials) for trials in trials_by_task]
    between = math.fsum(n * (m - mean) ** 2 for n, m in zip(counts, means, strict=True)) / (tasks - 1)
    within = math.fsum(
        (value - m) ** 2 for trials, m in zip(trials_by_task, means, strict=True) for value in trials
    ) / (total - tasks)
    n0 = (total - sum(n * n for n in counts) / total) / (tasks - 1)
    spread = between + (n0 - 1) * within
    if spread == 0:
        raise ValueError("The intraclass correlation of values that are all the same is undefined")
    return (between - within) / spread


def published_standard_error(pass_1: float, pass_2: float, *, trials: int, tasks: int) -> float:
    """The standard error of pass^1 over tasks, from what a leaderboard publishes alone.

    pass^2 estimates the mean of the squared success probabilities, so pass^2 - pass^1^2 is their variance
    between tasks, and pass^1 - pass^2 the mean variance of a trial:

        sqrt(((pass^2 - pass^1^2) + (pass^1 - pass^2) / K) / T)    for K trials of each of T tasks

    This is the population's standard deviation of the tasks' means, over the root of T. `Estimate` has the
    sample's, which is greater by the factor sqrt(T / (T - 1)): 1% for 50 tasks. Rounding can make the
    variance between tasks negative; it counts as 0 then.

    Raises:
        ValueError: The numbers cannot be pass^1 and pass^2, or there is no trial or task.
    """
    _check_published(pass_1, pass_2)
    if trials < 1 or tasks < 1:
        raise ValueError(f"Expected at least 1 trial and 1 task, got {trials} and {tasks}")
    return math.sqrt((max(0.0, pass_2 - pass_1**2) + (pass_1 - pass_2) / trials) / tasks)


def published_intraclass_correlation(pass_1: float, pass_2: float) -> float:
    """(pass^2 - pass^1^2) / (pass^1 - pass^1^2): `intraclass_correlation` from published numbers alone.

    Raises:
        ValueError: It is undefined: pass^1 is 0 or 1, or the numbers cannot be pass^1 and pass^2.
    """
    _check_published(pass_1, pass_2)
    if pass_1 in (0, 1):
        raise ValueError(f"The intraclass correlation at a pass^1 of {pass_1:g} is undefined")
    return (pass_2 - pass_1**2) / (pass_1 - pass_1**2)


def _check_published(pass_1: float, pass_2: float) -> None:
    if not 0 <= pass_2 <= pass_1 <= 1:
        raise ValueError(f"Expected 0 <= pass^2 <= pass^1 <= 1, got pass^1 = {pass_1:g}, pass^2 = {pass_2:g}")


def minimum_detectable_difference(
    standard_error: float, *, alpha: float = ALPHA, power: float = POWER
) -> float:
    """The true difference that a two-sided test at ``alpha`` finds with the probability ``power``.

        (z(1 - alpha / 2) + z(power)) * standard error        2.80 standard errors by default

    Source: H. S. Bloom, Evaluation Review 19 (1995).

    Args:
        standard_error: Of the *difference*: of the paired differences over tasks; or, for two independent
            experiments, the root of the sum of their squared errors.

    Raises:
        ValueError: The error is negative, or alpha or power is not between 0 and 1.
    """
    if not (standard_error >= 0 and 0 < alpha < 1 and 0 < power < 1):
        raise ValueError(
            "Expected a standard error of at least 0, and alpha and power between 0 and 1, "
            f"got {standard_error}, {alpha}, {power}"
        )
    normal = NormalDist()
    return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * standard_error
