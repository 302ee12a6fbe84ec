"""Scores without the tasks of a known issue: with them, a score tells of more than the agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from appeval_pipeline.evaluation.statistics import Estimate, estimate_mean, pass_hat_k_by_task
from appeval_pipeline.taubench.ground_truth import TaskFlags
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline.taubench.suite import TauSuite
from appeval_pipeline.taubench.tasks import TauTask


@dataclass(frozen=True, slots=True)
class WithoutFlagged:
    """pass^1 without the tasks of a known issue.

    Attributes:
        flag: The issue.
        tasks: Those that have it.
        pass_hat_1: Of the others; None where there are none, or one has no scored trial.
        left: How many others there are.
    """

    flag: str
    tasks: tuple[int, ...]
    pass_hat_1: Estimate | None
    left: int

    def __str__(self) -> str:
        ids = ", ".join(map(str, self.tasks))
        if not self.left:
            return f"{self.flag}: all tasks ({ids})"
        told = "undefined"
        if (one := self.pass_hat_1) is not None:
            told = f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
        return f"without {len(self.tasks)} {self.flag} (tasks {ids}): pass^1 {told}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "flag": self.flag,
            "tasks": list(self.tasks),
            "pass_hat_1": self.pass_hat_1.to_dict() if self.pass_hat_1 else None,
        }


def without_flagged(
    suite: TauSuite, tasks: Sequence[TauTask], results: Sequence[TauResult], *, seed: int = 0
) -> Iterator[WithoutFlagged]:
    """For each known issue that one of the tasks has: pass^1 without those tasks, as a line or as numbers."""
    flags = {task.id: suite.flags(task).names for task in tasks}
    for name in (field.name for field in fields(TaskFlags)):
        flagged = tuple(task for task, names in flags.items() if name in names)
        if not flagged:
            continue
        rest: dict[int, list[bool]] = {}
        for result in results:
            if result.task_id not in flagged:
                scored = rest.setdefault(result.task_id, [])
                scored += [] if result.reward is None else [result.succeeded]
        yield WithoutFlagged(name, flagged, _pass_hat_1(tuple(rest.values()), seed), len(rest))


def _pass_hat_1(successes: Sequence[Sequence[bool]], seed: int) -> Estimate | None:
    if not successes or not all(successes):
        return None
    return estimate_mean(pass_hat_k_by_task(successes, 1), seed=seed)
