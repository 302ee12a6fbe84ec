"""What the catalogue has of an app: its latest version, and its scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from appeval_pipeline.appdef.catalogue import CatalogueEntry, scan, scenario_paths
from appeval_pipeline.errors import CatalogueError
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
