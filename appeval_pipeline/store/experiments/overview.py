"""The headline results of all stored experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from appeval_pipeline.store.backend import Store


@dataclass(frozen=True, slots=True)
class ExperimentOverview:
    """One experiment with its headline results; None where there is no result.

    Attributes:
        status: ``evaluated``, ``incomplete``, ``invalid`` or ``error``.
        trials_wanted, trials_ended, infra_errors: Numbers of trials.
        pass_hat_k: pass^1 to pass^4 of the scored trials; None where it is undefined.
        pass_hat_1_low, pass_hat_1_high: The 95% interval of pass^1.
        cost_usd: Of agent and user; None where a price is not known.
        unusable_tasks: Tasks of the split that cannot be used.
        failed_tasks: Tasks with a scored trial that did not succeed.
        passed_tasks: Tasks with a trial that succeeded although doing nothing does not.
    """

    name: str
    status: str
    error: str | None
    env: str | None
    task_split: str | None
    agent: str | None
    model: str | None
    user: str | None
    user_model: str | None
    task_count: int | None
    trials_per_task: int | None
    trials_wanted: int | None
    trials_ended: int | None
    infra_errors: int | None
    pass_hat_k: tuple[float | None, ...]
    pass_hat_1_low: float | None
    pass_hat_1_high: float | None
    cost_usd: float | None
    unusable_tasks: tuple[int, ...]
    failed_tasks: tuple[int, ...]
    passed_tasks: tuple[int, ...]

    @property
    def partition_key(self) -> str:
        return self.name


_OVERVIEW = """
    WITH unusable AS (
        SELECT partition_key, list(task_id ORDER BY task_id) AS tasks
        FROM tau_tasks WHERE error IS NOT NULL GROUP BY ALL
    ),
    outcomes AS (
        SELECT t.partition_key,
            list(DISTINCT t.task_id ORDER BY t.task_id) FILTER (NOT t.succeeded) AS failed,
            list(DISTINCT t.task_id ORDER BY t.task_id)
                FILTER (t.succeeded AND NOT coalesce(k.null_passable, false)) AS passed
        FROM tau_trials AS t
        LEFT JOIN tau_tasks AS k USING (partition_key, task_id)
        GROUP BY ALL
    ),
    scores AS (
        SELECT partition_key,
            [any_value(value) FILTER (k = 1), any_value(value) FILTER (k = 2),
                any_value(value) FILTER (k = 3), any_value(value) FILTER (k = 4)] AS pass_hat_k,
            any_value(low) FILTER (k = 1) AS low, any_value(high) FILTER (k = 1) AS high
        FROM tau_metrics
        WHERE metric = 'pass_hat' AND counting = 'scored_only' AND without_flag IS NULL
        GROUP BY ALL
    ),
    costs AS (
        SELECT partition_key, CASE WHEN count(*) = 2 THEN sum(value) END AS cost_usd
        FROM tau_metrics WHERE metric IN ('agent_cost_usd', 'user_cost_usd') GROUP BY ALL
    )
    SELECT e.partition_key, e.status, e.error, e.env, e.task_split, e.agent, e.model, e.user_strategy,
        e.user_model, e.task_count, e.trials_per_task, e.trials_wanted, e.trials_ended, e.infra_errors,
        coalesce(s.pass_hat_k, [NULL, NULL, NULL, NULL]), s.low, s.high, c.cost_usd,
        coalesce(u.tasks, []), coalesce(o.failed, []), coalesce(o.passed, [])
    FROM tau_experiments AS e
    LEFT JOIN unusable AS u USING (partition_key)
    LEFT JOIN outcomes AS o USING (partition_key)
    LEFT JOIN scores AS s USING (partition_key)
    LEFT JOIN costs AS c USING (partition_key)
    ORDER BY e.partition_key
"""


def read_experiments(database: Store) -> tuple[ExperimentOverview, ...]:
    """All stored experiments with their headline results, by name."""
    with database.reader() as connection:
        rows = connection.execute(_OVERVIEW).fetchall()
    return tuple(ExperimentOverview(*map(_plain, row)) for row in rows)


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
