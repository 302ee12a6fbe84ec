"""The asset ``tau_trials``: what an agent does on tau-bench's tasks, step by step."""

import dagster as dg

from appeval_pipeline.defs.app_version_asset import experiment_asset
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.defs.tau_metadata import trial_metadata
from appeval_pipeline.defs.tau_tasks import tau_tasks
from appeval_pipeline.store.dependencies import TAU_TRIALS, TAU_UPSTREAM
from appeval_pipeline.store.experiments import find_experiment
from appeval_pipeline.store.recording.tau import record_tau_trials
from appeval_pipeline.store.sources import read_inputs

TAU_POOL = "tau_trials"
"""Not the writers' pool, for the same reason as that of agents: an experiment may take an hour."""


@experiment_asset(
    description=(
        "The trials of an experiment: its agent with its user on its tasks, each trial with its reward, its "
        "steps, and the faults of those that failed.\n\n"
        "reward = 1 if the database is as the expected actions make it and all outputs were said, else 0. "
        "A trial that breaks down through no fault of the agent's has none. Finished trials are kept as they "
        "end: whoever materializes this again goes on where it was."
    ),
    deps=[tau_tasks],
    pool=TAU_POOL,
)
def tau_trials(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Carry out this run's experiments."""
    names = context.partition_keys
    upstream = read_inputs(workspace.database, names, TAU_UPSTREAM[TAU_TRIALS])
    results = [
        record_tau_trials(
            find_experiment(workspace.data_path, name), upstream.get(name, ()), workspace.trials_path
        )
        for name in names
    ]
    return store_results(context, workspace, results, trial_metadata)
