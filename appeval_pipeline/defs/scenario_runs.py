"""The asset ``scenario_runs``: how each app version fares in its test scenarios."""

import dagster as dg

from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.app_version_asset import app_version_asset
from appeval_pipeline.defs.metadata import scenario_metadata
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.store.recording import record_scenarios
from appeval_pipeline.store.results import read_versions_or_missing
from appeval_pipeline.store.scenario_files import applying, read_suites


@app_version_asset(
    group="evaluation",
    description=(
        "Test scenarios that apply to each app version, run step by step in an execution context that is "
        "seeded and frozen.\n\n"
        "A scenario passes if every step meets its expectations and every assertion on the final state "
        "holds. pass_rate = passed / evaluated; partial_credit = steps passed / steps."
    ),
    deps=[app_definitions],
)
def scenario_runs(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Run the scenarios of this run's app versions on their stored definitions."""
    versions = read_versions_or_missing(workspace.database, context.partition_keys)
    suites = read_suites(workspace.data_path, versions)
    results = [
        record_scenarios(version, applying(suites[version.partition_key], version.version))
        for version in versions
    ]
    return store_results(context, workspace, results, scenario_metadata)
