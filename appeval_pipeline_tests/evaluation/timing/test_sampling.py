"""Timing calls alone, with a clock that moves as the tests say."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain, cycle, repeat

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import Scenario, load_scenario
from appeval_pipeline.evaluation.timing.measuring import Timer, calibration_pass, collector_off
from appeval_pipeline.evaluation.timing.sampling import Samples, SamplingPlan, TimedCall, time_actions
from appeval_pipeline.evaluation.timing.workload import workloads_of


def clock(steps_ns: Iterable[int]) -> Timer:
    """A timer that moves on by the next of ``steps_ns`` each time it is read."""
    moments: Iterator[int] = accumulate(steps_ns)
    return lambda: next(moments)


def known_times() -> Iterator[int]:
    """Spending takes 3 µs, counting 5 µs and a pass of the fixed work 2 µs; what is in between, 1 ms."""
    gap = 1_000_000
    return chain([gap], cycle([gap, 3_000, gap, 5_000, gap, 2_000]))


def sample(app: AppDefinition, scenario: Scenario, plan: SamplingPlan, timer: Timer) -> Samples:
    engine = Engine(app)
    return time_actions(engine, workloads_of([scenario], engine), plan, timer)


def test_each_call_is_timed_alone(purse: AppDefinition, spending: Scenario) -> None:
    plan = SamplingPlan(min_samples=4, min_replays=1, warm_up_calls=2)
    samples = sample(purse, spending, plan, clock(known_times()))
    assert samples.calls == [
        TimedCall("spend", 3_000, 0),
        TimedCall("count", 5_000, 0),
        TimedCall("spend", 3_000, 1),
        TimedCall("count", 5_000, 1),
    ]
    assert samples.passes_ns == [2_000, 2_000]
    assert samples.multiples() == [1.5, 2.5, 1.5, 2.5]
    assert samples.complete


def test_replays_are_whole(purse: AppDefinition, spending: Scenario) -> None:
    plan = SamplingPlan(min_samples=5, min_replays=1, warm_up_calls=0)
    assert len(sample(purse, spending, plan, clock(known_times())).calls) == 6


def test_as_many_replays_are_timed_as_asked_for(purse: AppDefinition, spending: Scenario) -> None:
    plan = SamplingPlan(min_samples=1, min_replays=7, warm_up_calls=0)
    assert len(sample(purse, spending, plan, clock(known_times())).calls) == 14


def test_the_budget_ends_the_timing(purse: AppDefinition, spending: Scenario) -> None:
    # Every reading of the clock is 100 ms after the last: two a call and a pass. The first call ends at
    # 200 ms, the second at 400 ms, the first one of the second replay at 800 ms.
    plan = SamplingPlan(min_samples=1_000, warm_up_calls=0, budget_s=0.7)
    samples = sample(purse, spending, plan, clock(repeat(100_000_000)))
    assert [call.action for call in samples.calls] == ["spend", "count", "spend"]
    assert len(samples.multiples()) == 3
    assert not samples.complete


def test_the_warm_up_takes_no_more_than_a_tenth_of_the_budget(
    purse: AppDefinition, spending: Scenario
) -> None:
    # The clock is read every 100 ms: the first call ends 200 ms after the start, which is beyond 150 ms.
    plan = SamplingPlan(min_samples=2, min_replays=1, warm_up_calls=1_000, budget_s=1.5)
    samples = sample(purse, spending, plan, clock(repeat(100_000_000)))
    assert [call.action for call in samples.calls] == ["spend", "count"]
    assert samples.complete


def test_a_machine_that_slows_down_leaves_the_multiples_as_they_are() -> None:
    fast, slow = [2_000] * 10, [4_000] * 10
    calls = [TimedCall("spend", 2 * taken, index) for index, taken in enumerate(fast + slow)]
    multiples = Samples(calls, fast + slow).multiples()
    # Five passes around say how fast it was, so all but those next to the change see one speed.
    assert multiples[:8] == [2.0] * 8
    assert multiples[12:] == [2.0] * 8


def test_an_interrupted_pass_does_not_count() -> None:
    passes = [2_000, 2_000, 900_000, 2_000, 2_000]
    assert Samples([TimedCall("spend", 3_000, 2)], passes).multiples() == [1.5]


def test_a_setup_that_the_engine_refuses_is_left_out(purse: AppDefinition, spending: Scenario) -> None:
    huge = load_scenario(
        {
            **spending.to_dict(),
            "name": "Too large",
            "setup": {"agents": ["ann"], "initial_state": {"shared": {"text": "x" * 2_000_000}}},
        }
    )
    engine = Engine(purse)
    assert [workload.setup for workload in workloads_of([huge, spending], engine)] == [spending.setup]


def test_nothing_to_call_gives_no_samples(purse: AppDefinition) -> None:
    assert time_actions(Engine(purse), (), SamplingPlan(), clock(repeat(1))) == Samples()


def test_the_collector_is_off_meanwhile_and_as_before_afterwards() -> None:
    assert gc.isenabled()
    with collector_off():
        assert not gc.isenabled()
        with collector_off():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_is_back_on_after_a_failure(purse: AppDefinition, spending: Scenario) -> None:
    with pytest.raises(StopIteration):
        sample(purse, spending, SamplingPlan(), clock([1] * 9))
    assert gc.isenabled()


def test_the_fixed_work_is_one_payment_made_and_one_refused() -> None:
    assert calibration_pass() == 1
