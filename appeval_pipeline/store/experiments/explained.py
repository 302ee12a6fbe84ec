"""What happened in trials of stored experiments, and why they failed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.experiments.reading import StoredExperiment
from appeval_pipeline.taubench.faults import TauFault
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline.taubench.steps import INVALID_ACTION


@dataclass(frozen=True, slots=True)
class StoredFaults:
    """Of one experiment, for a breakdown of its results.

    Attributes:
        by_trial: By task and trial.
        by_task: The known issues of each task.
    """

    by_trial: Mapping[tuple[int, int], tuple[TauFault, ...]]
    by_task: Mapping[int, tuple[str, ...]]

    def faults(self, result: TauResult) -> tuple[TauFault, ...]:
        """Why a trial failed."""
        return self.by_trial.get((result.task_id, result.trial), ())

    def flags(self, task_id: int) -> tuple[str, ...]:
        """The known issues of a task."""
        return self.by_task.get(task_id, ())


def read_faults(database: Store, stored: StoredExperiment) -> StoredFaults:
    """The faults of all trials of an experiment.

    Raises:
        StoreError: The store cannot be read.
    """
    with database.reader() as connection:
        rows = connection.execute(
            "SELECT task_id, trial, kind, step_index, detail FROM tau_faults WHERE partition_key = ?"
            " ORDER BY task_id, trial, position",
            [stored.name],
        ).fetchall()
    found: defaultdict[tuple[int, int], list[TauFault]] = defaultdict(list)
    for task_id, trial, kind, step, detail in rows:
        found[task_id, trial].append(TauFault(kind, step, detail))
    return StoredFaults(
        {trial: tuple(faults) for trial, faults in found.items()},
        {task: tuple(sorted(flags)) for task, flags in stored.flags.items()},
    )


def read_trials(database: Store, stored: StoredExperiment, task_id: int) -> tuple[TauResult, ...]:
    """The trials of one task with all their messages but the first, which is not stored, and how they ended.

    Raises:
        StoreError: The store cannot be read.
    """
    with database.reader() as connection:
        ends = connection.execute(
            "SELECT trial, end_reason FROM tau_trials WHERE partition_key = ? AND task_id = ?",
            [stored.name, task_id],
        ).fetchall()
        steps = connection.execute(
            "SELECT trial, kind, tool, arguments, said, observation, error FROM tau_steps"
            " WHERE partition_key = ? AND task_id = ? ORDER BY trial, step_index",
            [stored.name, task_id],
        ).fetchall()
    end_of = dict(ends)
    return tuple(
        replace(
            result,
            info={"end": end_of.get(result.trial)},
            trajectory=tuple(_messages([step for trial, *step in steps if trial == result.trial])),
        )
        for result in stored.results
        if result.task_id == task_id
    )


def _messages(steps: Sequence[Sequence[Any]]) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": ""}
    for kind, tool, arguments, said, observation, error in steps:
        answer = observation or error or ""
        if kind == "tool_call":
            function = {"name": tool, "arguments": arguments}
            yield {"role": "assistant", "content": None, "tool_calls": [{"function": function}]}
            yield {"role": "tool", "name": tool, "content": answer}
        elif kind != "stop":
            reason = {INVALID_ACTION: error or ""} if kind == "invalid_action" else {}
            yield {"role": "assistant", "content": said or "", **reason}
            yield {"role": "user", "content": answer}
