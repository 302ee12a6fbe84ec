"""The figures that sum up times, against hand calculation and enumeration."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from appeval_pipeline.evaluation.timing.statistics import (
    bootstrap_ranks,
    histogram,
    median_interval,
    percentile,
)


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.0, 10), (0.25, 17.5), (0.5, 25), (0.95, 38.5), (1.0, 40)],
)
def test_percentiles_are_interpolated_between_neighbours(share: float, expected: float) -> None:
    # Position 3 * share in 10, 20, 30, 40: 0.75 is 10 + 0.75 * 10, and 2.85 is 30 + 0.85 * 10.
    assert percentile([10, 20, 30, 40], share) == pytest.approx(expected)


def test_a_percentile_of_one_value_is_that_value() -> None:
    assert percentile([7.0], 0.99) == 7.0


def interval_by_enumeration(values: list[float], confidence: Fraction) -> tuple[float, float]:
    """The percentile interval of the median over all n^n resamples."""
    size = len(values)
    medians = Counter(sorted(resample)[size // 2] for resample in product(values, repeat=size))
    tail = (1 - confidence) / 2

    def quantile(share: Fraction) -> float:
        reached = Fraction(0)
        for value in sorted(medians):
            reached += Fraction(medians[value], size**size)
            if reached >= share:
                return value
        raise AssertionError

    return quantile(tail), quantile(1 - tail)


@pytest.mark.parametrize("values", [[3.0, 1.0, 2.0], [0.9, 1.4, 1.1, 1.0, 2.0]])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.9, 0.95, 0.98, 0.999])
def test_the_interval_is_that_of_all_resamples(values: list[float], confidence: float) -> None:
    median, low, high = median_interval(values, confidence)
    assert median == sorted(values)[len(values) // 2]
    assert (low, high) == interval_by_enumeration(values, Fraction(str(confidence)))


def test_the_interval_of_three_values_is_known_by_hand() -> None:
    # The median of a resample is the smallest value if 2 or 3 of 3 draws are: 3 * (1/9) * (2/3) + 1/27,
    # which is 7/27 or 26%. So a tail of 25% ends at the smallest value and one of 27% at the middle one.
    assert bootstrap_ranks(3, 0.50) == (0, 2)
    assert bootstrap_ranks(3, 0.46) == (1, 1)


def test_of_many_values_the_interval_is_narrow() -> None:
    # The normal approximation of the ranks: 50 ± 3.29 * sqrt(101) / 2, from 0.
    low, high = bootstrap_ranks(101, 0.999)
    assert low == pytest.approx(50 - 16.5, abs=1)
    assert low + high == 100


@pytest.mark.parametrize("count", [0, 2, 10])
def test_a_median_that_is_none_of_the_values_has_no_exact_interval(count: int) -> None:
    with pytest.raises(ValueError, match="must be odd"):
        bootstrap_ranks(count, 0.999)


def test_a_histogram_counts_every_latency_once() -> None:
    # Eight bins a decade: 0.001 begins one, 0.0013 is in it (its end is 0.001 * 10^(1/8) = 0.00133), 0.002
    # is in the third (from 0.00178 to 0.00237), 0.01 begins the ninth.
    drawn = histogram([0.001, 0.0013, 0.002, 0.01])
    assert drawn.counts == (2, 0, 1, 0, 0, 0, 0, 0, 1)
    assert len(drawn.edges_ms) == 10
    assert drawn.edges_ms[0] == pytest.approx(0.001)
    assert drawn.edges_ms[8] == pytest.approx(0.01)


def test_a_time_that_the_clock_did_not_see_is_drawn_as_a_nanosecond() -> None:
    drawn = histogram([0.0])
    assert drawn.counts == (1,)
    assert drawn.edges_ms[0] == pytest.approx(1e-6)


def test_no_latencies_make_an_empty_histogram() -> None:
    assert histogram([]).to_dict() == {"edges_ms": [], "counts": []}
