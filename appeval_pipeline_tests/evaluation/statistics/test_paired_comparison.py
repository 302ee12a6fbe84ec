"""Expected numbers are calculated by hand, or by scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from appeval_pipeline.evaluation.statistics import compare_paired, wilson_interval


def test_two_experiments_are_compared_on_common_tasks_by_what_differs_within_a_task() -> None:
    first = {0: [True, True], 1: [True, False], 2: [False, False], 3: [False, False], 9: [True]}
    second = {0: [True, True], 1: [True, True], 2: [True, True], 3: [True, False], 8: [False]}
    comparison = compare_paired(first, second)
    # Differences 0, 1/2, 1, 1/2: mean 1/2, sum of squares around it 1/2, error sqrt(1/2 / 3) / 2.
    assert (comparison.first, comparison.second, comparison.difference) == (0.375, 0.875, 0.5)
    assert comparison.standard_error == pytest.approx(0.204124, abs=1e-6)
    assert comparison.minimum_detectable == pytest.approx(0.204124 * 2.801585, abs=1e-6)
    assert (comparison.task_count, comparison.left_out) == (4, 2)
    assert (comparison.second_better, comparison.second_worse) == (3, 0)
    # Of the 8 ways to flip three signs, all up and all down reach the sum: 2 / 8.
    assert (comparison.p_value, comparison.test) == (0.25, "sign_flip_exact")
    assert comparison.interval == "bootstrap"
    assert 0 <= comparison.low < 0.5 < comparison.high <= 1


def test_one_trial_a_task_is_tested_by_mcnemar() -> None:
    first = {task: [task < 3] for task in range(20)}
    second = {task: [task >= 2] for task in range(20)}
    comparison = compare_paired(first, second)
    # Tasks 0 and 1 only the first solves, tasks 3 to 19 only the second: 2 of 19.
    assert (comparison.second_better, comparison.second_worse) == (17, 2)
    assert comparison.test == "mcnemar"
    assert comparison.p_value == pytest.approx(2 * (1 + 19 + 171) / 2**19)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
@settings(deadline=None)
def test_mcnemar_s_test_is_the_binomial_test_of_tasks_that_differ(pairs: list[tuple[bool, bool]]) -> None:
    first = {task: [before] for task, (before, _) in enumerate(pairs)}
    second = {task: [after] for task, (_, after) in enumerate(pairs)}
    better = sum(after and not before for before, after in pairs)
    worse = sum(before and not after for before, after in pairs)
    expected = binomtest(better, better + worse).pvalue if better + worse else 1
    assert compare_paired(first, second).p_value == pytest.approx(expected)


OUTCOMES = st.lists(st.booleans(), min_size=1, max_size=4)


@given(st.lists(st.tuples(OUTCOMES, OUTCOMES), min_size=2, max_size=7))
@settings(deadline=None, max_examples=40)
def test_the_permutation_test_is_scipy_s(pairs: list[tuple[list[bool], list[bool]]]) -> None:
    first, second = ({task: pair[side] for task, pair in enumerate(pairs)} for side in (0, 1))
    # Twelfths of a task are whole for 1 to 4 trials: sums of floats of thirds, which are equal, would differ.
    twelfths = ([sum(pair[side]) * (12 // len(pair[side])) for pair in pairs] for side in (0, 1))
    theirs = permutation_test(
        tuple(twelfths),
        lambda x, y, axis: np.sum(y - x, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert compare_paired(first, second).p_value == pytest.approx(float(theirs.pvalue))


def test_flips_too_many_to_count_are_drawn_the_same_with_the_same_seed() -> None:
    # Trials of every number from 1 to 29 have no small common denominator.
    first = {task: [place % 2 == 0 for place in range(task + 1)] for task in range(29)}
    second = {task: [place % 3 != 1 for place in range(29 - task)] for task in range(29)}
    comparison = compare_paired(first, second, seed=5)
    assert comparison.test == "sign_flip_random"
    assert comparison == compare_paired(first, second, seed=5)
    assert 0 < comparison.p_value < 0.2


def test_pass_hat_k_can_be_compared_too() -> None:
    first = {0: [True, True, False, False], 1: [True, True, True, False]}
    second = {0: [True, True, True, True], 1: [True, True, True, False]}
    comparison = compare_paired(first, second, k=2)
    # pass^2 of the tasks: 1/6 and 3/6 before, 1 and 3/6 after.
    assert (comparison.first, comparison.second) == pytest.approx((1 / 3, 3 / 4))
    assert comparison.difference == pytest.approx(5 / 12)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        (False, False, "-w", "w"),
        (False, True, "1-2w", "1"),
        (True, False, "-1", "2w-1"),
    ],
)
def test_where_all_tasks_differ_alike_the_interval_still_has_a_width(
    first: bool, second: bool, low: str, high: str
) -> None:
    tasks = range(10)
    comparison = compare_paired({task: [first] for task in tasks}, {task: [second] for task in tasks})
    width = wilson_interval(0, 10)[1]
    bounds = {"-w": -width, "w": width, "1-2w": 1 - 2 * width, "2w-1": 2 * width - 1, "1": 1, "-1": -1}
    assert (comparison.low, comparison.high) == pytest.approx((bounds[low], bounds[high]))
    assert (comparison.interval, comparison.minimum_detectable) == ("bound", None)


@pytest.mark.parametrize(
    ("second", "k", "message"),
    [
        ({7: [True]}, 1, "no task in common"),
        ({0: [True]}, 2, "task 0 has 1"),
        ({0: []}, 1, "task 0 has 0"),
        ({0: [True]}, 0, "at least 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(second: dict[int, list[bool]], k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare_paired({0: [True, True]}, second, k=k)
