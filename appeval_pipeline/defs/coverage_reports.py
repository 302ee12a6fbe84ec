"""The asset ``coverage_reports``: how much of each app version's logic its scenarios reach."""

import dagster as dg

from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.app_version_asset import app_version_asset
from appeval_pipeline.defs.metadata import coverage_metadata
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.scenario_runs import scenario_runs
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.store.recording import record_coverage
from appeval_pipeline.store.results import read_versions_or_missing
from appeval_pipeline.store.stored_runs import read_runs


@app_version_asset(
    group="evaluation",
    description=(
        "How much of each app version's logic its scenario runs reach, and what they do not, each gap with "
        "its reason and what would close it.\n\n"
        "Coverages are shares in percent: actions entered; blocks that ran; arms taken (both of each branch, "
        "pass and fail of each validate, zero and some of each loop); paths taken, counted up to 10,000 an "
        "action."
    ),
    deps=[app_definitions, scenario_runs],
)
def coverage_reports(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Analyze the stored scenario runs of this run's app versions."""
    versions = read_versions_or_missing(workspace.database, context.partition_keys)
    runs = read_runs(workspace.database, context.partition_keys)
    results = [record_coverage(version, runs.get(version.partition_key)) for version in versions]
    return store_results(context, workspace, results, coverage_metadata)
