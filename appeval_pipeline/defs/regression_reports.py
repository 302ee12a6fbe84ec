"""The asset ``regression_reports``: what changed in each app version against its baseline."""

import dagster as dg

from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.app_version_asset import app_version_asset
from appeval_pipeline.defs.metadata import regression_metadata
from appeval_pipeline.defs.quality_scores import quality_scores
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.scenario_runs import scenario_runs
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.store.recording import record_regression
from appeval_pipeline.store.sources import read_comparands


@app_version_asset(
    group="regressions",
    description=(
        "What changed in each app version against its baseline, the next lower valid version: scenarios that "
        "newly fail, outputs, interface, quality and speed.\n\n"
        "A version is breaking if a scenario that passes on the baseline fails on it. Latency is compared "
        "by action, timed in turns; a change counts if the 99.9% bootstrap interval of the median ratio "
        "excludes 1 and the change exceeds 10%. The lineage names the baseline as upstream_version."
    ),
    deps=[app_definitions, quality_scores, scenario_runs],
)
def regression_reports(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Compare this run's app versions with their baselines."""
    # The baseline is another partition of the same assets, which Dagster can express only inside a run: it is
    # read from the store, whose lineage names the result of it that was used.
    comparands = read_comparands(workspace.database, workspace.data_path, context.partition_keys)
    return store_results(context, workspace, list(map(record_regression, comparands)), regression_metadata)
