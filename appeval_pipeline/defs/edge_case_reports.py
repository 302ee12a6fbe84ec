"""The asset ``edge_case_reports``: how each app version behaves at the edges of its parameters and rules."""

import dagster as dg

from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.app_version_asset import app_version_asset
from appeval_pipeline.defs.metadata import edge_case_metadata
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.scenario_runs import scenario_runs
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.store.recording import record_edge_cases
from appeval_pipeline.store.results import read_versions_or_missing
from appeval_pipeline.store.stored_runs import read_runs


@app_version_asset(
    group="evaluation",
    description=(
        "Edge cases of each app version, derived from its parameters and logic: bounds, wrong types, missing "
        "and unknown parameters, foreign agents, the failing arm of every validate.\n\n"
        "coverage = cases that a scenario step meets with an expectation / cases. robustness = cases that "
        "behave when they are run (invalid input is refused cleanly, valid input ends without an error of "
        "an expression or a limit) / cases. Both in percent."
    ),
    deps=[app_definitions, scenario_runs],
)
def edge_case_reports(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Derive and run the edge cases of this run's app versions."""
    versions = read_versions_or_missing(workspace.database, context.partition_keys)
    runs = read_runs(workspace.database, context.partition_keys)
    results = [record_edge_cases(version, runs.get(version.partition_key)) for version in versions]
    return store_results(context, workspace, results, edge_case_metadata)
