"""Timing two versions of an app against each other, call by call.

Both replay the same scenario in lockstep, so that whatever the machine does meanwhile hits both alike:

* A round runs each call once on either side; which side goes first changes from call to call, and in the
  second round of a pair it is the other one. So going first, which finds colder caches, weighs on both. Which
  of these two rounds comes first changes from pair to pair: what is left of the order widens the interval.
* Of a call's two times in a pair of rounds the shorter counts: an interruption only ever lengthens.
* A pair is the sum of these over all calls of an action: old, and new. Calls that fail in one version and
  not in the other, or in another way, are left out: they do different things, which is told as a change of
  behaviour. So are calls that both refuse before any logic runs: whatever they would show, the calls that
  are let through show as well, and as they change no state, the others go on without them.
* A suspected change is measured once more, from the definitions on: compiled again in the other order, the
  code lies elsewhere in memory. The second measurement alone is reported, as it was not chosen for being
  extreme; so both must find the change.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.scenarios import Scenario
from appeval_pipeline.evaluation.timing.comparison import CONFIDENCE, ActionComparison, TimingComparison
from appeval_pipeline.evaluation.timing.measuring import Timer, collector_off
from appeval_pipeline.evaluation.timing.statistics import median_interval, percentile
from appeval_pipeline.evaluation.timing.workload import Call, Start, Workload, applicable, workloads_of

PAIRS: Final = 11
"""Pairs of measurements; the fewest of which the interval forgives an outlier at either end."""

REPLAY_PAIRS: Final = 3
"""Pairs of whole replays."""

WARM_UP_ROUNDS: Final = 1
"""Rounds in which Python specialises the code, after one that finds the calls that end alike."""

_BEFORE_LOGIC: Final = frozenset({"parameters", "access", "unknown_action", "unknown_agent"})

Pair = tuple[int, int]
"""Nanoseconds: old, new."""

BUDGET_S: Final = 5.0
"""After which a measurement begins no further call."""


def compare_timings(
    old: Engine,
    new: Engine,
    scenarios: Iterable[Scenario],
    *,
    timer: Timer = time.perf_counter_ns,
    budget_s: float = BUDGET_S,
) -> TimingComparison:
    """How much slower or faster the actions of ``new`` are than those of ``old``.

    Args:
        old, new: Two versions of an app.
        scenarios: What to run; those that are meant for both versions are.
        timer: Where times come from.
        budget_s: For each of the two measurements, the second of which is rarely needed.
    """
    for_new = set(map(id, applicable(new.app, scenarios := tuple(scenarios))))
    common = [scenario for scenario in applicable(old.app, scenarios) if id(scenario) in for_new]
    workloads = workloads_of(common, old, new)
    names = [name for name in old.action_names if name in set(new.action_names)]
    first = _measure(old, new, workloads, names, timer, budget_s)
    if not first.significant:
        return first
    fresh_new, fresh_old = Engine(new.app), Engine(old.app)
    second = _measure(fresh_old, fresh_new, workloads, names, timer, budget_s)
    return _confirmed(first, second)


def _confirmed(first: TimingComparison, second: TimingComparison) -> TimingComparison:
    """The first measurement, but what it suspects, and the throughput, as the second one has it."""
    suspects = {action.action for action in first.significant}
    again = {action.action: action for action in second.actions if action.action in suspects}
    lost = suspects - again.keys()
    actions = (again.get(action.action, action) for action in first.actions if action.action not in lost)
    return TimingComparison(
        tuple(actions), (*first.not_compared, *sorted(lost)), second.throughput_change_pct
    )


def _measure(
    old: Engine,
    new: Engine,
    workloads: Sequence[Workload],
    names: Sequence[str],
    timer: Timer,
    budget_s: float,
) -> TimingComparison:
    lockstep = _Lockstep(old, new, frozenset(names), timer, timer() + round(budget_s * 1e9))
    pairs: list[dict[str, Pair]] = []
    replays: list[Pair] = []
    tasks: list[_Task] = []
    with collector_off(), suppress(_OutOfBudget):
        tasks = [lockstep.probe(workload) for workload in workloads]
        for task in tasks:
            for _ in range(WARM_UP_ROUNDS):
                lockstep.round(task, old_first=True)
        for number in range(PAIRS):
            pairs.append(lockstep.pair(tasks, old_first=number % 2 == 0))
            if number < REPLAY_PAIRS and any(task.ends_alike for task in tasks):
                replays.append(lockstep.replay_pair(tasks))
    calls = Counter(name for task in tasks for name in task.counted) if pairs else Counter()
    # An even number has no middle pair.
    del pairs[len(pairs) - 1 + len(pairs) % 2 :]
    return TimingComparison(
        tuple(_compared(name, [pair[name] for pair in pairs], calls[name]) for name in names if calls[name]),
        tuple(name for name in names if not calls[name]),
        (percentile(sorted(before / after for before, after in replays), 0.5) - 1) * 100 if replays else None,
    )


def _compared(action: str, pairs: Sequence[Pair], calls: int) -> ActionComparison:
    """The comparison of one action by its pairs, each of so many calls."""
    ratio, low, high = median_interval([after / before for before, after in pairs], CONFIDENCE)
    old_ns, new_ns = (percentile(sorted(side), 0.5) / calls for side in zip(*pairs, strict=True))
    return ActionComparison(action, len(pairs), old_ns / 1e6, new_ns / 1e6, ratio, low, high)


class _OutOfBudget(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Task:
    """Calls, and for each the action that its time counts for, None if for none; where either side starts."""

    calls: tuple[Call, ...]
    counted: tuple[str | None, ...]
    old: Start
    new: Start

    @property
    def ends_alike(self) -> bool:
        return bool(self.counted) and None not in self.counted


@dataclass(frozen=True, slots=True)
class _Lockstep:
    """Two engines that run the same calls; times in nanoseconds, old before new in every pair.

    Every method raises `_OutOfBudget` after the deadline.
    """

    old: Engine
    new: Engine
    names: frozenset[str]
    timer: Timer
    deadline: int

    def probe(self, workload: Workload) -> _Task:
        """Run both sides to see which calls are worth timing, and which of them end alike."""
        start_old, start_new = workload.starter(self.old), workload.starter(self.new)
        old, new = start_old(), start_new()
        calls: list[Call] = []
        counted: list[str | None] = []
        for call in workload.calls:
            before = old.execute(call.agent, call.action, call.params)
            after = new.execute(call.agent, call.action, call.params)
            self._check(self.timer())
            if before.error_kind in _BEFORE_LOGIC and after.error_kind in _BEFORE_LOGIC:
                continue
            calls.append(call)
            alike = before.success == after.success and before.error_kind == after.error_kind
            counted.append(call.action if alike and call.action in self.names else None)
        return _Task(tuple(calls), tuple(counted), start_old, start_new)

    def round(self, task: _Task, *, old_first: bool) -> list[Pair]:
        """Each call once on either side; the side that goes first changes from call to call."""
        timer = self.timer
        starts = (task.old, task.new) if old_first else (task.new, task.old)
        first, second = (start().execute for start in starts)
        times = []
        for call in task.calls:
            agent, action, params = call.agent, call.action, call.params
            started = timer()
            first(agent, action, params)
            between = timer()
            second(agent, action, params)
            ended = timer()
            pair = (between - started, ended - between)
            times.append(pair if old_first else pair[::-1])
            old_first = not old_first
            first, second = second, first
            self._check(ended)
        return times

    def pair(self, tasks: Sequence[_Task], *, old_first: bool) -> dict[str, Pair]:
        """Two rounds of all tasks: for each action the time of its calls."""
        # The second round of a task must not follow the first at once: it would find warmer caches.
        rounds = [
            [self.round(task, old_first=order) for task in tasks] for order in (old_first, not old_first)
        ]
        totals: dict[str, Pair] = {}
        for task, times, others in zip(tasks, *rounds, strict=True):
            for name, one, other in zip(task.counted, times, others, strict=True):
                if name is not None:
                    totals[name] = _sum(totals.get(name, (0, 0)), _shorter(one, other))
        return {name: _positive(total) for name, total in totals.items()}

    def replay_pair(self, tasks: Sequence[_Task]) -> Pair:
        """The times of whole replays, without those in which calls end differently."""
        total = (0, 0)
        for task in tasks:
            if task.ends_alike:
                old, new = self._replay(task, task.old), self._replay(task, task.new)
                later_new, later_old = self._replay(task, task.new), self._replay(task, task.old)
                total = _sum(total, _shorter((old, new), (later_old, later_new)))
        return _positive(total)

    def _replay(self, task: _Task, start: Start) -> int:
        execute = start().execute
        started = self.timer()
        for call in task.calls:
            execute(call.agent, call.action, call.params)
        ended = self.timer()
        self._check(ended)
        return ended - started

    def _check(self, now: int) -> None:
        if now > self.deadline:
            raise _OutOfBudget


def _sum(one: Pair, other: Pair) -> Pair:
    return one[0] + other[0], one[1] + other[1]


def _shorter(one: Pair, other: Pair) -> Pair:
    return min(one[0], other[0]), min(one[1], other[1])


def _positive(pair: Pair) -> Pair:
    """At least a nanosecond a side: a coarse clock may see no time pass."""
    return max(pair[0], 1), max(pair[1], 1)
