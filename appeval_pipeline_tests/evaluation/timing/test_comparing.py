"""Timing two versions against each other, with a clock that counts function calls instead of time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import accumulate, chain
from types import FrameType

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import Scenario
from appeval_pipeline.evaluation.timing import ActionComparison, TimingComparison, compare_timings
from appeval_pipeline.evaluation.timing.comparing import PAIRS, REPLAY_PAIRS
from appeval_pipeline.evaluation.timing.measuring import Timer

Blocks = list[dict[str, object]]
IDLE: Blocks = [
    {"type": "validate", "condition": f"len('{'x' * number}') == {number}", "errorMessage": "never"}
    for number in range(1, 40)
]


@pytest.fixture
def work_clock() -> Iterator[Timer]:
    """A timer that shows how many functions were called so far: the same on every machine and run."""
    count = 0

    def on_event(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(on_event)
    yield lambda: count * 1_000
    sys.setprofile(before)


def edited(app: AppDefinition, logic: dict[str, Blocks], leave_out: str | None = None) -> Engine:
    """An engine of ``app`` with blocks put before the logic of some actions."""
    document = app.model_dump(mode="json", by_alias=True, exclude_unset=True)
    document["actions"] = [action for action in document["actions"] if action["name"] != leave_out]
    for action in document["actions"]:
        action["logic"] = [*logic.get(action["name"], []), *action["logic"]]
    return Engine(AppDefinition.model_validate(document))


def test_equal_versions_are_equally_fast(purse: AppDefinition, spending: Scenario, work_clock: Timer) -> None:
    comparison = compare_timings(Engine(purse), edited(purse, {}), [spending], timer=work_clock)
    assert [(found.action, found.ratio, found.low, found.high) for found in comparison.actions] == [
        ("spend", 1, 1, 1),
        ("count", 1, 1, 1),
    ]
    assert comparison.latency_change_pct == 0
    assert comparison.throughput_change_pct == 0
    assert comparison.significant == ()
    assert comparison.not_compared == ()


def test_the_action_that_became_slower_is_named_and_no_other(
    purse: AppDefinition, spending: Scenario, work_clock: Timer
) -> None:
    comparison = compare_timings(Engine(purse), edited(purse, {"count": IDLE}), [spending], timer=work_clock)
    spend, count = comparison.actions
    assert comparison.significant == (count,)
    assert count.ratio > 1.5
    assert count.new_median_ms == pytest.approx(count.old_median_ms * count.ratio)
    assert count.pair_count == PAIRS
    assert spend.ratio == 1
    assert comparison.latency_change_pct == pytest.approx((count.ratio**0.5 - 1) * 100)
    assert comparison.throughput_change_pct is not None
    assert comparison.throughput_change_pct < -10


def test_the_action_that_became_faster_is_named(
    purse: AppDefinition, spending: Scenario, work_clock: Timer
) -> None:
    comparison = compare_timings(edited(purse, {"count": IDLE}), Engine(purse), [spending], timer=work_clock)
    assert [found.action for found in comparison.significant] == ["count"]
    assert comparison.latency_change_pct is not None
    assert comparison.latency_change_pct < -10
    assert comparison.throughput_change_pct is not None
    assert comparison.throughput_change_pct > 10


def clock_of_cold_caches() -> Iterator[int]:
    """Steps of a clock: going first takes 5 µs, second 3 µs, and each twice that in a pair's first round."""
    yield from [0] * 3  # the start, and two calls to see how they end
    yield from [0] * 6  # the warm-up: two calls, three readings each
    for number in range(PAIRS):
        yield from [0, 10_000, 6_000] * 2
        yield from [0, 5_000, 3_000] * 2
        if number < REPLAY_PAIRS:
            yield from [0, 8_000] * 4


def test_neither_going_first_nor_cold_caches_make_a_difference(
    purse: AppDefinition, spending: Scenario
) -> None:
    moments = accumulate(clock_of_cold_caches())
    comparison = compare_timings(Engine(purse), Engine(purse), [spending], timer=lambda: next(moments))
    # The shorter times are those of the second round: 3 and 5 µs, or 5 and 3 µs, from pair to pair.
    assert [(found.low, found.high) for found in comparison.actions] == [(3 / 5, 5 / 3)] * 2
    assert comparison.significant == ()
    assert comparison.throughput_change_pct == 0
    assert next(moments, None) is None


def clock_of_one_measurement(old_ns: int, new_ns: int) -> Iterator[int]:
    """The clock's steps where each call takes so long, whichever goes first."""
    yield from [0] * 9  # the start, two calls to see how they end, and the warm-up
    old_then_new, new_then_old = [0, old_ns, new_ns], [0, new_ns, old_ns]
    for number in range(PAIRS):
        first_round = old_then_new + new_then_old
        second_round = new_then_old + old_then_new
        yield from (first_round + second_round) if number % 2 == 0 else (second_round + first_round)
        if number < REPLAY_PAIRS:
            yield from [0, 2 * old_ns, 0, 2 * new_ns, 0, 2 * new_ns, 0, 2 * old_ns]


def test_a_change_is_told_only_when_a_second_measurement_finds_it_too(
    purse: AppDefinition, spending: Scenario
) -> None:
    def compare(*measurements: Iterator[int]) -> TimingComparison:
        moments = accumulate(chain(*measurements))
        comparison = compare_timings(Engine(purse), Engine(purse), [spending], timer=lambda: next(moments))
        assert next(moments, None) is None
        return comparison

    equal = compare(clock_of_one_measurement(4_000, 4_000))
    once = compare(clock_of_one_measurement(4_000, 8_000), clock_of_one_measurement(4_000, 4_000))
    twice = compare(clock_of_one_measurement(4_000, 8_000), clock_of_one_measurement(4_000, 6_000))
    assert [found.ratio for found in equal.actions] == [1, 1]
    assert [found.ratio for found in once.actions] == [1, 1]
    assert once.significant == ()
    assert [found.ratio for found in twice.actions] == [1.5, 1.5]
    assert twice.significant == twice.actions
    assert (twice.actions[0].old_median_ms, twice.actions[0].new_median_ms) == (0.004, 0.006)
    assert once.throughput_change_pct == 0
    assert twice.throughput_change_pct == pytest.approx(100 * (4 / 6 - 1))


def test_calls_that_end_differently_are_not_compared(
    purse: AppDefinition, spending: Scenario, work_clock: Timer
) -> None:
    refusing: Blocks = [{"type": "error", "message": "The purse is shut"}]
    comparison = compare_timings(
        Engine(purse), edited(purse, {"count": refusing}), [spending], timer=work_clock
    )
    assert [found.action for found in comparison.actions] == ["spend"]
    assert comparison.not_compared == ("count",)
    # The only scenario does not end alike, so there is no replay to compare either.
    assert comparison.throughput_change_pct is None


def test_only_actions_of_both_versions_are_compared(
    purse: AppDefinition, spending: Scenario, work_clock: Timer
) -> None:
    comparison = compare_timings(
        Engine(purse), edited(purse, {}, leave_out="count"), [spending], timer=work_clock
    )
    assert [found.action for found in comparison.actions] == ["spend"]
    assert comparison.not_compared == ()


def test_calls_refused_before_the_logic_are_left_out(
    purse: AppDefinition, spending: Scenario, work_clock: Timer
) -> None:
    step = spending.steps[0]
    refused = step.model_copy(update={"params": {"amount": "much"}})
    both = spending.model_copy(update={"steps": [refused, *spending.steps, refused]})
    alone = spending.model_copy(update={"steps": [refused]})
    old, new = Engine(purse), edited(purse, {"spend": IDLE})
    with_refusals = compare_timings(old, new, [both], timer=work_clock)
    without = compare_timings(old, new, [spending], timer=work_clock)
    assert with_refusals.actions[0].ratio == without.actions[0].ratio
    assert compare_timings(old, new, [alone], timer=work_clock).not_compared == ("spend", "count")


def test_nothing_is_compared_when_the_budget_is_spent(purse: AppDefinition, spending: Scenario) -> None:
    moments = iter(range(0, 10**15, 10**9))
    comparison = compare_timings(
        Engine(purse), Engine(purse), [spending], timer=lambda: next(moments), budget_s=1.5
    )
    assert comparison == TimingComparison((), ("spend", "count"), None)
    assert comparison.latency_change_pct is None


def test_a_scenario_of_another_version_is_not_run(purse: AppDefinition, spending: Scenario) -> None:
    later = spending.model_copy(update={"applies_to": ">=2"})
    second = Engine(purse.model_copy(update={"version": 2}))
    assert compare_timings(Engine(purse), second, [later]).not_compared == ("spend", "count")


@pytest.mark.parametrize(
    ("ratio", "low", "high", "significant"),
    [
        (1.2, 1.1, 1.3, True),
        (1.2, 0.99, 1.3, False),  # the interval holds 1
        (1.09, 1.05, 1.2, False),  # too little
        (0.95, 0.9, 0.99, False),
        (0.905, 0.9, 0.99, True),  # below 1 / 1.1 = 0.909
        (0.8, 0.7, 1.01, False),
    ],
)
def test_significant_is_what_is_sure_and_large(
    ratio: float, low: float, high: float, significant: bool
) -> None:
    assert ActionComparison("spend", 9, 1.0, ratio, ratio, low, high).is_significant == significant


def test_few_pairs_show_nothing() -> None:
    assert not ActionComparison("spend", 3, 1.0, 2.0, 2.0, 1.9, 2.1).is_significant


def test_the_latency_change_is_the_geometric_mean() -> None:
    actions = tuple(
        ActionComparison(name, 9, 1.0, ratio, ratio, ratio, ratio) for name, ratio in (("a", 4.0), ("b", 0.5))
    )
    # sqrt(4 * 0.5) = 1.4142
    assert TimingComparison(actions, (), None).latency_change_pct == pytest.approx(41.42, abs=0.005)


def test_the_comparison_says_all_of_it_as_json() -> None:
    action = ActionComparison("spend", 9, 1.0, 2.0, 2.0, 1.9, 2.1)
    assert TimingComparison((action,), ("count",), -50.0).to_dict() == {
        "latency_change_pct": pytest.approx(100),
        "throughput_change_pct": -50.0,
        "actions": [
            {
                "action": "spend",
                "pair_count": 9,
                "old_median_ms": 1.0,
                "new_median_ms": 2.0,
                "ratio": 2.0,
                "low": 1.9,
                "high": 2.1,
                "is_significant": True,
            }
        ],
        "not_compared": ["count"],
    }
