"""From the store's rows to answers; every function reads one snapshot that its caller has opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from http import HTTPStatus
from typing import Any, Generic, TypeVar

import duckdb

from appeval_pipeline.api.models.base import MAX_ROWS, Source
from appeval_pipeline.api.models.results import (
    ActionLatency,
    AppDefinitionAnswer,
    AppSummary,
    BenchmarkAnswer,
    CoverageAnswer,
    FailureAnswer,
    Gap,
    QualityAnswer,
    ScenarioAnswer,
    ScenarioRuns,
    Suggestion,
    VersionSummary,
)
from appeval_pipeline.api.problems import ApiProblem, Kind, listed, shortened
from appeval_pipeline.store.rows import (
    AppVersionRow,
    BenchmarkActionRow,
    BenchmarkResultRow,
    CoverageGapRow,
    CoverageReportRow,
    QualityDimensionRow,
    QualityScoreRow,
    QualitySuggestionRow,
    Row,
    ScenarioFailureRow,
    ScenarioRunRow,
)

Connection = duckdb.DuckDBPyConnection
R = TypeVar("R", bound=Row)


@dataclass(frozen=True, slots=True)
class Stored(Generic[R]):
    """A row, and where it comes from."""

    row: R
    source: Source


def read_rows(connection: Connection, kind: type[R], app_id: str, version: int) -> list[Stored[R]]:
    """The rows of one version, at most a thousand, by position where they have one.

    The names in the statement are those of our own rows; values are parameters.
    """
    names = [field.name for field in fields(kind)]
    provenance = [name for name in Source.model_fields if name not in names]
    order = "position" if "position" in names else "ALL"
    rows = connection.execute(
        f"SELECT {', '.join([*names, *provenance])} FROM {kind.TABLE}"
        f" WHERE app_id = ? AND version = ? ORDER BY {order} LIMIT {MAX_ROWS}",
        [app_id, version],
    ).fetchall()
    return [
        Stored(
            kind(**dict(zip(names, row[: len(names)], strict=True))),
            Source(**dict(zip(provenance, row[len(names) :], strict=True))),
        )
        for row in rows
    ]


def read_row(connection: Connection, kind: type[R], app_id: str, version: int) -> Stored[R] | None:
    """The row of one version; None where there is none."""
    return next(iter(read_rows(connection, kind, app_id, version)), None)


def read_versions(connection: Connection, app_id: str) -> list[int]:
    """The stored versions of an app, oldest first.

    Raises:
        ApiProblem: 404, there is no such app.
    """
    rows = connection.execute(
        "SELECT version FROM app_versions WHERE app_id = ? ORDER BY version", [app_id]
    ).fetchall()
    if not rows:
        known = connection.execute("SELECT DISTINCT app_id FROM app_versions ORDER BY app_id").fetchall()
        raise unknown_app(app_id, [name for (name,) in known])
    return [int(version) for (version,) in rows]


def choose_version(connection: Connection, app_id: str, version: int | None) -> int:
    """The version that is asked for, or else the latest.

    Raises:
        ApiProblem: 404, there is no such app or version.
    """
    versions = read_versions(connection, app_id)
    if version is not None and version not in versions:
        raise unknown_version(app_id, version, versions)
    return versions[-1] if version is None else version


def unknown_app(app_id: str, known: Sequence[str]) -> ApiProblem:
    """404: it names what there is."""
    return ApiProblem(
        HTTPStatus.NOT_FOUND,
        Kind.UNKNOWN_APP,
        f"There is no app '{shortened(app_id)}'; known apps: {listed(known)}",
        known=known,
    )


def unknown_version(app_id: str, version: int, known: Iterable[int]) -> ApiProblem:
    """404: it names what there is."""
    names = [str(number) for number in known]
    detail = f"App '{app_id}' has no version {version}; known versions: {listed(names)}"
    return ApiProblem(HTTPStatus.NOT_FOUND, Kind.UNKNOWN_VERSION, detail, known=names)


def not_evaluated(app_id: str, version: int, what: str) -> ApiProblem:
    """404: the version is there, this result of it is not."""
    detail = f"There is no {what} of {app_id}@{version} yet; POST …/{app_id}/evaluate, or `appeval run`"
    return ApiProblem(HTTPStatus.NOT_FOUND, Kind.NOT_EVALUATED, detail)


_SUMMARY = """
SELECT v.app_id, v.version, v.name, v.category, v.root, v.status, v.error, v.violation,
    q.overall_score, q.level,
    coalesce(s.passed, 0) AS scenarios_passed, coalesce(s.total, 0) AS scenarios_total,
    c.action_coverage, c.branch_coverage, e.edge_case_coverage, e.edge_case_robustness,
    b.p50_action_latency_ms, b.p99_action_latency_ms,
    r.old_version, r.is_breaking, r.interface_breaking_count
FROM app_versions AS v
LEFT JOIN quality_scores AS q USING (partition_key)
LEFT JOIN (
    SELECT partition_key, count(*) FILTER (passed) AS passed, count(*) AS total
    FROM scenario_runs WHERE list_contains(CAST($keys AS VARCHAR[]), partition_key) GROUP BY partition_key
) AS s USING (partition_key)
LEFT JOIN coverage_reports AS c USING (partition_key)
LEFT JOIN edge_case_reports AS e USING (partition_key)
LEFT JOIN benchmark_results AS b USING (partition_key)
LEFT JOIN regression_reports AS r USING (partition_key)
WHERE list_contains(CAST($keys AS VARCHAR[]), v.partition_key)
ORDER BY v.app_id, v.version
"""
_SUMMARIZED = (
    "app_definitions",
    "quality_scores",
    "scenario_runs",
    "coverage_reports",
    "edge_case_reports",
    "benchmark_results",
    "regression_reports",
)


def read_summaries(connection: Connection, partition_keys: Sequence[str]) -> list[VersionSummary]:
    """The headline results of versions, by app and version."""
    keys = list(partition_keys)
    sources = _read_sources(connection, keys)
    answer = connection.execute(_SUMMARY, {"keys": keys})
    names = [str(column[0]) for column in answer.description or ()]
    summaries = []
    for row in answer.fetchall():
        found = dict(zip(names, row, strict=True))
        found["sources"] = sources.get(f"{found['app_id']}@{found['version']}", [])
        summaries.append(VersionSummary.model_validate(found))
    return summaries


def _read_sources(connection: Connection, keys: list[str]) -> Mapping[str, list[Source]]:
    rows = connection.execute(
        "SELECT DISTINCT asset_key, partition_key, data_version, run_id, materialized_at FROM lineage"
        " WHERE list_contains(CAST(? AS VARCHAR[]), partition_key)"
        " AND list_contains(CAST(? AS VARCHAR[]), asset_key) ORDER BY ALL",
        [keys, list(_SUMMARIZED)],
    ).fetchall()
    found: dict[str, list[Source]] = {}
    for asset_key, partition_key, data_version, run_id, at in rows:
        source = Source(
            asset_key=asset_key,
            partition_key=partition_key,
            data_version=data_version,
            run_id=run_id,
            materialized_at=at,
        )
        found.setdefault(partition_key, []).append(source)
    return found


def count_apps(connection: Connection) -> int:
    """How many apps are stored."""
    row = connection.execute("SELECT count(DISTINCT app_id) FROM app_versions").fetchone()
    return int(row[0]) if row else 0


def read_apps(connection: Connection, limit: int, offset: int) -> list[AppSummary]:
    """A page of the stored apps, by id."""
    rows = connection.execute(
        "SELECT app_id, list(version ORDER BY version) FROM app_versions"
        " GROUP BY app_id ORDER BY app_id LIMIT ? OFFSET ?",
        [limit, offset],
    ).fetchall()
    versions = {str(app_id): numbers for app_id, numbers in rows}
    latest = read_summaries(connection, [f"{app_id}@{numbers[-1]}" for app_id, numbers in versions.items()])
    return [AppSummary(app_id=one.app_id, versions=versions[one.app_id], latest=one) for one in latest]


def read_definition(connection: Connection, app_id: str, version: int) -> Stored[AppVersionRow]:
    """The stored definition of a version that is known to be there.

    Raises:
        ApiProblem: 404.
    """
    stored = read_row(connection, AppVersionRow, app_id, version)
    if stored is None:
        raise not_evaluated(app_id, version, "definition")
    return stored


def definition_answer(stored: Stored[AppVersionRow], versions: Sequence[int]) -> AppDefinitionAnswer:
    """One version as it is stored."""
    return AppDefinitionAnswer.model_validate(_merged(stored, versions=list(versions)))


def read_quality(connection: Connection, app_id: str, version: int) -> QualityAnswer | None:
    """The stored quality; None where there is none."""
    stored = read_row(connection, QualityScoreRow, app_id, version)
    if stored is None:
        return None
    dimensions = [one.row for one in read_rows(connection, QualityDimensionRow, app_id, version)]
    suggestions = read_rows(connection, QualitySuggestionRow, app_id, version)
    return QualityAnswer.model_validate(
        _merged(
            stored,
            dimension_scores={one.dimension: one.score for one in dimensions},
            details={one.dimension: one.details for one in dimensions},
            suggestions=[Suggestion.model_validate(one.row) for one in suggestions],
        )
    )


def read_coverage(connection: Connection, app_id: str, version: int) -> CoverageAnswer | None:
    """The stored coverage; None where there is none."""
    stored = read_row(connection, CoverageReportRow, app_id, version)
    if stored is None:
        return None
    gaps = read_rows(connection, CoverageGapRow, app_id, version)
    return CoverageAnswer.model_validate(_merged(stored, gaps=[Gap.model_validate(one.row) for one in gaps]))


def read_benchmark(connection: Connection, app_id: str, version: int) -> BenchmarkAnswer | None:
    """The stored benchmark; None where there is none."""
    stored = read_row(connection, BenchmarkResultRow, app_id, version)
    if stored is None:
        return None
    actions = read_rows(connection, BenchmarkActionRow, app_id, version)
    return BenchmarkAnswer.model_validate(
        _merged(stored, actions=[ActionLatency.model_validate(one.row) for one in actions])
    )


def read_scenarios(connection: Connection, app_id: str, version: int) -> ScenarioRuns | None:
    """The stored scenario runs; None where the version has none."""
    runs = read_rows(connection, ScenarioRunRow, app_id, version)
    if not runs:
        return None
    failures = read_rows(connection, ScenarioFailureRow, app_id, version)
    return ScenarioRuns(
        app_id=app_id,
        version=version,
        passed=sum(1 for one in runs if one.row.passed),
        total=len(runs),
        scenarios=[ScenarioAnswer.model_validate(one.row) for one in runs],
        failures=[FailureAnswer.model_validate(one.row) for one in failures],
        source=runs[0].source,
    )


def _merged(stored: Stored[R], **more: object) -> dict[str, Any]:
    """The fields of a row with its source and more, for a model to check."""
    return {**asdict(stored.row), "source": stored.source, **more}
