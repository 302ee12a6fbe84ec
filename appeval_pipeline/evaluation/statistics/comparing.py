"""Which of two agents does better on the same tasks, and how sure that is."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from statistics import fmean, stdev
from typing import Any, Final, Literal

from appeval_pipeline.evaluation.statistics.agreement import minimum_detectable_difference
from appeval_pipeline.evaluation.statistics.intervals import bootstrap_interval, wilson_interval

RANDOM_FLIPS: Final = 10_000
"""Where the flips are too many to count."""

_MOST_COUNTED: Final = 2_000_000
"""Steps of counting all flips, at most; as many take about a second."""


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two experiments on the tasks that both have.

    Attributes:
        k: What is compared is pass^k.
        first, second: pass^k of each on the common tasks.
        difference: second - first, -1 to 1.
        standard_error: Of the difference, over tasks; None for one task.
        low, high: 95% interval of the difference.
        interval: How that was found.
        p_value: The probability of a difference at least as great, either way, if neither were better.
        test: How that was found.
        minimum_detectable: The true difference that such a comparison finds with power 0.8; None for one
            task, and where all tasks differ alike.
        task_count: Common tasks; left_out: tasks that only one of the two has.
        second_better, second_worse: Numbers of tasks.
    """

    k: int
    first: float
    second: float
    difference: float
    standard_error: float | None
    low: float
    high: float
    interval: Literal["bootstrap", "bound"]
    p_value: float
    test: Literal["mcnemar", "sign_flip_exact", "sign_flip_random"]
    minimum_detectable: float | None
    task_count: int
    left_out: int
    second_better: int
    second_worse: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def compare_paired(
    first: Mapping[int, Sequence[bool]], second: Mapping[int, Sequence[bool]], *, k: int = 1, seed: int = 0
) -> PairedComparison:
    """The difference of two experiments' pass^k over their common tasks, with interval and test.

    Only differences within a task count, so that what makes tasks hard falls out. The interval is a
    percentile bootstrap over tasks; where all tasks differ alike, which leaves a bootstrap no width, a bound:
    by Wilson's interval at most a share w of all tasks goes otherwise, each by 1 at most.

    The test is exact McNemar where both have one trial a task (Q. McNemar, Psychometrika 12, 1947), else a
    permutation: if neither were better, the sign of each task's difference would be as likely the other
    (E. J. G. Pitman, Supplement to the Journal of the Royal Statistical Society 4, 1937). All flips are
    counted as far as that takes no more than a second; else `RANDOM_FLIPS` are drawn.

    Args:
        first, second: Scored trials by task, true where one succeeded.
        seed: Of the bootstrap, and of flips that are drawn.

    Raises:
        ValueError: No task is common, or a common one has fewer than k trials.
    """
    if k < 1:
        raise ValueError(f"pass^k needs a k of at least 1, got {k}")
    common = sorted(first.keys() & second.keys())
    if not common:
        raise ValueError("The two experiments have no task in common")
    for task in common:
        if (fewest := min(len(first[task]), len(second[task]))) < k:
            raise ValueError(f"pass^{k} needs at least {k} trials of every task, task {task} has {fewest}")
    pairs = [(_pass_hat_k(first[task], k), _pass_hat_k(second[task], k)) for task in common]
    exact = [after - before for before, after in pairs]
    differences = [float(one) for one in exact]
    error = stdev(differences) / math.sqrt(len(common)) if len(common) > 1 else None
    low, high, interval = _interval(differences, seed)
    p_value, is_exact = _sign_flip_p_value(exact, seed)
    one_trial = all(len(trials[task]) == 1 for trials in (first, second) for task in common)
    return PairedComparison(
        k=k,
        first=fmean(float(before) for before, _ in pairs),
        second=fmean(float(after) for _, after in pairs),
        difference=fmean(differences),
        standard_error=error,
        low=low,
        high=high,
        interval=interval,
        p_value=p_value,
        test="mcnemar" if one_trial and is_exact else "sign_flip_exact" if is_exact else "sign_flip_random",
        minimum_detectable=minimum_detectable_difference(error) if error else None,
        task_count=len(common),
        left_out=len(first.keys() ^ second.keys()),
        second_better=sum(one > 0 for one in exact),
        second_worse=sum(one < 0 for one in exact),
    )


def _pass_hat_k(trials: Sequence[bool], k: int) -> Fraction:
    return Fraction(math.comb(sum(trials), k), math.comb(len(trials), k))


def _interval(differences: Sequence[float], seed: int) -> tuple[float, float, Literal["bootstrap", "bound"]]:
    if min(differences) < max(differences):
        return *bootstrap_interval(differences, seed=seed), "bootstrap"
    otherwise = wilson_interval(0.0, len(differences))[1]
    usual = (1 - otherwise) * differences[0]
    return max(-1.0, usual - otherwise), min(1.0, usual + otherwise), "bound"


def _sign_flip_p_value(differences: Sequence[Fraction], seed: int) -> tuple[float, bool]:
    """How often flipped signs give at least the sum that was found, either way, and whether that is exact.

    With differences of -1, 0 and 1 this is McNemar's exact test: the sum is decided by how many of the tasks
    that differ go one way, which is binomial with 1/2.
    """
    scale = math.lcm(*(one.denominator for one in differences))
    sizes = [abs(int(one * scale)) for one in differences if one]
    found = abs(int(sum(differences) * scale))
    if sum(sizes) * len(sizes) > _MOST_COUNTED:
        return _random_p_value(sizes, found, seed), False
    sums: Counter[int] = Counter({0: 1})
    for size in sizes:
        flipped: Counter[int] = Counter()
        for total, count in sums.items():
            flipped[total + size] += count
            flipped[total - size] += count
        sums = flipped
    beyond = sum(count for total, count in sums.items() if abs(total) >= found)
    return float(Fraction(beyond, 2 ** len(sizes))), True


def _random_p_value(sizes: Sequence[int], found: int, seed: int) -> float:
    """(hits + 1) / (flips + 1), for what was found is one of the flips itself."""
    generator = random.Random(seed)
    everything = sum(sizes)
    hits = 0
    for _ in range(RANDOM_FLIPS):
        bits = generator.getrandbits(len(sizes))
        up = sum(size for place, size in enumerate(sizes) if bits >> place & 1)
        hits += abs(2 * up - everything) >= found
    return (hits + 1) / (RANDOM_FLIPS + 1)
