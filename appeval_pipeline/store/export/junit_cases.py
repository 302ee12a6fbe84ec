"""What CI is told of each app version: its test cases, read from the store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

import duckdb

from appeval_pipeline.junit import Case, Suite
from appeval_pipeline.store.parameters import TEXTS, texts
from appeval_pipeline.store.verdicts import FAIL_BELOW, WARN_BELOW

Key = tuple[str, int]

PROPERTIES = (
    "quality.overall",
    "scenarios.pass_rate",
    "coverage.branch",
    "edge_cases.coverage",
    "edge_cases.robustness",
    "benchmark.p50_latency_ms",
    "benchmark.p99_latency_ms",
)
"""Metrics that a suite carries as properties."""


def read_suites(connection: duckdb.DuckDBPyConnection) -> list[Suite]:
    """The suites of all stored versions, by app and version."""
    cases: dict[Key, list[Case]] = defaultdict(list)
    for reader in (_definitions, _quality, _scenarios, _regressions, _unevaluated):
        for key, case in reader(connection):
            cases[key].append(case)
    properties = _properties(connection)
    versions = connection.execute(
        "SELECT app_id, version, max(partition_key), max(materialized_at), max(run_id) FROM app_versions"
        " GROUP BY app_id, version ORDER BY app_id, version"
    ).fetchall()
    return [
        Suite(
            name=name,
            made_at=made,
            properties=(("run_id", run_id), *properties.get((app_id, version), ())),
            cases=tuple(cases[app_id, version]),
        )
        for app_id, version, name, made, run_id in versions
    ]


def _definitions(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[Key, Case]]:
    rows = connection.execute(
        "SELECT app_id, version, status, error, violation, file_path FROM app_versions ORDER BY ALL"
    ).fetchall()
    for app_id, version, status, error, violation, file in rows:
        key = (app_id, version)
        if status == "valid":
            yield key, Case(group="definition", name="definition is valid", file=file)
        else:
            reason = error or f"the definition is {status}"
            yield (
                key,
                Case(
                    group="definition",
                    name="definition is valid",
                    outcome="error",
                    message=_first_line(reason),
                    type=status,
                    text=reason,
                    file=file,
                ),
            )
        if violation:
            yield (
                key,
                Case(
                    group="definition",
                    name="landed version is unchanged",
                    outcome="failure",
                    message=_first_line(violation),
                    type="violation",
                    text=violation,
                    file=file,
                ),
            )


def _quality(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[Key, Case]]:
    rows = connection.execute(
        "SELECT app_id, version, status, overall_score, level, error FROM quality_scores ORDER BY ALL"
    ).fetchall()
    name = f"quality is at least {FAIL_BELOW:.0f}"
    for app_id, version, status, score, level, error in rows:
        key = (app_id, version)
        if score is None:
            yield key, _without_result("quality", name, status, error)
        elif score < FAIL_BELOW:
            message = f"quality {score:.1f} ({level}) is below {FAIL_BELOW:.0f}"
            yield (
                key,
                Case(group="quality", name=name, outcome="failure", message=message, type="quality"),
            )
        else:
            remark = f"quality {score:.1f} ({level}) is below {WARN_BELOW:.0f}" if score < WARN_BELOW else ""
            yield key, Case(group="quality", name=name, message=remark)


def _scenarios(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[Key, Case]]:
    failures = _failure_texts(connection)
    rows = connection.execute(
        "SELECT app_id, version, file_path, scenario_name, status, steps_passed, steps_total, duration_ms,"
        " error FROM scenario_runs ORDER BY app_id, version, file_path, scenario_name"
    ).fetchall()
    uses = Counter((app_id, version, name) for app_id, version, _, name, *_ in rows)
    for app_id, version, file, name, status, steps_passed, steps_total, duration_ms, error in rows:
        name = f"{name} ({file})" if uses[app_id, version, name] > 1 else name
        time_s = (duration_ms or 0.0) / 1000
        key = (app_id, version)
        if status == "passed":
            yield key, Case(group="scenarios", name=name, time_s=time_s, file=file)
        elif status == "failed":
            texts = failures.get((app_id, version, file), ["a step or assertion did not hold"])
            yield (
                key,
                Case(
                    group="scenarios",
                    name=name,
                    outcome="failure",
                    message=f"{steps_passed} of {steps_total} steps pass; {_first_line(texts[0])}",
                    type="scenario",
                    text="\n\n".join(texts),
                    time_s=time_s,
                    file=file,
                ),
            )
        else:
            yield key, _without_result("scenarios", name, status, error, file)


def _failure_texts(connection: duckdb.DuckDBPyConnection) -> Mapping[tuple[str, int, str], list[str]]:
    found: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for app_id, version, file, step, expected, actual, error in connection.execute(
        "SELECT app_id, version, file_path, step_name, expected, actual, error FROM scenario_failures"
        " ORDER BY app_id, version, file_path, scenario_name, failure_index"
    ).fetchall():
        found[app_id, version, file].append(f"{step}: {error}\n  expected {expected}\n  actual   {actual}")
    return found


def _regressions(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[Key, Case]]:
    breaks = _breaking_changes(connection)
    rows = connection.execute(
        "SELECT app_id, version, status, old_version, is_breaking OR interface_breaking_count > 0, error"
        " FROM regression_reports ORDER BY ALL"
    ).fetchall()
    for app_id, version, status, old_version, is_breaking, error in rows:
        key = (app_id, version)
        name = f"breaks nothing of version {old_version}" if old_version is not None else "breaks nothing"
        if status == "no_baseline":
            message = "there is no version before"
            yield key, Case(group="regression", name=name, outcome="skipped", message=message)
        elif status != "compared":
            yield key, _without_result("regression", name, status, error)
        elif is_breaking:
            messages = breaks.get(key, ["see regression_reports"])
            count = f"{len(messages)} breaking change{'' if len(messages) == 1 else 's'}"
            yield (
                key,
                Case(
                    group="regression",
                    name=name,
                    outcome="failure",
                    message=f"{count}: {_first_line(messages[0])}",
                    type="breaking",
                    text="\n".join(messages),
                ),
            )
        else:
            yield key, Case(group="regression", name=name)


def _breaking_changes(connection: duckdb.DuckDBPyConnection) -> Mapping[Key, list[str]]:
    found: dict[Key, list[str]] = defaultdict(list)
    for app_id, version, location, message in connection.execute(
        "SELECT app_id, version, location, message FROM regression_changes"
        " WHERE change = 'new_failure' OR (change = 'interface_change' AND severity = 'breaking')"
        " ORDER BY app_id, version, position"
    ).fetchall():
        found[app_id, version].append(f"{location}: {message}")
    return found


def _unevaluated(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[Key, Case]]:
    """Evaluations without a bar appear only where they failed."""
    for group, table in (
        ("coverage", "coverage_reports"),
        ("edge_cases", "edge_case_reports"),
        ("benchmark", "benchmark_results"),
    ):
        for app_id, version, status, error in connection.execute(
            f"SELECT app_id, version, status, error FROM {table} WHERE status = 'error' ORDER BY ALL"
        ).fetchall():
            yield (app_id, version), _without_result(group, "is evaluated", status, error)


def _without_result(group: str, name: str, status: str, error: str | None, file: str | None = None) -> Case:
    """Skipped where the definition is at fault, which has a test case of its own; else an error."""
    reason = error or f"the status is {status}"
    return Case(
        group=group,
        name=name,
        outcome="skipped" if status == "not_evaluated" else "error",
        message=_first_line(reason),
        type=status,
        text=reason,
        file=file,
    )


def _properties(connection: duckdb.DuckDBPyConnection) -> Mapping[Key, Sequence[tuple[str, str]]]:
    found: dict[Key, list[tuple[str, str]]] = defaultdict(list)
    for app_id, version, metric, value in connection.execute(
        f"SELECT app_id, version, metric, value FROM metrics WHERE list_contains({TEXTS}, metric)"
        " ORDER BY app_id, version, metric",
        [texts(PROPERTIES)],
    ).fetchall():
        found[app_id, version].append((metric, f"{value:.6g}"))
    return found


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0] or "no reason was recorded"
