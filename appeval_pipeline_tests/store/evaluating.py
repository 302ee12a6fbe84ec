"""Evaluating a catalogue into a store without Dagster, as the assets do it."""

from collections.abc import Callable
from pathlib import Path

from appeval_pipeline.appdef.catalogue import parse_partition_key
from appeval_pipeline.store import Batch, Database, write_batch
from appeval_pipeline.store.dependencies import SOURCES
from appeval_pipeline.store.freshness import Plan, find_entry, make_plan, storable_catalogue
from appeval_pipeline.store.known import read_figures
from appeval_pipeline.store.landing import land
from appeval_pipeline.store.recording import (
    record_benchmark,
    record_coverage,
    record_edge_cases,
    record_quality,
    record_regression,
    record_scenarios,
)
from appeval_pipeline.store.results import read_state, read_versions_or_missing
from appeval_pipeline.store.scenario_files import applying, read_suites
from appeval_pipeline.store.sources import read_comparands, read_inputs
from appeval_pipeline.store.stored_runs import read_runs
from appeval_pipeline_tests.store import samples

Write = Callable[[Database, Batch], dict[str, int]]


def plan_of(data_dir: Path, database: Database) -> Plan:
    return make_plan(data_dir, read_state(database))


def needs_of(data_dir: Path, database: Database) -> dict[str, tuple[str, ...]]:
    """Partition keys with the assets that are stale."""
    return {need.partition_key: need.assets for need in plan_of(data_dir, database).needs}


def evaluate(
    data_dir: Path,
    database: Database,
    *,
    run_id: str = "run-1",
    only: str | None = None,
    write: Write = write_batch,
) -> dict[str, tuple[str, ...]]:
    """Bring everything up to date, or ``only`` one partition; returns what was stale."""
    needs = {key: assets for key, assets in needs_of(data_dir, database).items() if only in (None, key)}
    catalogue = storable_catalogue(data_dir)

    def wanted(asset: str) -> list[str]:
        return [key for key, assets in needs.items() if asset in assets]

    stored = read_state(database).versions
    definitions = [
        land(*parse_partition_key(key), find_entry(catalogue, key), stored.get(key), data_dir)
        for key in wanted("app_definitions")
    ]
    write(database, samples.batch("app_definitions", *definitions, run_id=run_id))
    scores = [
        record_quality(version) for version in read_versions_or_missing(database, wanted("quality_scores"))
    ]
    write(database, samples.batch("quality_scores", *scores, run_id=run_id))
    versions = read_versions_or_missing(database, wanted("scenario_runs"))
    suites = read_suites(data_dir, versions)
    scenario_runs = [
        record_scenarios(version, applying(suites[version.partition_key], version.version))
        for version in versions
    ]
    write(database, samples.batch("scenario_runs", *scenario_runs, run_id=run_id))
    for asset, record in (("coverage_reports", record_coverage), ("edge_case_reports", record_edge_cases)):
        versions = read_versions_or_missing(database, wanted(asset))
        runs = read_runs(database, wanted(asset))
        results = [record(version, runs.get(version.partition_key)) for version in versions]
        write(database, samples.batch(asset, *results, run_id=run_id))
    versions = read_versions_or_missing(database, wanted("benchmark_results"))
    suites = read_suites(data_dir, versions)
    upstream = read_inputs(database, wanted("benchmark_results"), SOURCES["benchmark_results"].upstream[1:])
    known = read_figures(database, wanted("benchmark_results"))
    benchmarks = [
        record_benchmark(
            version,
            applying(suites[version.partition_key], version.version),
            upstream.get(version.partition_key, ()),
            known.get(version.partition_key),
            "2026-01-02T12:00:00+00:00",
        )
        for version in versions
    ]
    write(database, samples.batch("benchmark_results", *benchmarks, run_id=run_id))
    comparands = read_comparands(database, data_dir, wanted("regression_reports"))
    reports = [record_regression(comparand) for comparand in comparands]
    write(database, samples.batch("regression_reports", *reports, run_id=run_id))
    return needs
