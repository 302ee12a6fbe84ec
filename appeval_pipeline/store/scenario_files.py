"""The scenario files of an app: each one's hash, what it means, and whether it applies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from appeval_pipeline.appdef.catalogue import scenario_paths
from appeval_pipeline.errors import Fault, ScenarioError
from appeval_pipeline.evaluation import Scenario, load_scenario
from appeval_pipeline.store.files import UNREADABLE, file_sha256
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import Input


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """One scenario file; an invalid one has an error in place of ``scenario``."""

    path: str
    sha256: str
    content_hash: str
    scenario: Scenario | None
    error: str | None

    def as_input(self) -> Input:
        """This file as an input of a result."""
        return Input(kind="file", key=self.path, version=self.sha256, content_hash=self.content_hash)


def read_scenario_files(data_dir: Path, app_id: str, root: str) -> tuple[ScenarioFile, ...]:
    """All scenario files of an app, sorted by path."""
    return tuple(_read(data_dir, str(path), app_id) for path in scenario_paths(data_dir, app_id, root))


def read_suites(data_dir: Path, versions: Sequence[StoredVersion]) -> dict[str, tuple[ScenarioFile, ...]]:
    """All scenario files of each stored version's app, by partition key."""
    suites: dict[tuple[str, str], tuple[ScenarioFile, ...]] = {}
    found = {}
    for version in versions:
        home = (version.app_id, version.root)
        if home not in suites:
            suites[home] = read_scenario_files(data_dir, *home)
        found[version.partition_key] = suites[home]
    return found


def applying(files: tuple[ScenarioFile, ...], *versions: int) -> tuple[ScenarioFile, ...]:
    """Those files that one of the versions is judged by: its scenarios, and files too broken to tell."""
    return tuple(
        file
        for file in files
        if versions and (file.scenario is None or any(map(file.scenario.applies, versions)))
    )


def _read(data_dir: Path, path: str, app_id: str) -> ScenarioFile:
    # The hash is taken first: should the file change in between, it is the older one, and stale.
    sha256 = file_sha256(data_dir, path) or UNREADABLE
    try:
        scenario = load_scenario(data_dir / path)
        if scenario.app_id != app_id:
            message = f"'{scenario.app_id}', expected '{app_id}' as the folder says"
            raise ScenarioError([Fault("app_id", message)])
    except ScenarioError as error:
        return ScenarioFile(path, sha256, sha256, None, str(ScenarioError(error.faults, path)))
    return ScenarioFile(path, sha256, scenario.content_hash, scenario, None)
