"""From the store to what the page shows of apps."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import duckdb

from appeval_pipeline.store.export.report.definition_source import StoredSource, find_excerpt
from appeval_pipeline.store.export.report.model import (
    ActionLatency,
    App,
    Benchmark,
    Change,
    EdgeCase,
    Failure,
    Gap,
    Key,
    Listing,
    Provenance,
    Regression,
    Suggestion,
    Timing,
    Tried,
    Unrun,
    Version,
)

MAX_VERSIONS = 1000
"""Rows of the overview."""
MAX_APPS = 100
"""Apps with a section of their own."""
MAX_REGRESSIONS = 4
"""Latest versions of an app whose comparison is shown."""
MAX_ROWS = 20
"""Rows of any other list."""

_T = TypeVar("_T")
_Connection = duckdb.DuckDBPyConnection
_Row = tuple[Any, ...]

_OVERVIEW = """
SELECT v.app_id, v.version, v.name, v.status, v.error, v.violation, q.overall_score, q.level,
    coalesce(s.passed, 0), coalesce(s.total, 0),
    c.action_coverage, c.block_coverage, c.branch_coverage, c.path_coverage,
    e.edge_case_coverage, e.edge_case_robustness, b.p50_action_latency_ms, b.p99_action_latency_ms,
    r.status, r.old_version, json_array_length(r.new_failures), r.interface_breaking_count, r.is_empty
FROM app_versions AS v
LEFT JOIN quality_scores AS q USING (app_id, version)
LEFT JOIN (
    SELECT app_id, version, count(*) FILTER (passed) AS passed, count(*) AS total
    FROM scenario_runs GROUP BY app_id, version
) AS s USING (app_id, version)
LEFT JOIN coverage_reports AS c USING (app_id, version)
LEFT JOIN edge_case_reports AS e USING (app_id, version)
LEFT JOIN benchmark_results AS b USING (app_id, version)
LEFT JOIN regression_reports AS r USING (app_id, version)
ORDER BY v.app_id, v.version
"""

_PROVENANCE = """
SELECT app_id, version, asset_key, partition_key, max(data_version), max(run_id), max(materialized_at),
    max(input_version) FILTER (input_kind = 'code' AND input_key = 'evaluator')
FROM lineage WHERE app_id IS NOT NULL
GROUP BY app_id, version, asset_key, partition_key
ORDER BY app_id, version, asset_key
"""

_LATEST = "(app_id, version) IN (SELECT (app_id, max(version)) FROM app_versions GROUP BY app_id)"


@dataclass(frozen=True, slots=True)
class Apps:
    """All versions in order, as many as are listed, and the apps that have a section of their own."""

    versions: Listing[Version]
    apps: Listing[App]


def load_apps(connection: _Connection, data_dir: Path | None) -> Apps:
    """Read what the page shows of apps; the details are those of the latest version of each.

    Args:
        data_dir: Where definition files lie, to show their own text.
    """
    versions = [Version(*row) for row in connection.execute(_OVERVIEW).fetchall()]
    apps = [
        App(app_id=app_id, versions=tuple(group))
        for app_id, group in groupby(versions, key=lambda version: version.app_id)
    ]
    shown = _with_details(connection, apps[:MAX_APPS], data_dir)
    return Apps(Listing(tuple(versions[:MAX_VERSIONS]), len(versions)), Listing(shown, len(apps)))


def _with_details(connection: _Connection, apps: Sequence[App], data_dir: Path | None) -> tuple[App, ...]:
    provenance, sources = _provenance(connection), _sources(connection)
    dimensions = _dimensions(connection)
    suggestions = _suggestions(connection)
    failures, unrun = _failures(connection), _unrun(connection)
    gaps, edge_cases = _gaps(connection), _edge_cases(connection)
    benchmarks, latencies = _benchmarks(connection), _latencies(connection)
    tried = _tried(connection)
    regressions = _regressions(connection, apps)
    return tuple(
        replace(
            app,
            dimensions=dimensions.get(app.latest.key, ()),
            suggestions=suggestions.get(app.latest.key, Listing()),
            failures=failures.get(app.latest.key, Listing()),
            unrun=unrun.get(app.latest.key, Listing()),
            gaps=gaps.get(app.latest.key, Listing()),
            excerpt=find_excerpt(
                sources[app.latest.key], gaps.get(app.latest.key, Listing()).items, data_dir
            ),
            edge_cases=edge_cases.get(app.latest.key, Listing()),
            benchmark=benchmarks.get(app.latest.key),
            latencies=latencies.get(app.latest.key, Listing()),
            tried=tried.get(app.latest.key, Listing()),
            regressions=regressions[app.app_id],
            provenance=provenance.get(app.app_id, {}),
        )
        for app in apps
    )


def _provenance(connection: _Connection) -> dict[str, dict[tuple[str, int], Provenance]]:
    found: dict[str, dict[tuple[str, int], Provenance]] = defaultdict(dict)
    for app_id, version, asset_key, *rest in connection.execute(_PROVENANCE).fetchall():
        found[app_id][asset_key, version] = Provenance(asset_key, *rest)
    return found


def _listings(
    connection: _Connection,
    make: Callable[..., _T],
    *,
    columns: str,
    table: str,
    order: str,
    where: str = _LATEST,
) -> dict[Key, Listing[_T]]:
    """The first rows of each version's part of a table, made into values.

    The names are this module's own; no value gets into the statement.
    """
    rows = connection.execute(
        f"SELECT app_id, version, total, {columns} FROM ("
        f"SELECT *, row_number() OVER (PARTITION BY app_id, version ORDER BY {order}) AS place,"
        f" count(*) OVER (PARTITION BY app_id, version) AS total FROM {table} WHERE {where}"
        ") WHERE place <= ? ORDER BY app_id, version, place",
        [MAX_ROWS],
    ).fetchall()
    return {
        key: Listing(tuple(make(*row[3:]) for row in group), group[0][2])
        for key, group in ((key, list(rows_)) for key, rows_ in groupby(rows, key=_key))
    }


def _key(row: _Row) -> Key:
    return (row[0], row[1])


def _dimensions(connection: _Connection) -> dict[Key, tuple[tuple[str, float], ...]]:
    rows = connection.execute(
        f"SELECT app_id, version, dimension, score FROM quality_dimensions WHERE {_LATEST}"
        " ORDER BY app_id, version, dimension"
    ).fetchall()
    return {key: tuple((row[2], row[3]) for row in group) for key, group in groupby(rows, key=_key)}


def _suggestions(connection: _Connection) -> dict[Key, Listing[Suggestion]]:
    columns = "dimension, location, message, gain"
    return _listings(connection, Suggestion, columns=columns, table="quality_suggestions", order="position")


def _failures(connection: _Connection) -> dict[Key, Listing[Failure]]:
    return _listings(
        connection,
        Failure,
        columns="scenario_name, file_path, step_name, expected, actual, error",
        table="scenario_failures",
        order="file_path, scenario_name, failure_index",
    )


def _unrun(connection: _Connection) -> dict[Key, Listing[Unrun]]:
    return _listings(
        connection,
        Unrun,
        columns="scenario_name, file_path, status, error",
        table="scenario_runs",
        order="file_path, scenario_name",
        where=f"passed IS NULL AND {_LATEST}",
    )


def _sources(connection: _Connection) -> dict[Key, StoredSource]:
    rows = connection.execute(
        f"SELECT app_id, version, file_path, file_sha256, definition FROM app_versions WHERE {_LATEST}"
    ).fetchall()
    return {_key(row): StoredSource(*row[2:]) for row in rows}


def _gaps(connection: _Connection) -> dict[Key, Listing[Gap]]:
    columns = "kind, location, message, recommendation"
    return _listings(connection, Gap, columns=columns, table="coverage_gaps", order="position")


def _edge_cases(connection: _Connection) -> dict[Key, Listing[EdgeCase]]:
    return _listings(
        connection,
        EdgeCase,
        columns="action, kind, parameter, call, expected, outcome, is_robust,"
        " json_array_length(covered_by) > 0",
        table="edge_case_results",
        order="is_robust, position",
        where=f"(NOT is_robust OR json_array_length(covered_by) = 0) AND {_LATEST}",
    )


def _latencies(connection: _Connection) -> dict[Key, Listing[ActionLatency]]:
    return _listings(
        connection,
        ActionLatency,
        columns="action, sample_count, p50_latency_ms, p95_latency_ms, p99_latency_ms",
        table="benchmark_actions",
        order="p50_latency_ms DESC, action",
    )


def _tried(connection: _Connection) -> dict[Key, Listing[Tried]]:
    return _listings(
        connection,
        Tried,
        columns="task, file_path, agent, status, error, trial_count, infra_errors, goals_reached,"
        " goal_rate_low, goal_rate_high, optimal_actions, optimal_is_exact, efficiency_ratio,"
        " validation_errors + logic_errors",
        table="agent_evaluations",
        order="file_path, agent",
    )


def _benchmarks(connection: _Connection) -> dict[Key, Benchmark]:
    rows = connection.execute(
        "SELECT app_id, version, sample_count, avg_action_latency_ms, p50_action_latency_ms,"
        " p95_action_latency_ms, p99_action_latency_ms, p50_multiple, actions_per_second, timestamp,"
        f" environment, histogram FROM benchmark_results WHERE status = 'measured' AND {_LATEST}"
    ).fetchall()
    found = {}
    for row in rows:
        samples, avg, p50, p95, p99, multiple, per_second, timestamp, environment, histogram = row[2:]
        drawn = json.loads(histogram)
        found[_key(row)] = Benchmark(
            samples=samples,
            avg_ms=avg,
            p50_ms=p50,
            p95_ms=p95,
            p99_ms=p99,
            p50_multiple=multiple,
            per_second=per_second,
            timestamp=timestamp,
            environment={str(name): str(value) for name, value in json.loads(environment).items()},
            edges=tuple(drawn.get("edges_ms", ())),
            counts=tuple(drawn.get("counts", ())),
        )
    return found


def _regressions(connection: _Connection, apps: Sequence[App]) -> dict[str, Listing[Regression]]:
    versions = {version.key: version for app in apps for version in app.versions}
    changes, timings = _changes(connection), _timings(connection)
    rows = connection.execute(
        "SELECT app_id, version, old_version, quality_score_delta, latency_change_pct, throughput_change_pct,"
        " json_array_length(fixed_tests), output_change_count FROM regression_reports"
        " WHERE status = 'compared' ORDER BY app_id, version DESC"
    ).fetchall()
    by_app: dict[str, list[Regression]] = {app.app_id: [] for app in apps}
    for app_id, number, old, quality, latency, throughput, fixed, outputs in rows:
        version = versions.get((app_id, number))
        if version is not None:
            by_app[version.app_id].append(
                Regression(
                    version=number,
                    old_version=old,
                    quality_delta=quality,
                    latency_change_pct=latency,
                    throughput_change_pct=throughput,
                    fixed_tests=fixed,
                    output_changes=outputs,
                    verdict=version.regression,
                    is_breaking=version.is_breaking,
                    changes=changes.get(version.key, Listing()),
                    timings=timings.get(version.key, Listing()),
                )
            )
    return {app_id: Listing(tuple(found[:MAX_REGRESSIONS]), len(found)) for app_id, found in by_app.items()}


def _changes(connection: _Connection) -> dict[Key, Listing[Change]]:
    return _listings(
        connection,
        Change,
        columns="change, severity, location, message, old, new",
        table="regression_changes",
        order="change <> 'new_failure', severity IS DISTINCT FROM 'breaking', position",
        where="true",
    )


def _timings(connection: _Connection) -> dict[Key, Listing[Timing]]:
    return _listings(
        connection,
        Timing,
        columns="action, old_median_ms, new_median_ms, ratio, low, high, is_significant",
        table="regression_timings",
        order="NOT is_significant, action",
        where="true",
    )
