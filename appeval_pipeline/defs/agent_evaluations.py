"""The asset ``agent_evaluations``: how well agents get on with each app version."""

import dagster as dg

from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.app_version_asset import app_version_asset
from appeval_pipeline.defs.metadata import agent_metadata
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.storing import store_results
from appeval_pipeline.store.recording import Trying, finding_agents, record_agents
from appeval_pipeline.store.results import read_versions_or_missing
from appeval_pipeline.store.task_files import read_tasks

AGENT_POOL = "agents"
"""Not the writers' pool: asking a model may take an hour, and all other steps would wait for it. What it
writes in the end is one short transaction like theirs, and waits for the store's own lock."""


@app_version_asset(
    group="agents",
    description=(
        "Agents on each app version's tasks: oracle (the shortest plan that a search finds), noop and random "
        "as baselines, and whatever APPEVAL_AGENTS names.\n\n"
        "goal_rate = trials that reach the goal / scored trials; pass^k = C(c, k) / C(n, k) for c of n; "
        "success_rate = actions that succeed / attempted; efficiency_ratio = fewest possible / taken, 0 "
        "where the goal is missed."
    ),
    deps=[app_definitions],
    pool=AGENT_POOL,
)
def agent_evaluations(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult[None]:
    """Let agents try the tasks of this run's app versions on their stored definitions."""
    versions = read_versions_or_missing(workspace.database, context.partition_keys)
    tasks = read_tasks(workspace.data_path, versions)
    with finding_agents(workspace.local_model_url) as find:
        trying = Trying(workspace.agent_plan, workspace.trials_path, find)
        results = [record_agents(version, tasks[version.partition_key], trying) for version in versions]
    stored = store_results(context, workspace, results, agent_metadata)
    trying.discard_finished()
    return stored
