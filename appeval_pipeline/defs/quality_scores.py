"""The asset ``quality_scores``: how good each app version's definition is."""

import dagster as dg

from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.app_version_asset import app_version_asset
from appeval_pipeline.defs.metadata import quality_metadata
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.store.recording import record_quality
from appeval_pipeline.store.results import read_versions_or_missing


@app_version_asset(
    group="evaluation",
    description=(
        "Quality of each app version's definition, 0 to 100, in six dimensions, with suggestions.\n\n"
        "overall = 0.25 · completeness + 0.20 · documentation + 0.20 · validation + 0.15 · error_handling "
        "+ 0.10 · state_safety + 0.10 · consistency.\n\n"
        "Levels: Excellent from 90, Good from 70, Acceptable from 50, Needs Work below."
    ),
    deps=[app_definitions],
)
def quality_scores(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Score the stored definitions of this run's app versions."""
    versions = read_versions_or_missing(workspace.database, context.partition_keys)
    return store_results(
        context, workspace, [record_quality(version) for version in versions], quality_metadata
    )
