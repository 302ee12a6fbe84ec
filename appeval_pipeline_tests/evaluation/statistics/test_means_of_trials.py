import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, sem

from appeval_pipeline.evaluation.statistics import estimate_mean, estimate_mean_of_trials, wilson_interval


@given(st.integers(1, 200), st.data())
def test_wilson_s_interval_is_scipy_s(count: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, count))
    theirs = binomtest(successes, count).proportion_ci(0.95, method="wilson")
    assert wilson_interval(successes / count, count) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_the_standard_error_is_scipy_s(values: list[float]) -> None:
    assert estimate_mean(values).standard_error == pytest.approx(float(sem(values, ddof=1)), abs=1e-12)


def test_with_equal_numbers_of_trials_the_mean_of_trials_is_that_of_tasks() -> None:
    assert estimate_mean_of_trials([[1, 0], [1, 1], [0, 0.5]], seed=2) == estimate_mean(
        [0.5, 1, 0.25], seed=2
    )


def test_a_task_with_more_trials_weighs_more() -> None:
    estimate = estimate_mean_of_trials([[1, 1, 0], [0]])
    assert estimate.value == 0.5
    # Totals less n times the mean: 2 - 1.5 and 0 - 0.5; sqrt(2 / 1 * (0.25 + 0.25)) / 4.
    assert estimate.standard_error == pytest.approx(0.25)
    assert (estimate.method, estimate.task_count) == ("bootstrap", 2)
    # Drawn twice, the first task has 2 / 3 and the second 0.
    assert (estimate.low, estimate.high) == (0, pytest.approx(2 / 3))


def test_trials_that_all_fail_have_wilson_s_interval_of_the_tasks() -> None:
    estimate = estimate_mean_of_trials([[0, 0, 0], [0]])
    assert (estimate.value, estimate.standard_error, estimate.method) == (0, 0, "wilson")
    assert (estimate.low, estimate.high) == wilson_interval(0, 2)


@pytest.mark.parametrize("trials", [[], [[1], []], [[1, 2]], [[0.5], [1, -1]]])
def test_no_trials_and_values_beyond_0_and_1_are_refused(trials: list[list[float]]) -> None:
    with pytest.raises(ValueError, match=r"undefined|from 0 to 1"):
        estimate_mean_of_trials(trials)
