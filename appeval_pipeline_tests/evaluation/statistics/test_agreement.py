"""Expected numbers are calculated by hand."""

from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appeval_pipeline.evaluation.statistics import (
    estimate_mean,
    intraclass_correlation,
    minimum_detectable_difference,
    pass_hat_k,
    pass_hat_k_by_task,
    published_intraclass_correlation,
    published_standard_error,
)


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        # MSB = 2 (1/4 + 1/4 + 0) / 2 = 1/2, MSW = (0 + 0 + 1/2) / 3 = 1/6, n0 = 2.
        ([[1, 1], [0, 0], [1, 0]], (1 / 2 - 1 / 6) / (1 / 2 + 1 / 6)),
        # Mean 2/3; MSB = (0 + 4/9 + 2/9) / 2 = 1/3, MSW = (2/3) / 3 = 2/9, n0 = (6 - 14/6) / 2 = 11/6.
        ([[1, 0, 1], [0], [1, 1]], 3 / 14),
        ([[1, 1, 1], [0, 0, 0]], 1),
        # All means are equal: MSB = 0, so (0 - MSW) / (0 + (2 - 1) MSW).
        ([[1, 0], [0, 1]], -1),
    ],
)
def test_intraclass_correlation_by_analysis_of_variance(trials: list[list[int]], expected: float) -> None:
    assert intraclass_correlation(trials) == pytest.approx(expected)


@pytest.mark.parametrize("trials", [[], [[1, 0]], [[1], [0]], [[1, 1], [1, 1]], [[1, 0], []]])
def test_intraclass_correlation_is_undefined_where_nothing_can_be_compared(trials: list[list[int]]) -> None:
    with pytest.raises(ValueError, match=r"undefined|needs two tasks"):
        intraclass_correlation(trials)


def test_the_error_and_correlation_of_a_published_row() -> None:
    # gpt-4o on airline: 0.273 - 0.1764 = 0.0966; 0.147 / 4 = 0.03675; 0.13335 / 50 = 0.002667.
    assert published_standard_error(0.42, 0.273, trials=4, tasks=50) == pytest.approx(0.05164, abs=5e-6)
    assert published_intraclass_correlation(0.42, 0.273) == pytest.approx(0.0966 / 0.2436)


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=2, max_size=9))
def test_a_published_row_has_the_error_of_its_outcomes(tasks: list[list[bool]]) -> None:
    error = estimate_mean(pass_hat_k_by_task(tasks, 1)).standard_error
    assert error is not None
    pass_1, pass_2 = pass_hat_k(tasks, 1), pass_hat_k(tasks, 2)
    published = published_standard_error(pass_1, pass_2, trials=4, tasks=len(tasks))
    if pass_2 >= pass_1**2:
        assert published * (len(tasks) / (len(tasks) - 1)) ** 0.5 == pytest.approx(error)
    else:
        assert published * (len(tasks) / (len(tasks) - 1)) ** 0.5 >= error


@pytest.mark.parametrize(("pass_1", "pass_2"), [(0.4, 0.5), (1.1, 0.5), (0.5, -0.1), (float("nan"), 0.1)])
def test_impossible_rows_are_refused(pass_1: float, pass_2: float) -> None:
    with pytest.raises(ValueError, match=r"pass\^2 <= pass\^1"):
        published_standard_error(pass_1, pass_2, trials=4, tasks=50)
    with pytest.raises(ValueError, match=r"pass\^2 <= pass\^1"):
        published_intraclass_correlation(pass_1, pass_2)


def test_no_trials_no_tasks_and_rows_without_variance_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1 trial and 1 task"):
        published_standard_error(0.4, 0.2, trials=0, tasks=50)
    with pytest.raises(ValueError, match="undefined"):
        published_intraclass_correlation(1, 1)


def test_the_minimum_detectable_difference_is_2_8_standard_errors() -> None:
    assert minimum_detectable_difference(0.05) == pytest.approx(0.05 * (1.959964 + 0.841621), abs=1e-6)


def test_a_difference_that_large_is_found_with_the_power_asked_for() -> None:
    difference = minimum_detectable_difference(1.0, alpha=0.1, power=0.9)
    found_from = NormalDist().inv_cdf(0.95)
    assert 1 - NormalDist(difference, 1.0).cdf(found_from) == pytest.approx(0.9)


@pytest.mark.parametrize(("error", "alpha", "power"), [(-1, 0.05, 0.8), (1, 0, 0.8), (1, 0.05, 1)])
def test_impossible_demands_are_refused(error: float, alpha: float, power: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        minimum_detectable_difference(error, alpha=alpha, power=power)
