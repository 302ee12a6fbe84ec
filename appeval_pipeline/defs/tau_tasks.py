"""The asset ``tau_tasks``: the tasks of each experiment's split, with their known issues."""

import dagster as dg

from appeval_pipeline.defs.app_version_asset import experiment_asset
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.defs.tau_metadata import task_metadata
from appeval_pipeline.store.experiments import find_experiment
from appeval_pipeline.store.recording.tau import record_tau_tasks


@experiment_asset(
    description=(
        "The tasks of the split of tau-bench that an experiment is on, each with its known issues, found by "
        "running it.\n\n"
        "null_passable: an agent that does nothing gets reward 1. gold_error: an expected action that is to "
        "change the database is refused. read_only: the expected actions change nothing."
    ),
    kinds=frozenset({"yaml"}),
)
def tau_tasks(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Read and check the tasks of this run's experiments."""
    workspace.database.prepare()
    files = [find_experiment(workspace.data_path, name) for name in context.partition_keys]
    return store_results(context, workspace, [record_tau_tasks(file) for file in files], task_metadata)
