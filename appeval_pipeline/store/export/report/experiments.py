"""tau-bench experiments as the page shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from appeval_pipeline.store.export.report.model import Listing, Provenance

MAX_EXPERIMENTS = 20
MAX_TASKS = 40
"""Tasks of an experiment that are listed, those that fail most first."""
HEADLINES = ("pass_hat", "pass_hat_k", "overall_score", "average_reward")
"""Metrics that every reader wants; the others are folded away."""

_Connection = duckdb.DuckDBPyConnection

_EXPERIMENTS = """
SELECT partition_key, file_path, status, env, task_split, agent, model, user_strategy, user_model, seed,
    trials_per_task, task_count, trials_wanted, trials_ended, infra_errors, source_package, source_version,
    tasks_sha256, error
FROM tau_experiments ORDER BY partition_key
"""
_METRICS = """
SELECT partition_key, metric, k, counting, without_flag, value, unit, standard_error, low, high, method,
    task_count, trial_count
FROM tau_metrics
ORDER BY partition_key, without_flag NULLS FIRST,
    list_position(['pass_hat', 'pass_hat_k', 'overall_score', 'average_reward'], metric) NULLS LAST,
    metric, counting DESC, k
"""
_LEADERBOARD = """
SELECT partition_key, is_published, position, strategy, pass_hat_1, pass_hat_2, pass_hat_3, pass_hat_4,
    standard_error
FROM tau_leaderboard ORDER BY partition_key, position, strategy
"""
_FAULTS = """
SELECT partition_key, kind, count(*), count(DISTINCT (task_id, trial))
FROM tau_faults GROUP BY partition_key, kind ORDER BY partition_key, 3 DESC, kind
"""
_TASKS = """
SELECT partition_key, task_id, total, instruction, null_passable, gold_error, read_only, error, trials,
    scored, successes, faults
FROM (
    SELECT *, row_number() OVER (
        PARTITION BY partition_key ORDER BY successes / nullif(scored, 0) NULLS FIRST, task_id
    ) AS place, count(*) OVER (PARTITION BY partition_key) AS total
    FROM tau_tasks AS t
    LEFT JOIN (
        SELECT partition_key, task_id, count(*) AS trials, count(succeeded) AS scored,
            count(*) FILTER (succeeded) AS successes
        FROM tau_trials GROUP BY ALL
    ) USING (partition_key, task_id)
    LEFT JOIN (
        SELECT partition_key, task_id,
            array_to_string(list_sort(list_distinct(list(replace(kind, '_', ' ')))), ', ') AS faults
        FROM tau_faults GROUP BY ALL
    ) USING (partition_key, task_id)
    WHERE t.is_selected OR t.error IS NOT NULL
)
WHERE place <= ? ORDER BY partition_key, place
"""
_PROVENANCE = """
SELECT partition_key, asset_key, max(data_version), max(run_id), max(materialized_at),
    max(input_version) FILTER (input_kind = 'code' AND input_key = 'evaluator')
FROM lineage WHERE app_id IS NULL GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True, slots=True)
class Metric:
    """A number with its 95% interval, where it has one."""

    name: str
    k: int | None
    counting: str
    without_flag: str | None
    value: float
    unit: str
    standard_error: float | None
    low: float | None
    high: float | None
    method: str | None
    task_count: int
    trial_count: int

    @property
    def label(self) -> str:
        """As people write it."""
        if self.name.startswith("pass_hat") and self.k is not None:
            return f"pass^{self.k}"
        words = self.name.replace("_", " ")
        return words if self.k is None else f"{words} {self.k}"

    @property
    def is_headline(self) -> bool:
        return self.name in HEADLINES and self.without_flag is None


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """A result on tau-bench's leaderboard, or the experiment's own."""

    is_published: bool
    position: int
    strategy: str
    pass_hat_1: float
    pass_hat_2: float | None
    pass_hat_3: float | None
    pass_hat_4: float | None
    standard_error: float | None


@dataclass(frozen=True, slots=True)
class FaultCount:
    """How often one kind of fault occurs, and in how many trials."""

    kind: str
    count: int
    trials: int


@dataclass(frozen=True, slots=True)
class TriedTask:
    """One task, and how its trials went."""

    task_id: int
    instruction: str | None
    null_passable: bool | None
    gold_error: bool | None
    read_only: bool | None
    error: str | None
    trials: int | None
    scored: int | None
    successes: int | None
    faults: str | None

    @property
    def flags(self) -> str:
        """Known issues of the task."""
        known = {
            "null passable": self.null_passable,
            "gold error": self.gold_error,
            "read only": self.read_only,
        }
        return ", ".join(name for name, is_so in known.items() if is_so)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """An experiment with everything that is shown of it; ``user`` is the strategy of the simulated user."""

    name: str
    file_path: str
    status: str
    env: str | None
    task_split: str | None
    agent: str | None
    model: str | None
    user: str | None
    user_model: str | None
    seed: int | None
    trials_per_task: int | None
    task_count: int | None
    trials_wanted: int | None
    trials_ended: int | None
    infra_errors: int | None
    source_package: str | None
    source_version: str | None
    tasks_sha256: str | None
    error: str | None
    metrics: tuple[Metric, ...] = ()
    leaderboard: tuple[LeaderboardRow, ...] = ()
    faults: tuple[FaultCount, ...] = ()
    tasks: Listing[TriedTask]
    provenance: Mapping[str, Provenance]

    @property
    def headlines(self) -> tuple[Metric, ...]:
        return tuple(metric for metric in self.metrics if metric.is_headline)

    @property
    def others(self) -> tuple[Metric, ...]:
        return tuple(metric for metric in self.metrics if not metric.is_headline)


def load_experiments(connection: _Connection) -> Listing[Experiment]:
    """The experiments by name, and how many there are."""
    rows = connection.execute(_EXPERIMENTS).fetchall()
    metrics = _by_partition(connection.execute(_METRICS).fetchall())
    leaderboard = _by_partition(connection.execute(_LEADERBOARD).fetchall())
    faults = _by_partition(connection.execute(_FAULTS).fetchall())
    tasks = _by_partition(connection.execute(_TASKS, [MAX_TASKS]).fetchall())
    provenance = _by_partition(connection.execute(_PROVENANCE).fetchall())
    shown = tuple(
        Experiment(
            **dict(zip(_NAMES, row, strict=True)),
            metrics=tuple(Metric(*found) for found in metrics[row[0]]),
            leaderboard=tuple(LeaderboardRow(*found) for found in leaderboard[row[0]]),
            faults=tuple(FaultCount(*found) for found in faults[row[0]]),
            tasks=_tasks(tasks[row[0]]),
            provenance={asset: Provenance(asset, row[0], *found) for asset, *found in provenance[row[0]]},
        )
        for row in rows[:MAX_EXPERIMENTS]
    )
    return Listing(shown, len(rows))


_NAMES = (
    *("name", "file_path", "status", "env", "task_split", "agent", "model", "user", "user_model", "seed"),
    *("trials_per_task", "task_count", "trials_wanted", "trials_ended", "infra_errors", "source_package"),
    *("source_version", "tasks_sha256", "error"),
)
"""The fields of an experiment in the order of its columns."""


def _tasks(rows: list[tuple[Any, ...]]) -> Listing[TriedTask]:
    if not rows:
        return Listing()
    return Listing(tuple(TriedTask(row[0], *row[2:]) for row in rows), rows[0][1])


def _by_partition(rows: list[tuple[Any, ...]]) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row[1:])
    return found
