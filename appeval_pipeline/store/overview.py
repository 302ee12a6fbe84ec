"""The headline results of all stored versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from appeval_pipeline.store.backend import Store


@dataclass(frozen=True, slots=True)
class VersionOverview:
    """One app version with its headline results; None where there is no result.

    Attributes:
        root: The catalogue's root that it stands in.
        overall_score: Points of 100, with its ``level``.
        branch_coverage, edge_case_coverage, edge_case_robustness: Percent.
        old_version: The baseline that it is compared with.
        new_failures: Scenarios that pass on the baseline and fail here.
        interface_breaks: Breaking changes of the interface against the baseline.
        errors: Evaluations that failed, each with its error.
        scenario_problems: Scenarios that do not pass, each with its status.
        oracle_misses: Tasks that have a plan, and that the oracle did not carry out.
        task_problems: What tasks say of themselves that the search for a plan contradicts.
    """

    app_id: str
    version: int
    root: str
    status: str
    error: str | None
    violation: str | None
    quality_status: str | None
    overall_score: float | None
    level: str | None
    scenarios_passed: int
    scenarios_total: int
    scenarios_not_run: int
    branch_coverage: float | None
    edge_case_coverage: float | None
    edge_case_robustness: float | None
    p50_latency_ms: float | None
    old_version: int | None
    new_failures: tuple[str, ...]
    interface_breaks: tuple[str, ...]
    errors: tuple[str, ...]
    scenario_problems: tuple[str, ...]
    oracle_misses: tuple[str, ...]
    task_problems: tuple[str, ...]

    @property
    def partition_key(self) -> str:
        """``<app_id>@<version>``."""
        return f"{self.app_id}@{self.version}"


_OVERVIEW = """
    WITH scenarios AS (
        SELECT partition_key,
            count(*) FILTER (passed) AS passed, count(*) AS total,
            count(*) FILTER (passed IS NULL) AS not_run,
            coalesce(
                list(scenario_name || ': ' || status ORDER BY file_path)
                    FILTER (passed IS DISTINCT FROM true), []
            ) AS problems
        FROM scenario_runs GROUP BY ALL
    ),
    breaks AS (
        SELECT partition_key, list(message ORDER BY position) AS messages
        FROM regression_changes WHERE change = 'interface_change' AND severity = 'breaking' GROUP BY ALL
    ),
    misses AS (
        SELECT partition_key, list(task ORDER BY file_path) AS tasks
        FROM agent_evaluations
        WHERE agent = 'oracle' AND optimal_actions IS NOT NULL AND goals_reached < trial_count
        GROUP BY ALL
    ),
    task_findings AS (
        SELECT DISTINCT partition_key, file_path, task,
            CASE
                WHEN optimal_actions IS NULL AND NOT optimal_is_exact
                THEN 'no plan was found before the search''s budget was spent'
                WHEN optimal_actions IS NULL AND NOT is_meant_unreachable
                THEN 'the goal cannot be reached; where that is meant, tag the task unreachable'
                WHEN optimal_actions IS NOT NULL AND is_meant_unreachable
                THEN 'it is tagged unreachable, but ' || optimal_actions || ' actions reach the goal'
                WHEN optimal_is_exact AND optimal_actions <> declared_optimal
                THEN 'optimal_steps is ' || declared_optimal || ', the fewest are ' || optimal_actions
            END AS finding
        FROM (
            SELECT *, list_contains(from_json(tags, '["VARCHAR"]'), 'unreachable') AS is_meant_unreachable
            FROM agent_evaluations WHERE status = 'evaluated'
        )
    ),
    task_problems AS (
        SELECT partition_key, list(task || ': ' || finding ORDER BY file_path) AS messages
        FROM task_findings WHERE finding IS NOT NULL GROUP BY ALL
    ),
    errors AS (
        SELECT partition_key, list(asset_key || ': ' || error ORDER BY asset_key, error) AS messages
        FROM (
            SELECT partition_key, asset_key, error FROM coverage_reports WHERE status = 'error'
            UNION ALL
            SELECT partition_key, asset_key, error FROM edge_case_reports WHERE status = 'error'
            UNION ALL
            SELECT partition_key, asset_key, error FROM benchmark_results WHERE status = 'error'
            UNION ALL
            SELECT partition_key, asset_key, error FROM regression_reports WHERE status = 'error'
            UNION ALL
            SELECT partition_key, asset_key,
                agent || ', ' || CASE WHEN count(*) = 1 THEN min(task) ELSE count(*) || ' tasks' END
                    || ': ' || error
            FROM agent_evaluations WHERE status IN ('error', 'invalid')
            GROUP BY partition_key, asset_key, agent, error
            UNION ALL
            SELECT partition_key, asset_key,
                agent || ', ' || task || ': ' || infra_errors || ' of ' || trial_count || ' trials broke down'
            FROM agent_evaluations WHERE infra_errors > 0
        )
        GROUP BY ALL
    )
    SELECT v.app_id, v.version, v.root, v.status, v.error, v.violation,
        q.status, q.overall_score, q.level,
        coalesce(s.passed, 0), coalesce(s.total, 0), coalesce(s.not_run, 0),
        c.branch_coverage, e.edge_case_coverage, e.edge_case_robustness, b.p50_action_latency_ms,
        r.old_version, coalesce(from_json(r.new_failures, '["VARCHAR"]'), []),
        coalesce(i.messages, []), coalesce(x.messages, []), coalesce(s.problems, []),
        coalesce(o.tasks, []), coalesce(t.messages, [])
    FROM app_versions AS v
    LEFT JOIN quality_scores AS q USING (partition_key)
    LEFT JOIN scenarios AS s USING (partition_key)
    LEFT JOIN coverage_reports AS c USING (partition_key)
    LEFT JOIN edge_case_reports AS e USING (partition_key)
    LEFT JOIN benchmark_results AS b USING (partition_key)
    LEFT JOIN regression_reports AS r USING (partition_key)
    LEFT JOIN breaks AS i USING (partition_key)
    LEFT JOIN errors AS x USING (partition_key)
    LEFT JOIN misses AS o USING (partition_key)
    LEFT JOIN task_problems AS t USING (partition_key)
    ORDER BY v.app_id, v.version
"""


def read_overview(database: Store) -> tuple[VersionOverview, ...]:
    """All stored versions with their headline results, by app and version."""
    with database.reader() as connection:
        rows = connection.execute(_OVERVIEW).fetchall()
    return tuple(VersionOverview(*map(_plain, row)) for row in rows)


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
