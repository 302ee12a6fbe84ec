"""The asset ``tau_metrics``: what an experiment's trials come to, and how sure that is."""

import dagster as dg

from appeval_pipeline.defs.app_version_asset import experiment_asset
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.defs.tau_metadata import metric_metadata
from appeval_pipeline.defs.tau_tasks import tau_tasks
from appeval_pipeline.defs.tau_trials import tau_trials
from appeval_pipeline.store.dependencies import TAU_METRICS, TAU_UPSTREAM
from appeval_pipeline.store.recording.tau import record_tau_metrics
from appeval_pipeline.store.sources import read_inputs


@experiment_asset(
    description=(
        "pass^1 to pass^4 of an experiment and the numbers that go with them, each with its standard error "
        "over tasks and its 95% interval; also with trials that broke down counted as failures, and without "
        "the tasks of each known issue.\n\n"
        "pass^k = mean over tasks of C(c, k) / C(n, k) for c successes in n scored trials; overall_score = "
        "mean of pass^1 to pass^4; success_within_turns[k] = share of trials that succeed within k turns, "
        "mean over tasks."
    ),
    deps=[tau_tasks, tau_trials],
)
def tau_metrics(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Score the stored trials of this run's experiments."""
    from appeval_pipeline.store.experiments.reading import read_experiment

    names = context.partition_keys
    upstream = read_inputs(workspace.database, names, TAU_UPSTREAM[TAU_METRICS])
    results = [
        record_tau_metrics(read_experiment(workspace.database, name), upstream.get(name, ()))
        for name in names
    ]
    return store_results(context, workspace, results, metric_metadata)
