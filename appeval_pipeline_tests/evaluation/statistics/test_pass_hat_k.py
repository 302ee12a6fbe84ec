"""Expected numbers are calculated by hand, or by drawing every subset."""

from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appeval_pipeline.evaluation import pass_hat_k
from appeval_pipeline.evaluation.statistics import bootstrap_interval, estimate_mean, wilson_interval

TRIALS = [[True, True, False, True], [True, False, False, False], [True] * 4, [False] * 4]


@pytest.mark.parametrize(
    ("k", "expected"),
    [
        (1, (3 / 4 + 1 / 4 + 1 + 0) / 4),
        (2, (3 / 6 + 0 + 1 + 0) / 4),
        (3, (1 / 4 + 0 + 1 + 0) / 4),
        (4, (0 + 0 + 1 + 0) / 4),
    ],
)
def test_pass_hat_k_is_the_mean_of_c_over_k_by_n_over_k(k: int, expected: float) -> None:
    assert pass_hat_k(TRIALS, k) == pytest.approx(expected, abs=1e-15)


def test_pass_hat_k_is_zero_when_fewer_than_k_succeed() -> None:
    assert pass_hat_k([[True, False, False]], 2) == 0


def test_tasks_may_have_different_numbers_of_trials() -> None:
    assert pass_hat_k([[True, True], [True, False, False, True]], 2) == pytest.approx((1 + 1 / 6) / 2)


@pytest.mark.parametrize(
    ("successes", "k", "message"),
    [
        (TRIALS, 5, "needs at least 5 trials of every task, one has 4"),
        ([[True, True], [True]], 2, "one has 1"),
        ([], 1, "of no task"),
        (TRIALS, 0, "at least 1"),
    ],
)
def test_pass_hat_k_is_undefined_without_enough_trials(
    successes: list[list[bool]], k: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        pass_hat_k(successes, k)


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=6), min_size=1, max_size=4), st.integers(1, 4))
def test_pass_hat_k_is_the_share_of_draws_in_which_all_succeed(tasks: list[list[bool]], k: int) -> None:
    by_drawing = fmean(fmean(all(draw) for draw in combinations(trials, k)) for trials in tasks)
    assert pass_hat_k(tasks, k) == pytest.approx(by_drawing)


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6))
def test_pass_hat_k_never_rises_with_k(tasks: list[list[bool]]) -> None:
    values = [pass_hat_k(tasks, k) for k in (1, 2, 3, 4)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    [
        # Wilson 1927 by hand: z = 1.959964, (p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).
        (0.5, 10, 0.2366, 0.7634),
        (0.0, 10, 0.0, 0.2775),
        (1.0, 10, 0.7225, 1.0),
        (0.9, 20, 0.6990, 0.9721),
    ],
)
def test_wilson_s_interval(share: float, count: int, low: float, high: float) -> None:
    assert wilson_interval(share, count) == pytest.approx((low, high), abs=5e-5)


def test_one_trial_a_task_has_wilson_s_interval() -> None:
    estimate = estimate_mean([1.0, 0.0, 1.0, 1.0])
    assert (estimate.value, estimate.method, estimate.task_count) == (0.75, "wilson", 4)
    assert (estimate.low, estimate.high) == wilson_interval(0.75, 4)
    assert estimate.standard_error == pytest.approx(0.25)  # stdev 0.5, over the root of 4


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_where_all_fail_or_succeed_the_interval_still_has_a_width(value: float) -> None:
    estimate = estimate_mean([value] * 5)
    assert estimate.method == "wilson"
    assert estimate.high - estimate.low > 0.4


def test_one_task_has_an_interval_and_no_standard_error() -> None:
    estimate = estimate_mean([0.5])
    assert estimate.standard_error is None
    assert 0 < estimate.low < 0.5 < estimate.high < 1


def test_several_trials_a_task_have_a_bootstrap_over_tasks() -> None:
    values = [0.0, 0.25, 0.5, 0.75, 1.0] * 8
    estimate = estimate_mean(values, seed=3)
    assert estimate.method == "bootstrap"
    assert (estimate.low, estimate.high) == bootstrap_interval(values, seed=3)
    # The interval of a mean of 40 values is near mean ± 1.96 standard errors: stdev 0.358, error 0.0566.
    assert estimate.standard_error == pytest.approx(0.0566, abs=5e-4)
    assert (estimate.low, estimate.high) == pytest.approx((0.5 - 0.111, 0.5 + 0.111), abs=0.02)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.integers(0, 5))
def test_an_interval_holds_its_mean_and_stays_within_0_and_1(values: list[float], seed: int) -> None:
    estimate = estimate_mean(values, seed=seed)
    assert 0 <= estimate.low <= estimate.value + 1e-9
    assert estimate.value - 1e-9 <= estimate.high <= 1


@pytest.mark.parametrize("values", [[], [1.5], [-0.1]])
def test_values_beyond_0_and_1_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"undefined|from 0 to 1"):
        estimate_mean(values)
