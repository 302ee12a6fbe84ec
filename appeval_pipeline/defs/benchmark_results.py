"""The asset ``benchmark_results``: how fast, correct and good each app version is, in one row."""

from datetime import UTC, datetime

import dagster as dg

from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.app_version_asset import app_version_asset
from appeval_pipeline.defs.edge_case_reports import edge_case_reports
from appeval_pipeline.defs.metadata import benchmark_metadata
from appeval_pipeline.defs.quality_scores import quality_scores
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.scenario_runs import scenario_runs
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.store.dependencies import BENCHMARKS, SOURCES
from appeval_pipeline.store.known import read_figures
from appeval_pipeline.store.recording import record_benchmark
from appeval_pipeline.store.results import read_versions_or_missing
from appeval_pipeline.store.scenario_files import applying, read_suites
from appeval_pipeline.store.sources import read_inputs


@app_version_asset(
    group="benchmarks",
    description=(
        "Latency and throughput of each app version's actions, measured on its scenarios, beside its pass "
        "rate, edge-case coverage and quality.\n\n"
        "At least 1,000 actions are timed after a warm-up; each latency is also given as a multiple of a "
        "calibration loop in the same process, so that two machines can be compared. What is measured does "
        "not count for the data version."
    ),
    deps=[app_definitions, quality_scores, scenario_runs, edge_case_reports],
)
def benchmark_results(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Benchmark the stored definitions of this run's app versions."""
    versions = read_versions_or_missing(workspace.database, context.partition_keys)
    suites = read_suites(workspace.data_path, versions)
    upstream = read_inputs(workspace.database, context.partition_keys, SOURCES[BENCHMARKS].upstream[1:])
    known = read_figures(workspace.database, context.partition_keys)
    timestamp = datetime.now(UTC).isoformat(timespec="seconds")
    results = [
        record_benchmark(
            version,
            applying(suites[version.partition_key], version.version),
            upstream.get(version.partition_key, ()),
            known.get(version.partition_key),
            timestamp,
        )
        for version in versions
    ]
    return store_results(context, workspace, results, benchmark_metadata)
