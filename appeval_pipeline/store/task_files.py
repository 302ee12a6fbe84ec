"""The task files of an app: each one's hash, what it means, and whether it applies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from appeval_pipeline.appdef.catalogue import task_paths
from appeval_pipeline.errors import Fault, TaskError
from appeval_pipeline.evaluation import EvaluationTask, load_task
from appeval_pipeline.store.files import UNREADABLE, file_sha256
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import Input


@dataclass(frozen=True, slots=True)
class TaskFile:
    """One task file; an invalid one has an error in place of ``task``."""

    path: str
    sha256: str
    content_hash: str
    task: EvaluationTask | None
    error: str | None

    def as_input(self) -> Input:
        """This file as an input of a result."""
        return Input(kind="file", key=self.path, version=self.sha256, content_hash=self.content_hash)

    def applies(self, version: int) -> bool:
        """Whether that version is tried with it: by what it says, or it is too broken to tell."""
        return self.task is None or self.task.applies(version)


def read_task_files(data_dir: Path, app_id: str, root: str) -> tuple[TaskFile, ...]:
    """All task files of an app, sorted by path."""
    return tuple(_read(data_dir, str(path), app_id) for path in task_paths(data_dir, app_id, root))


def read_tasks(data_dir: Path, versions: Sequence[StoredVersion]) -> dict[str, tuple[TaskFile, ...]]:
    """The task files that apply to each stored version, by partition key."""
    homes = {(version.app_id, version.root) for version in versions}
    files = {home: read_task_files(data_dir, *home) for home in homes}
    return {
        version.partition_key: tuple(
            file for file in files[version.app_id, version.root] if file.applies(version.version)
        )
        for version in versions
    }


def _read(data_dir: Path, path: str, app_id: str) -> TaskFile:
    # The hash is taken first: should the file change in between, it is the older one, and stale.
    sha256 = file_sha256(data_dir, path) or UNREADABLE
    try:
        task = load_task(data_dir / path)
        if task.app_id != app_id:
            raise TaskError([Fault("app_id", f"'{task.app_id}', expected '{app_id}' as the folder says")])
    except TaskError as error:
        return TaskFile(path, sha256, sha256, None, str(TaskError(error.faults, path)))
    return TaskFile(path, sha256, task.content_hash, task, None)
