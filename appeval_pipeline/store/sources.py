"""The stored results that an evaluation starts from, as its inputs; and the baseline of each version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from appeval_pipeline.evaluation.known import KnownQuality
from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.dependencies import REGRESSIONS, SOURCES
from appeval_pipeline.store.known import read_qualities
from appeval_pipeline.store.parameters import TEXTS, texts
from appeval_pipeline.store.results import StoredVersion, read_versions, read_versions_or_missing
from appeval_pipeline.store.rows import Input
from appeval_pipeline.store.scenario_files import ScenarioFile, applying, read_suites


@dataclass(frozen=True, slots=True)
class Comparand:
    """A version, what it is compared with, and what that rests on.

    Attributes:
        stored: The version.
        baseline: The next lower valid version; None where there is none.
        files: The scenario files that apply to either; none without a baseline.
        inputs: The results of both that the comparison rests on, beside the version's definition.
        known: The stored quality of the baseline and of the version, if both are stored.
    """

    stored: StoredVersion
    baseline: StoredVersion | None
    files: tuple[ScenarioFile, ...]
    inputs: tuple[Input, ...]
    known: tuple[KnownQuality, KnownQuality] | None = None


def read_inputs(
    database: Store, partition_keys: Sequence[str], assets: Sequence[str]
) -> dict[str, tuple[Input, ...]]:
    """The present results of ``assets`` as inputs, by partition key; what is not stored is left out."""
    with database.reader() as connection:
        rows = connection.execute(
            "SELECT DISTINCT partition_key, asset_key, data_version, run_id FROM lineage"
            f" WHERE list_contains({TEXTS}, partition_key)"
            f" AND list_contains({TEXTS}, asset_key) ORDER BY ALL",
            [texts(partition_keys), texts(assets)],
        ).fetchall()
    inputs: dict[str, tuple[Input, ...]] = {}
    for key, asset, data_version, run_id in rows:
        found = Input(kind="asset", key=asset, version=data_version, partition_key=key, run_id=run_id)
        inputs[key] = (*inputs.get(key, ()), found)
    return inputs


def read_comparands(database: Store, data_dir: Path, partition_keys: Sequence[str]) -> tuple[Comparand, ...]:
    """The versions of the partitions, in that order, each with its baseline."""
    sources = SOURCES[REGRESSIONS]
    versions = read_versions_or_missing(database, partition_keys)
    valid: dict[str, list[StoredVersion]] = {}
    for stored in read_versions(database).values():
        if stored.status == "valid":
            valid.setdefault(stored.app_id, []).append(stored)
    baselines = {
        version.partition_key: _baseline(version, valid.get(version.app_id, ())) for version in versions
    }
    keys = [baseline.partition_key for baseline in baselines.values() if baseline]
    inputs = read_inputs(database, partition_keys, sources.upstream[1:])
    baseline_inputs = read_inputs(database, keys, sources.baseline)
    qualities = read_qualities(database, [*partition_keys, *keys])
    suites = read_suites(data_dir, [version for version in versions if baselines[version.partition_key]])

    def comparand(stored: StoredVersion) -> Comparand:
        key = stored.partition_key
        baseline = baselines[key]
        if baseline is None:
            return Comparand(stored, None, (), inputs.get(key, ()))
        upstream = (
            replace(found, kind="upstream_version")
            for found in baseline_inputs.get(baseline.partition_key, ())
        )
        files = applying(suites[key], stored.version, baseline.version)
        before, after = qualities.get(baseline.partition_key), qualities.get(key)
        known = (before, after) if before and after else None
        return Comparand(stored, baseline, files, (*inputs.get(key, ()), *upstream), known)

    return tuple(map(comparand, versions))


def _baseline(version: StoredVersion, valid: Sequence[StoredVersion]) -> StoredVersion | None:
    """The greatest of the app's valid versions below this one."""
    below = [other for other in valid if other.version < version.version]
    return max(below, key=lambda other: other.version, default=None)
