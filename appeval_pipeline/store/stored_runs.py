"""Scenario runs, read back from the store as the results they were."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from appeval_pipeline.engine import TraceEvent
from appeval_pipeline.evaluation import ScenarioResult, StepFailure, StepResult
from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.parameters import TEXTS, texts
from appeval_pipeline.store.rows import Input


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """What ran of one app version's scenarios.

    Attributes:
        results: The scenarios that ran, by file.
        source: The result of ``scenario_runs`` that they belong to.
    """

    results: tuple[ScenarioResult, ...]
    source: Input


NO_RUNS = "scenario_runs has not been materialized"

_STEP_COLUMNS = (
    "step_name, step_index, agent, action, params, passed, success, data, error, error_kind, state_diff,"
    " observations, trace, coalesce(duration_ms, 0), coalesce(has_expectation, false)"
)

Key = tuple[str, str]
"""Partition key and path of the scenario's file."""


def read_runs(database: Store, partition_keys: Sequence[str]) -> dict[str, StoredRuns]:
    """The stored scenario runs by partition key; what ``scenario_runs`` never made is left out."""
    chosen = [texts(partition_keys)]
    with database.reader() as connection:
        sources = connection.execute(
            "SELECT DISTINCT partition_key, data_version, run_id FROM lineage"
            f" WHERE asset_key = 'scenario_runs' AND list_contains({TEXTS}, partition_key)",
            chosen,
        ).fetchall()
        runs = connection.execute(
            "SELECT partition_key, file_path, scenario_name, passed, steps_passed, steps_total"
            " FROM scenario_runs"
            f" WHERE passed IS NOT NULL AND list_contains({TEXTS}, partition_key)"
            " ORDER BY partition_key, file_path",
            chosen,
        ).fetchall()
        steps = connection.execute(
            f"SELECT partition_key, file_path, {_STEP_COLUMNS} FROM scenario_steps"
            f" WHERE list_contains({TEXTS}, partition_key)"
            " ORDER BY partition_key, file_path, step_index",
            chosen,
        ).fetchall()
        failures = connection.execute(
            "SELECT partition_key, file_path, step_name, expected, actual, error FROM scenario_failures"
            f" WHERE list_contains({TEXTS}, partition_key)"
            " ORDER BY partition_key, file_path, failure_index",
            chosen,
        ).fetchall()
    steps_by_run: dict[Key, list[StepResult]] = {}
    for partition_key, path, *step in steps:
        steps_by_run.setdefault((partition_key, path), []).append(_step(*step))
    failures_by_run: dict[Key, list[StepFailure]] = {}
    for partition_key, path, name, expected, actual, error in failures:
        failure = StepFailure(name, json.loads(expected), json.loads(actual), error)
        failures_by_run.setdefault((partition_key, path), []).append(failure)
    results: dict[str, list[ScenarioResult]] = {}
    for partition_key, path, name, passed, steps_passed, steps_total in runs:
        result = ScenarioResult(
            scenario_name=name,
            passed=passed,
            steps_passed=steps_passed,
            steps_total=steps_total,
            failures=tuple(failures_by_run.get((partition_key, path), ())),
            steps=tuple(steps_by_run.get((partition_key, path), ())),
        )
        results.setdefault(partition_key, []).append(result)
    return {
        key: StoredRuns(
            tuple(results.get(key, ())),
            Input(kind="asset", key="scenario_runs", version=data_version, partition_key=key, run_id=run_id),
        )
        for key, data_version, run_id in sources
    }


def _step(
    name: str,
    index: int,
    agent: str,
    action: str,
    params: str,
    passed: bool,
    success: bool,
    data: str,
    error: str | None,
    error_kind: str | None,
    state_diff: str,
    observations: str,
    trace: str,
    duration_ms: float,
    has_expectation: bool,
) -> StepResult:
    events: list[dict[str, Any]] = json.loads(trace)
    return StepResult(
        name=name,
        index=index,
        agent=agent,
        action=action,
        params=json.loads(params),
        passed=passed,
        success=success,
        data=json.loads(data),
        error=error,
        error_kind=error_kind,
        state_diff=json.loads(state_diff),
        observations=json.loads(observations),
        trace=tuple(TraceEvent(**event) for event in events),
        duration_ms=duration_ms,
        has_expectation=has_expectation,
    )
