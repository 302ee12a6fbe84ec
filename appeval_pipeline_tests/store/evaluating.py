"""Evaluating a catalogue into a store without Dagster, as the assets do it."""

from collections.abc import Callable
from pathlib import Path

from appeval_pipeline.agent_plan import DEFAULT_PLAN, AgentPlan
from appeval_pipeline.appdef.catalogue import parse_partition_key
from appeval_pipeline.store import Batch, Store, write_batch
from appeval_pipeline.store.dependencies import SOURCES
from appeval_pipeline.store.freshness import Plan, find_entry, make_plan, storable_catalogue
from appeval_pipeline.store.known import read_figures
from appeval_pipeline.store.landing import land
from appeval_pipeline.store.recording import (
    Trying,
    record_agents,
    record_benchmark,
    record_coverage,
    record_edge_cases,
    record_quality,
    record_regression,
    record_scenarios,
)
from appeval_pipeline.store.results import StoredVersion, read_state, read_versions_or_missing
from appeval_pipeline.store.rows import PartitionResult
from appeval_pipeline.store.scenario_files import applying, read_suites
from appeval_pipeline.store.sources import read_comparands, read_inputs
from appeval_pipeline.store.stored_runs import StoredRuns, read_runs
from appeval_pipeline.store.task_files import read_tasks
from appeval_pipeline_tests.store import samples

Write = Callable[[Store, Batch], dict[str, int]]


def plan_of(data_dir: Path, database: Store, agents: AgentPlan = DEFAULT_PLAN) -> Plan:
    return make_plan(data_dir, read_state(database), agents=agents)


def needs_of(data_dir: Path, database: Store, agents: AgentPlan = DEFAULT_PLAN) -> dict[str, tuple[str, ...]]:
    """Partition keys with the assets that are stale."""
    return {need.partition_key: need.assets for need in plan_of(data_dir, database, agents).needs}


def evaluate(
    data_dir: Path,
    database: Store,
    *,
    run_id: str = "run-1",
    only: str | None = None,
    write: Write = write_batch,
    agents: AgentPlan = DEFAULT_PLAN,
) -> dict[str, tuple[str, ...]]:
    """Bring everything up to date, or ``only`` one partition; returns what was stale."""
    stale = needs_of(data_dir, database, agents)
    needs = {key: assets for key, assets in stale.items() if only in (None, key)}
    recording = _Recording(data_dir, database, agents)
    for asset, record in recording.by_asset().items():
        # Each writing publishes a snapshot, which takes its time: only what there is.
        if keys := [key for key, assets in needs.items() if asset in assets]:
            write(database, samples.batch(asset, *record(keys), run_id=run_id))
    recording.trying.discard_finished()
    return needs


class _Recording:
    """What each asset makes of partitions, in the order of the assets."""

    def __init__(self, data_dir: Path, database: Store, agents: AgentPlan) -> None:
        self.data_dir = data_dir
        self.database = database
        self.trying = Trying(agents, data_dir.parent / "trials")

    def by_asset(self) -> dict[str, Callable[[list[str]], list[PartitionResult]]]:
        return {
            "app_definitions": self.definitions,
            "quality_scores": self.quality,
            "scenario_runs": self.scenarios,
            "coverage_reports": lambda keys: self.of_runs(keys, record_coverage),
            "edge_case_reports": lambda keys: self.of_runs(keys, record_edge_cases),
            "benchmark_results": self.benchmarks,
            "regression_reports": self.regressions,
            "agent_evaluations": self.agents,
        }

    def versions(self, keys: list[str]) -> list[StoredVersion]:
        return read_versions_or_missing(self.database, keys)

    def definitions(self, keys: list[str]) -> list[PartitionResult]:
        catalogue = storable_catalogue(self.data_dir)
        stored = read_state(self.database).versions
        return [
            land(*parse_partition_key(key), find_entry(catalogue, key), stored.get(key), self.data_dir)
            for key in keys
        ]

    def quality(self, keys: list[str]) -> list[PartitionResult]:
        return [record_quality(version) for version in self.versions(keys)]

    def scenarios(self, keys: list[str]) -> list[PartitionResult]:
        versions = self.versions(keys)
        suites = read_suites(self.data_dir, versions)
        return [
            record_scenarios(version, applying(suites[version.partition_key], version.version))
            for version in versions
        ]

    def of_runs(
        self, keys: list[str], record: Callable[[StoredVersion, StoredRuns | None], PartitionResult]
    ) -> list[PartitionResult]:
        runs = read_runs(self.database, keys)
        return [record(version, runs.get(version.partition_key)) for version in self.versions(keys)]

    def benchmarks(self, keys: list[str]) -> list[PartitionResult]:
        versions = self.versions(keys)
        suites = read_suites(self.data_dir, versions)
        upstream = read_inputs(self.database, keys, SOURCES["benchmark_results"].upstream[1:])
        known = read_figures(self.database, keys)
        return [
            record_benchmark(
                version,
                applying(suites[version.partition_key], version.version),
                upstream.get(version.partition_key, ()),
                known.get(version.partition_key),
                "2026-01-02T12:00:00+00:00",
            )
            for version in versions
        ]

    def regressions(self, keys: list[str]) -> list[PartitionResult]:
        return [
            record_regression(comparand) for comparand in read_comparands(self.database, self.data_dir, keys)
        ]

    def agents(self, keys: list[str]) -> list[PartitionResult]:
        versions = self.versions(keys)
        tasks = read_tasks(self.data_dir, versions)
        return [record_agents(version, tasks[version.partition_key], self.trying) for version in versions]
