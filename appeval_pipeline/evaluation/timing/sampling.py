"""Timing each call of the workloads, and the fixed work in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.timing.measuring import Timer, calibration_pass, collector_off
from appeval_pipeline.evaluation.timing.statistics import percentile
from appeval_pipeline.evaluation.timing.workload import Call, Start, Workload

CALLS_A_PASS: Final = 5
"""Calls between two passes of the fixed work: a machine that speeds up or slows down does so for both."""

_PASSES_AROUND: Final = 2
"""Passes before and after the nearest one that say how fast the machine was; the median forgives two."""


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """How much is timed.

    All workloads are replayed, whole, until there are ``min_samples`` calls and ``min_replays`` replays; so
    every replay counts each call once, and the mix of calls does not depend on speed. Only the budget cuts
    this short: then there are fewer samples, and the percentiles that need more are left out.

    Attributes:
        min_samples: Calls to time.
        min_replays: Replays to time.
        warm_up_calls: Calls before that, in whole replays and untimed, in which Python compiles and
            specialises the code; they end early when a tenth of the budget is spent.
        budget_s: After which no further call begins.
    """

    min_samples: int = 1_000
    min_replays: int = 5
    warm_up_calls: int = 500
    budget_s: float = 5.0


@dataclass(frozen=True, slots=True)
class TimedCall:
    """One call: how long it took, and the number of the pass of the fixed work that came next."""

    action: str
    latency_ns: int
    next_pass: int


@dataclass(slots=True)
class Samples:
    """Times as they were taken.

    Attributes:
        calls: In order.
        passes_ns: Of the fixed work, one after at most `CALLS_A_PASS` calls.
        complete: Whether the budget sufficed.
    """

    calls: list[TimedCall] = field(default_factory=list)
    passes_ns: list[int] = field(default_factory=list)
    complete: bool = True

    def multiples(self) -> list[float]:
        """Each call's latency as a multiple of the passes around it, in the order of the calls.

        A machine's speed may change by half within a run; the passes nearby saw the same speed as the call.
        """
        passes = self.passes_ns
        nearby = (passes[max(0, n - _PASSES_AROUND) : n + _PASSES_AROUND + 1] for n in range(len(passes)))
        speeds = [percentile(sorted(around), 0.5) for around in nearby]
        return [call.latency_ns / max(speeds[call.next_pass], 1) for call in self.calls]


def time_actions(engine: Engine, workloads: Sequence[Workload], plan: SamplingPlan, timer: Timer) -> Samples:
    """Time each call of ``workloads`` alone, in fresh sessions, whose making is not timed.

    A call that is refused is timed like any other: telling a caller no is part of an app's work. The
    garbage collector is off meanwhile: see `collector_off`.
    """
    samples = Samples()
    replay_size = sum(len(workload.calls) for workload in workloads)
    if not replay_size:
        return samples
    replays = max(plan.min_replays, -(-plan.min_samples // replay_size))
    warm_up_replays = -(-plan.warm_up_calls // replay_size)
    budget_ns = round(plan.budget_s * 1e9)
    tasks = [(workload.starter(engine), workload.calls) for workload in workloads]
    with collector_off():
        started = timer()
        warm_up = Samples()
        for _ in range(warm_up_replays):
            if not _replay(tasks, warm_up, started + budget_ns // 10, timer):
                break
        samples.complete = all(_replay(tasks, samples, started + budget_ns, timer) for _ in range(replays))
    return samples


def _replay(
    tasks: Sequence[tuple[Start, Sequence[Call]]], samples: Samples, deadline: int, timer: Timer
) -> bool:
    """Time every call once.

    Returns:
        Whether that was done before the deadline.
    """
    calls, passes = samples.calls, samples.passes_ns
    for start, steps in tasks:
        execute = start().execute
        for first in range(0, len(steps), CALLS_A_PASS):
            for call in steps[first : first + CALLS_A_PASS]:
                agent, action, params = call.agent, call.action, call.params
                started = timer()
                execute(agent, action, params)
                ended = timer()
                calls.append(TimedCall(action, ended - started, len(passes)))
                if ended > deadline:
                    break
            started = timer()
            calibration_pass()
            ended = timer()
            passes.append(ended - started)
            if ended > deadline:
                return False
    return True
