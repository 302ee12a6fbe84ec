"""Experiments read back from the store: what their metrics and their rows of the leaderboard are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from appeval_pipeline.store.backend import Store
from appeval_pipeline.taubench.results import Spending, TauResult


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """What is stored of an experiment.

    Attributes:
        name: Its partition.
        status: As in ``tau_experiments``; ``missing`` where it has no row there.
        env, task_split, agent, model: As asked for.
        trials_per_task: How often each task was to be tried.
        is_whole_split: Whether all tasks of the split are tried.
        results: The trials that ended, by task and trial; of their messages only that there are so many.
        flags: The tasks that are tried, each with its known issues.
        scores: pass^k by k with its standard error, of the trials that were scored, from ``tau_metrics``.
    """

    name: str
    status: str = "missing"
    env: str | None = None
    task_split: str | None = None
    agent: str | None = None
    model: str | None = None
    seed: int = 0
    trials_per_task: int = 0
    is_whole_split: bool = False
    results: tuple[TauResult, ...] = ()
    flags: Mapping[int, frozenset[str]] = field(default_factory=dict)
    scores: Mapping[int, tuple[float, float | None]] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether every task has all its trials, scored."""
        wanted = len(self.flags) * self.trials_per_task
        return len(self.results) == wanted > 0 and all(one.reward is not None for one in self.results)


def read_experiment(database: Store, name: str) -> StoredExperiment:
    """What is stored of an experiment; nothing but the name where nothing is."""
    with database.reader() as connection:
        row = connection.execute(
            "SELECT status, env, task_split, agent, model, coalesce(seed, 0),"
            " coalesce(trials_per_task, 0), coalesce(is_whole_split, false)"
            " FROM tau_experiments WHERE partition_key = ?",
            [name],
        ).fetchone()
        if row is None:
            return StoredExperiment(name)
        status, env, task_split, agent, model, seed, trials_per_task, is_whole_split = row
        scores = connection.execute(
            "SELECT k, value, standard_error FROM tau_metrics WHERE partition_key = ?"
            " AND metric = 'pass_hat' AND counting = 'scored_only' AND without_flag IS NULL",
            [name],
        ).fetchall()
        return StoredExperiment(
            name,
            status=status,
            env=env,
            task_split=task_split,
            agent=agent,
            model=model,
            seed=seed,
            trials_per_task=trials_per_task,
            is_whole_split=is_whole_split,
            results=_results(connection, name),
            flags=_flags(connection, name),
            scores={k: (value, error) for k, value, error in scores},
        )


def _results(connection: duckdb.DuckDBPyConnection, name: str) -> tuple[TauResult, ...]:
    rows = connection.execute(
        """
        SELECT t.task_id, t.trial, t.reward, t.error, t.agent_cost_usd, t.agent_prompt_tokens,
            t.agent_completion_tokens, t.user_cost_usd, t.user_prompt_tokens, t.user_completion_tokens,
            coalesce(s.turns, 0)
        FROM tau_trials AS t
        LEFT JOIN (
            -- Who stops says nothing, which is no turn.
            SELECT task_id, trial, count(*) FILTER (kind <> 'stop') AS turns
            FROM tau_steps WHERE partition_key = ? GROUP BY ALL
        ) AS s USING (task_id, trial)
        WHERE t.partition_key = ? ORDER BY t.task_id, t.trial
        """,
        [name, name],
    ).fetchall()
    return tuple(_result(row) for row in rows)


def _result(row: Sequence[Any]) -> TauResult:
    task_id, trial, reward, error, *spent, turns = row
    return TauResult(
        task_id=task_id,
        trial=trial,
        reward=reward,
        error=error,
        agent=Spending(*spent[:3]),
        user=Spending(*spent[3:]),
        trajectory=({"role": "assistant"},) * turns,
    )


def _flags(connection: duckdb.DuckDBPyConnection, name: str) -> dict[int, frozenset[str]]:
    rows = connection.execute(
        "SELECT task_id, null_passable, gold_error, read_only FROM tau_tasks"
        " WHERE partition_key = ? AND is_selected",
        [name],
    ).fetchall()
    names = ("null_passable", "gold_error", "read_only")
    return {
        task_id: frozenset(flag for flag, is_set in zip(names, flags, strict=True) if is_set)
        for task_id, *flags in rows
    }
