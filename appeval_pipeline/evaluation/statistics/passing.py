"""How often agents succeed: pass^k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean


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


def success_at_turn_by_task(turns: Sequence[Sequence[int | None]], k: int) -> list[float]:
    """The share of each task's trials that succeed at exactly turn k, 0 to 1.

    This is not pass^k: there k counts trials, here steps of one trial.

    Args:
        turns: Scored trials by task: the number of turns of one that succeeded, from 1; None for a failure.
        k: The turn, from 1.

    Raises:
        ValueError: k is less than 1, there is no task, or a task has no trial.
    """
    _check_turns(turns, k)
    return [fmean(turn == k for turn in trials) for trials in turns]


def success_within_turns_by_task(turns: Sequence[Sequence[int | None]], k: int) -> list[float]:
    """The share of each task's trials that succeed at turn k or before: `success_at_turn_by_task` summed.

    For a k that no trial exceeds, its mean over tasks is pass^1.
    """
    _check_turns(turns, k)
    return [fmean(turn is not None and turn <= k for turn in trials) for trials in turns]


def _check_turns(turns: Sequence[Sequence[int | None]], k: int) -> None:
    if k < 1:
        raise ValueError(f"Turns count from 1, got {k}")
    if not turns or not all(turns):
        raise ValueError("Success by turns of no task, or of one without trials, is undefined")
