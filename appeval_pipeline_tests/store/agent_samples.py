"""Small made-up results of agents to store."""

from __future__ import annotations

from typing import Any

from appeval_pipeline.store import Store, write_batch
from appeval_pipeline.store.inputs import common_inputs
from appeval_pipeline.store.rows import AgentEvaluationRow, Input, PartitionResult
from appeval_pipeline_tests.store import samples
from appeval_pipeline_tests.store.export import results

FOLDER = "apps/paypal/tasks"


def evaluated(task: str, agent: str, **given: Any) -> AgentEvaluationRow:
    """One scored trial that reached the goal in the two actions that it takes, but for what is given."""
    values = {
        "status": "evaluated",
        "trial_count": 1,
        "infra_errors": 0,
        "goals_reached": 1,
        "goal_rate": 1.0,
        "goal_rate_low": 0.25,
        "goal_rate_high": 1.0,
        "optimal_actions": 2,
        "optimal_is_exact": True,
        **given,
    }
    file = f"{FOLDER}/{task}.yaml"
    return results.row(AgentEvaluationRow, "paypal", 1, file_path=file, task=task, agent=agent, **values)


def agents(upstream: PartitionResult, *rows: AgentEvaluationRow) -> PartitionResult:
    """What agents made of a version, with the files of their tasks."""
    definition = Input(
        kind="asset",
        key="app_definitions",
        version=upstream.data_version,
        partition_key=upstream.partition_key,
        run_id="run-1",
    )
    files = [
        Input(kind="file", key=path, version="sha-of-task", content_hash="hash-of-task")
        for path in dict.fromkeys(row.file_path for row in rows)
    ]
    inputs = (definition, *common_inputs("agent_evaluations"), *files)
    return PartitionResult(upstream.app_id, upstream.version, rows, inputs)


def store_agents(database: Store, *rows: AgentEvaluationRow) -> None:
    """Store a version of PayPal, and what agents made of it."""
    upstream = samples.definition()
    write_batch(database, samples.batch("app_definitions", upstream))
    write_batch(database, samples.batch("agent_evaluations", agents(upstream, *rows)))
