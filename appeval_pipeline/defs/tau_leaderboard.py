"""The asset ``tau_leaderboard``: each experiment among the results that tau-bench publishes."""

import dagster as dg

from appeval_pipeline.defs.app_version_asset import experiment_asset
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.defs.tau_metadata import leaderboard_metadata
from appeval_pipeline.defs.tau_metrics import tau_metrics
from appeval_pipeline.defs.tau_trials import tau_trials
from appeval_pipeline.store.dependencies import TAU_LEADERBOARD, TAU_UPSTREAM
from appeval_pipeline.store.recording.tau import record_tau_leaderboard
from appeval_pipeline.store.sources import read_inputs


@experiment_asset(
    description=(
        "The published rows of the experiment's domain by pass^1, with the experiment's own among them.\n\n"
        "It has none unless all tasks of the test split have all their trials, with a reward. Standard "
        "errors of published rows follow from pass^1 and pass^2."
    ),
    deps=[tau_trials, tau_metrics],
)
def tau_leaderboard(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Put this run's experiments beside the published results."""
    from appeval_pipeline.store.experiments.reading import read_experiment

    names = context.partition_keys
    upstream = read_inputs(workspace.database, names, TAU_UPSTREAM[TAU_LEADERBOARD])
    results = [
        record_tau_leaderboard(read_experiment(workspace.database, name), upstream.get(name, ()))
        for name in names
    ]
    return store_results(context, workspace, results, leaderboard_metadata)
