"""Two experiments on the tasks that both have: which does better, how sure that is, and where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.evaluation.statistics import PairedComparison, compare_paired, intraclass_correlation
from appeval_pipeline.taubench.breakdown import Breakdown
from appeval_pipeline.taubench.faults import FAULT_KINDS, FaultKind
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline.taubench.scoring import KS


@dataclass(frozen=True, slots=True)
class TaskDifference:
    """A task on which the two differ.

    Attributes:
        first, second: Shares of scored trials that succeeded.
        first_faults, second_faults: In how many trials there is a fault of each kind.
    """

    task_id: int
    first: float
    second: float
    first_faults: Mapping[FaultKind, int]
    second_faults: Mapping[FaultKind, int]

    @property
    def difference(self) -> float:
        return self.second - self.first

    def to_dict(self) -> dict[str, Any]:
        return {
            "task_id": self.task_id,
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "first_faults": dict(self.first_faults),
            "second_faults": dict(self.second_faults),
        }


@dataclass(frozen=True, slots=True)
class FaultChange:
    """How often a kind of fault is found, in shares of the trials on common tasks."""

    kind: FaultKind
    first: float
    second: float

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "first": self.first, "second": self.second}


@dataclass(frozen=True, slots=True)
class ExperimentComparison:
    """What sets two experiments apart.

    Attributes:
        by_k: Of pass^k, for each k up to 4 that every common task has trials for, in both.
        first_only, second_only: Tasks that only one of them has scored trials of; they count nowhere.
        first_correlation, second_correlation: How much alike trials of a task are; None where undefined.
        tasks: Those on which they differ, the most first.
        faults: Kinds that come up in either; none where faults were not looked for.
    """

    by_k: Mapping[int, PairedComparison]
    first_only: tuple[int, ...]
    second_only: tuple[int, ...]
    first_correlation: float | None
    second_correlation: float | None
    tasks: tuple[TaskDifference, ...]
    faults: tuple[FaultChange, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "by_k": {str(k): one.to_dict() for k, one in self.by_k.items()},
            "first_only": list(self.first_only),
            "second_only": list(self.second_only),
            "first_intraclass_correlation": self.first_correlation,
            "second_intraclass_correlation": self.second_correlation,
            "tasks": [task.to_dict() for task in self.tasks],
            "faults": [fault.to_dict() for fault in self.faults],
        }


def compare(
    first: Sequence[TauResult],
    second: Sequence[TauResult],
    *,
    breakdowns: tuple[Breakdown, Breakdown] | None = None,
    seed: int = 0,
) -> ExperimentComparison:
    """Compare the scored trials of two experiments, task by task.

    Args:
        breakdowns: The faults of each; they are not compared where None.
        seed: Of bootstraps and permutations.

    Raises:
        TauBenchError: They have no task in common.
    """
    before, after = _successes(first), _successes(second)
    common = sorted(before.keys() & after.keys())
    if not common:
        raise TauBenchError(f"There is no task in common: {_extent(before)}, and {_extent(after)}")
    fewest = min(len(trials[task]) for trials in (before, after) for task in common)
    faults = ({}, {}) if breakdowns is None else tuple(map(_faults_by_task, breakdowns))
    return ExperimentComparison(
        by_k={k: compare_paired(before, after, k=k, seed=seed) for k in KS if k <= fewest},
        first_only=tuple(sorted(before.keys() - after.keys())),
        second_only=tuple(sorted(after.keys() - before.keys())),
        first_correlation=_correlation([before[task] for task in common]),
        second_correlation=_correlation([after[task] for task in common]),
        tasks=_task_differences(common, before, after, faults[0], faults[1]),
        faults=() if breakdowns is None else _fault_changes(common, *breakdowns),
    )


_Successes = dict[int, list[bool]]
_Faults = Mapping[int, Mapping[FaultKind, int]]


def _successes(results: Sequence[TauResult]) -> _Successes:
    by_task: defaultdict[int, list[bool]] = defaultdict(list)
    for result in results:
        if result.reward is not None:
            by_task[result.task_id].append(result.succeeded)
    return dict(by_task)


def _faults_by_task(breakdown: Breakdown) -> _Faults:
    return {task.task_id: task.faults for task in breakdown.tasks}


def _task_differences(
    common: Sequence[int], before: _Successes, after: _Successes, first: _Faults, second: _Faults
) -> tuple[TaskDifference, ...]:
    made = (
        TaskDifference(
            task, fmean(before[task]), fmean(after[task]), first.get(task, {}), second.get(task, {})
        )
        for task in common
    )
    differing = [one for one in made if one.difference]
    return tuple(sorted(differing, key=lambda one: (-abs(one.difference), one.task_id)))


def _fault_changes(common: Sequence[int], first: Breakdown, second: Breakdown) -> tuple[FaultChange, ...]:
    before, after = _fault_shares(common, first), _fault_shares(common, second)
    return tuple(
        FaultChange(kind, before.get(kind, 0.0), after.get(kind, 0.0))
        for kind in FAULT_KINDS
        if kind in before or kind in after
    )


def _fault_shares(common: Sequence[int], breakdown: Breakdown) -> dict[FaultKind, float]:
    tasks = [task for task in breakdown.tasks if task.task_id in common]
    trials = sum(task.trials for task in tasks)
    kinds = {kind for task in tasks for kind in task.faults}
    return {kind: sum(task.faults.get(kind, 0) for task in tasks) / trials for kind in kinds}


def _correlation(trials_by_task: Sequence[Sequence[bool]]) -> float | None:
    try:
        return intraclass_correlation(trials_by_task)
    except ValueError:
        return None


def _extent(successes: _Successes) -> str:
    if not successes:
        return "one has no scored trial"
    return f"one has {len(successes)} tasks from {min(successes)} to {max(successes)}"
