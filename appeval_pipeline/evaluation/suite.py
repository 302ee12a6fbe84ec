"""What the catalogue has of an app: its latest version, and its scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from appeval_pipeline.appdef.catalogue import CatalogueEntry, scan, scenario_paths, task_paths
from appeval_pipeline.errors import CatalogueError
from appeval_pipeline.evaluation.agents import EvaluationTask, load_task
from appeval_pipeline.evaluation.scenarios import Scenario, load_scenario

REFERENCE_ROOT = "benchmarks"


def latest_versions(data_dir: Path, app_ids: Sequence[str]) -> tuple[CatalogueEntry, ...]:
    """The latest version of each app, or of every reference app where no app is named.

    Raises:
        CatalogueError: There is no such app, no data directory, or no reference app.
    """
    catalogue = scan(data_dir)
    latest = {entry.app_id: entry for entry in catalogue.entries}  # the greatest version comes last
    for app_id in app_ids:
        if app_id not in latest:
            catalogue.entry(app_id, 1)  # raises, with what there is
    chosen = app_ids or [app_id for app_id, entry in latest.items() if entry.root == REFERENCE_ROOT]
    if not chosen:
        raise CatalogueError(f"There is no app in {data_dir / REFERENCE_ROOT}; name an app of your own")
    return tuple(latest[app_id] for app_id in dict.fromkeys(chosen))


def load_suite(data_dir: Path, app_id: str, root: str) -> tuple[Scenario, ...]:
    """The scenarios of an app, whatever version they are for, by file.

    Raises:
        ScenarioError: One of the files cannot be used.
    """
    return tuple(load_scenario(data_dir / path) for path in scenario_paths(data_dir, app_id, root))


def find_tasks(
    data_dir: Path, entry: CatalogueEntry, wanted: str | None = None
) -> tuple[EvaluationTask, ...]:
    """The tasks that apply to an app version, by file.

    Args:
        wanted: Only the task of this name, or in the file of this name.

    Raises:
        CatalogueError: There is none, or not the one that is wanted; the message lists those there are.
        TaskError: One of the files cannot be used.
    """
    paths = task_paths(data_dir, entry.app_id, entry.root)
    tasks = {path.stem: load_task(data_dir / path) for path in paths}
    applying = {stem: task for stem, task in tasks.items() if task.applies(entry.version)}
    found = tuple(task for stem, task in applying.items() if wanted in (None, stem, task.name))
    if not found:
        known = ", ".join(applying) or f"none; put one into {entry.root}/{entry.app_id}/tasks"
        what = f"no task '{wanted}'" if wanted else "no task"
        raise CatalogueError(f"There is {what} for {entry.partition_key}; tasks: {known}")
    return found
