"""Where an agent fails: task by task, and by what went wrong."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Final, Protocol

from appeval_pipeline.taubench.faults import FAULT_KINDS, FaultKind, TauFault
from appeval_pipeline.taubench.results import Spending, TauResult


class FaultSource(Protocol):
    """What knows why trials failed: an `Explainer`, or what was stored of them."""

    def faults(self, result: TauResult) -> tuple[TauFault, ...]:
        """Why a trial failed; nothing for one that succeeded, or cannot be explained."""

    def flags(self, task_id: int) -> tuple[str, ...]:
        """The known issues of a task."""


@dataclass(frozen=True, slots=True)
class TaskReport:
    """How an agent did on one task.

    Attributes:
        trials, scored, successes: Numbers of trials; those that broke down are not scored.
        average_reward: Over scored trials; None where there is none.
        flags: Known issues of the task.
        faults: In how many trials there is a fault of each kind.
    """

    task_id: int
    trials: int
    scored: int
    successes: int
    average_reward: float | None
    flags: tuple[str, ...]
    faults: Mapping[FaultKind, int]

    @property
    def commonest_fault(self) -> FaultKind | None:
        """That of the most trials; of several, the one that comes first in `FAULT_KINDS`."""
        kinds = [kind for kind in FAULT_KINDS if kind in self.faults]
        return max(kinds, key=lambda kind: self.faults[kind], default=None)

    def to_dict(self) -> dict[str, Any]:
        return {
            "task_id": self.task_id,
            "trials": self.trials,
            "scored": self.scored,
            "successes": self.successes,
            "average_reward": self.average_reward,
            "flags": list(self.flags),
            "faults": dict(self.faults),
            "commonest_fault": self.commonest_fault,
        }


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where and why trials failed.

    Attributes:
        trials: All of them, by task and trial, with the faults of each.
        tasks: In their order.
    """

    trials: tuple[tuple[TauResult, tuple[TauFault, ...]], ...]
    tasks: tuple[TaskReport, ...]

    @property
    def failed(self) -> int:
        """Trials without success, those that broke down too."""
        return sum(not result.succeeded for result, _ in self.trials)

    @property
    def unexplained(self) -> int:
        """Failed trials without a fault: there are no messages of them, or no task to hold them against."""
        return sum(not result.succeeded and not faults for result, faults in self.trials)

    @property
    def faults(self) -> dict[FaultKind, int]:
        """In how many trials there is a fault of each kind; a trial may have several."""
        return _by_kind([task.faults for task in self.tasks])

    def to_dict(self) -> dict[str, Any]:
        return {
            "failed": self.failed,
            "unexplained": self.unexplained,
            "faults": dict(self.faults),
            "tasks": [task.to_dict() for task in self.tasks],
            "trials": [
                {
                    "task_id": result.task_id,
                    "trial": result.trial,
                    "reward": result.reward,
                    "faults": [fault.to_dict() for fault in faults],
                }
                for result, faults in self.trials
            ],
        }


def break_down(results: Sequence[TauResult], source: FaultSource | None) -> Breakdown:
    """Find the faults of all trials, and sum them up by task.

    Args:
        source: Where None, no faults and no flags are found.
    """
    ordered = sorted(results, key=lambda result: (result.task_id, result.trial))
    trials = tuple((result, source.faults(result) if source else ()) for result in ordered)
    by_task: defaultdict[int, list[tuple[TauResult, tuple[TauFault, ...]]]] = defaultdict(list)
    for result, faults in trials:
        by_task[result.task_id].append((result, faults))
    tasks = tuple(
        _task_report(task, of_task, source.flags(task) if source else ()) for task, of_task in by_task.items()
    )
    return Breakdown(trials, tasks)


TRIAL_COLUMNS: Final = (
    *("task_id", "trial", "reward", "succeeded", "end", "error", "steps"),
    *("agent_cost_usd", "agent_prompt_tokens", "agent_completion_tokens"),
    *("user_cost_usd", "user_prompt_tokens", "user_completion_tokens"),
    *("flags", "faults", "first_fault_step", "first_fault_detail"),
)


def trial_rows(breakdown: Breakdown) -> Iterator[tuple[object, ...]]:
    """A row a trial, for a spreadsheet, with the cells of `TRIAL_COLUMNS`; None where nothing is known."""
    flags = {task.task_id: " ".join(task.flags) for task in breakdown.tasks}
    for result, faults in breakdown.trials:
        first = faults[0] if faults else None
        end = result.info.get("end")
        yield (
            *(result.task_id, result.trial, result.reward, result.succeeded),
            *(end if isinstance(end, str) else None, result.error, result.turns),
            *_spent(result.agent),
            *_spent(result.user),
            flags[result.task_id],
            " ".join(dict.fromkeys(fault.kind for fault in faults)),
            *((first.step, first.detail) if first else (None, None)),
        )


def _spent(side: Spending) -> tuple[float | None, int | None, int | None]:
    return side.cost_usd, side.prompt_tokens, side.completion_tokens


def with_faults(breakdown: Breakdown) -> tuple[TauResult, ...]:
    """The trials with their faults in ``info``: tau-bench's own tools read past them."""
    return tuple(
        replace(result, info={**result.info, "faults": [fault.to_dict() for fault in faults]})
        for result, faults in breakdown.trials
    )


def _task_report(
    task_id: int, trials: Sequence[tuple[TauResult, tuple[TauFault, ...]]], flags: tuple[str, ...]
) -> TaskReport:
    rewards = [result.reward for result, _ in trials if result.reward is not None]
    return TaskReport(
        task_id=task_id,
        trials=len(trials),
        scored=len(rewards),
        successes=sum(result.succeeded for result, _ in trials),
        average_reward=fmean(rewards) if rewards else None,
        flags=flags,
        faults=_by_kind([dict.fromkeys((fault.kind for fault in faults), 1) for _, faults in trials]),
    )


def _by_kind(counts: Sequence[Mapping[FaultKind, int]]) -> dict[FaultKind, int]:
    """The sum of counts, in the order of `FAULT_KINDS`."""
    total: Counter[FaultKind] = Counter()
    for count in counts:
        total.update(count)
    return {kind: total[kind] for kind in FAULT_KINDS if total[kind]}
