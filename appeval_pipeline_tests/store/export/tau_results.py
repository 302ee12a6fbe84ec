"""Made-up results of an experiment of tau-bench."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, TypeVar

from appeval_pipeline.store import Store
from appeval_pipeline.store.inputs import code_inputs
from appeval_pipeline.store.rows import (
    ExperimentResult,
    Row,
    TauExperimentRow,
    TauFaultRow,
    TauLeaderboardRow,
    TauMetricRow,
    TauStepRow,
    TauTaskRow,
    TauTrialRow,
)
from appeval_pipeline_tests.store import samples
from appeval_pipeline_tests.store.export.results import FORMULA, SCRIPT

R = TypeVar("R", bound=Row)

_BLANK = {"str": "", "JsonText": "[]", "int": 0, "float": 0.0, "bool": False}


def row(row_type: type[R], **given: Any) -> R:
    """A row with the given values; lists and mappings become JSON, what is not given is null or blank."""
    values: dict[str, Any] = {}
    for field in fields(row_type):
        kind = str(field.type)
        value = given.pop(field.name, None if kind.endswith("| None") else _BLANK[kind])
        values[field.name] = json.dumps(value) if kind == "JsonText" and value != "[]" else value
    assert not given, f"{row_type.TABLE} has no {sorted(given)}"
    return row_type(**values)


def metric(name: str, value: float, **given: Any) -> TauMetricRow:
    defaults = {"counting": "scored_only", "unit": "ratio", "task_count": 2, "trial_count": 4}
    return row(TauMetricRow, metric=name, value=value, **{**defaults, **given})


def store_experiment(database: Store, name: str = "careful") -> None:
    """An agent that tries two tasks twice, and fails one of them once."""
    tasks = [
        row(
            TauTaskRow,
            task_id=task_id,
            is_selected=True,
            user_id="mia",
            instruction=f"You want {SCRIPT}",
            actions=[{"name": "cancel", "kwargs": {"id": task_id}}],
            null_passable=False,
            gold_error=False,
            read_only=task_id == 1,
        )
        for task_id in (0, 1)
    ]
    trials: list[Row] = [
        row(
            TauExperimentRow,
            file_path=f"tau/experiments/{name}.yaml",
            status="evaluated",
            env="retail",
            task_split="test",
            agent="tool-calling",
            model="made/up",
            user_strategy="llm",
            user_model="made/up",
            seed=7,
            trials_per_task=2,
            task_count=2,
            trials_wanted=4,
            trials_ended=4,
            infra_errors=0,
            configuration={"seed": 7},
        )
    ]
    for task_id in (0, 1):
        for trial in (0, 1):
            trials += _trial(task_id, trial, succeeded=(task_id, trial) != (1, 1))
    scores = [
        metric("pass_hat", 0.75, k=1, standard_error=0.25, low=0.5, high=1.0, method="bootstrap"),
        metric("pass_hat", 0.5, k=2, standard_error=0.5, low=0.0, high=1.0, method="bootstrap"),
        metric("pass_hat", 1.0, k=1, low=0.2, high=1.0, method="wilson", without_flag="read_only"),
        metric("agent_cost_usd", 0.5, counting="all", unit="USD"),
    ]
    rank = row(
        TauLeaderboardRow, is_published=True, position=1, domain="retail", strategy="TC", pass_hat_1=0.6
    )
    made = {"tau_tasks": tasks, "tau_trials": trials, "tau_metrics": scores, "tau_leaderboard": [rank]}
    batches = [
        samples.batch(asset, ExperimentResult(name, tuple(rows), code_inputs()))
        for asset, rows in made.items()
    ]
    samples.write_together(database, batches)


def _trial(task_id: int, trial: int, *, succeeded: bool) -> list[Row]:
    rows: list[Row] = [
        row(
            TauTrialRow,
            task_id=task_id,
            trial=trial,
            seed=trial,
            end_reason="done",
            reward=float(succeeded),
            succeeded=succeeded,
            step_count=2,
            database_equal=succeeded,
            outputs_found=True,
            reward_info={"database_equal": succeeded},
            agent_prompt_tokens=100,
            agent_cost_usd=0.125,
            user_cost_usd=None,
            elapsed_s=1.5,
        ),
        row(
            TauStepRow,
            task_id=task_id,
            trial=trial,
            step_index=0,
            kind="tool_call",
            tool="cancel",
            arguments={"id": task_id},
            observation="done",
            written=[{"table": "orders", "record": "#1"}],
        ),
        row(
            TauStepRow,
            task_id=task_id,
            trial=trial,
            step_index=1,
            kind="reply",
            arguments=None,
            said=FORMULA,
            observation="###STOP###",
        ),
    ]
    if not succeeded:
        rows.append(
            row(
                TauFaultRow,
                task_id=task_id,
                trial=trial,
                kind="extra_write",
                step_index=0,
                detail="cancel wrote orders #1",
            )
        )
    return rows
