"""Whose tasks a results file is of, so that its trials can be explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.taubench.domain import DOMAINS
from appeval_pipeline.taubench.faults import Explanation, TauFault, explain, find_faults
from appeval_pipeline.taubench.leaderboard import SPLIT_SIZES
from appeval_pipeline.taubench.records import RecordKey
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline.taubench.suite import TauSuite, load_suite
from appeval_pipeline.taubench.tasks import TauTask, read_tasks


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains trials of one domain.

    Attributes:
        by_id: The tasks of trials that do not bring their own; none where the split is not certain.
    """

    suite: TauSuite
    by_id: Mapping[int, TauTask] = field(default_factory=dict)

    def task(self, result: TauResult) -> TauTask | None:
        """The task as it was when it was tried: the result's own, for tau-bench has mended some since.

        None where the result brings none, or one that is damaged, and none is known by its id.
        """
        brought = result.info.get("task")
        if brought is not None:
            (tasks, _) = read_tasks([brought], self.suite.domain.toolset.tools)
            if tasks:
                return replace(tasks[0], id=result.task_id)
        return self.by_id.get(result.task_id)

    def explain(self, result: TauResult) -> Explanation | None:
        """What is behind a trial's reward; None where its task is not known."""
        task = self.task(result)
        return None if task is None else explain(self.suite, task, result)

    def faults(self, result: TauResult) -> tuple[TauFault, ...]:
        """Why a trial failed; nothing for one that succeeded, or cannot be explained."""
        task = self.task(result)
        return () if task is None else find_faults(self.suite, task, result)

    def flags(self, task_id: int) -> tuple[str, ...]:
        """The known issues of a task of the split."""
        task = self.by_id.get(task_id)
        return () if task is None else self.suite.flags(task).names


def explainer_of_suite(suite: TauSuite) -> Explainer:
    """For trials that are certainly of the suite's tasks."""
    return Explainer(suite, {task.id: task for task in suite.tasks})


def explainer_for(results: Sequence[TauResult], domain: str | None = None, split: str = "test") -> Explainer:
    """For the trials of a file.

    Args:
        domain: As somebody said; found by the customers of the file's own tasks where None.

    Raises:
        TauBenchError: tau-bench is not installed; neither the file nor anybody says what its tasks are; or
            the file says something else.
    """
    bringing = [result for result in results if result.info.get("task") is not None]
    if domain is not None:
        suite = load_suite(domain, split)
        if bringing and not any(_is_of(result.info["task"], suite) for result in bringing):
            raise TauBenchError(f"The file's own tasks are not of {domain}: no customer of theirs is there")
        return explainer_of_suite(suite)
    for name in DOMAINS if bringing else ():
        if (name, split) not in SPLIT_SIZES:
            continue
        explainer = explainer_of_suite(load_suite(name, split))
        if _is_of(bringing[0].info["task"], explainer.suite):
            current = all(explainer.by_id.get(one.task_id) == explainer.task(one) for one in bringing)
            return explainer if current else Explainer(explainer.suite)
    raise TauBenchError("The file does not say what its tasks are; --env and --task-split can")


def _is_of(task: object, suite: TauSuite) -> bool:
    user = task.get("user_id") if isinstance(task, dict) else None
    return RecordKey("users", str(user)) in suite.domain.database
