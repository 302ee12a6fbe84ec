"""What an evaluation changed: what was stored before it beside what is stored after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from appeval_pipeline.appdef.catalogue import parse_partition_key
from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.dependencies import REGRESSIONS
from appeval_pipeline.store.overview import VersionOverview
from appeval_pipeline.store.parameters import TEXTS, texts
from appeval_pipeline.store.verdicts import Severity, all_verdicts

Key = tuple[str, str]
"""A partition key, and what is meant there."""

WATCHED: Mapping[str, int] = {
    "quality.overall": 1,
    "coverage.branch": 1,
    "edge_cases.coverage": 1,
    "edge_cases.robustness": 1,
    "definition.warnings": -1,
    "regression.interface_breaking": -1,
    "regression.output_changes": 0,
    "scenarios.total": 0,
}
"""The metrics whose changes are told, each with the direction that is better; 0 if neither is.

Measured times are not among them: they differ from run to run.
"""

TOLD_IN_DETAIL = ("all_scenarios_pass", "edge_cases_are_robust")
"""Checks that fail exactly when a scenario or a metric above changes for the worse."""

LAST_TOLD = REGRESSIONS
"""The last asset that is told of: a version that has it was evaluated to the end."""

PASSED, REMOVED = "passed", "removed"


class ChangeKind(StrEnum):
    """What changed, the most telling first."""

    SCENARIO = "scenario"
    CHECK = "check"
    METRIC = "metric"
    TIMING = "timing"


@dataclass(frozen=True, slots=True)
class Change:
    """One difference in what is stored of one app version.

    Attributes:
        partition_key: The version.
        kind: What ``name`` names: a scenario, a check, a metric, or an action that takes longer.
        before, after: The value of a metric; the status of a scenario; the severity of a check's finding; for
            an action the ratio of its latency to the baseline's. None where there was or is none.
        is_worse: Whether somebody should look.
    """

    partition_key: str
    kind: ChangeKind
    name: str
    before: str | float | None
    after: str | float | None
    is_worse: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Findings:
    """What is stored of some app versions, as far as changes of it are told.

    Attributes:
        evaluated: The versions that were evaluated to the end.
        metrics: Values of the watched metrics.
        scenarios: Statuses by scenario, which is its name and, after a newline, its file.
        checks: The worst severity of each failed check.
        slower: Actions significantly slower than in the baseline, with the ratio.
    """

    evaluated: frozenset[str]
    metrics: Mapping[Key, float]
    scenarios: Mapping[Key, str]
    checks: Mapping[Key, Severity]
    slower: Mapping[Key, float]


def read_findings(
    database: Store, overview: Iterable[VersionOverview], partition_keys: Sequence[str]
) -> Findings:
    """What is stored of the versions named by ``partition_keys``.

    Args:
        database: The store.
        overview: What :func:`read_overview` says, of these versions at least.
        partition_keys: The versions.
    """
    keys = list(partition_keys)
    here = f"list_contains({TEXTS}, partition_key)"
    with database.reader() as connection:

        def ask(sql: str, *parameters: object) -> list[tuple[Any, ...]]:
            return connection.execute(f"{sql} AND {here}", [*parameters, texts(keys)]).fetchall()

        evaluated = ask("SELECT DISTINCT partition_key FROM lineage WHERE asset_key = ?", LAST_TOLD)
        metrics = ask(
            f"SELECT partition_key, metric, value FROM metrics WHERE list_contains({TEXTS}, metric)",
            texts(WATCHED),
        )
        scenarios = ask(
            "SELECT partition_key, scenario_name || chr(10) || file_path, status"
            " FROM scenario_runs WHERE status IS NOT NULL"
        )
        slower = ask(
            "SELECT partition_key, action, ratio FROM regression_timings WHERE is_significant AND ratio > 1"
        )
    wanted = set(keys)
    checks: dict[Key, Severity] = {}
    for verdict in all_verdicts(version for version in overview if version.partition_key in wanted):
        key = (verdict.partition_key, verdict.check)
        if checks.get(key) is not Severity.ERROR:
            checks[key] = verdict.severity
    return Findings(
        evaluated=frozenset(str(row[0]) for row in evaluated),
        metrics={(key, name): value for key, name, value in metrics},
        scenarios={(key, name): status for key, name, status in scenarios},
        checks=checks,
        slower={(key, action): ratio for key, action, ratio in slower},
    )


def find_changes(before: Findings, after: Findings) -> tuple[Change, ...]:
    """What differs for versions that had been evaluated before: the worse first, then by kind.

    Of scenarios, those that do not pass count: new failures, other failures, and failures that are gone.
    """
    found = [
        *_scenario_changes(before.scenarios, after.scenarios),
        *_check_changes(before.checks, after.checks),
        *_metric_changes(before.metrics, after.metrics),
        *_slower_actions(before.slower, after.slower),
    ]
    order = {kind: position for position, kind in enumerate(ChangeKind)}
    known = [change for change in found if change.partition_key in before.evaluated]
    return tuple(sorted(known, key=lambda change: (not change.is_worse, order[change.kind])))


def _scenario_changes(before: Mapping[Key, str], after: Mapping[Key, str]) -> Iterable[Change]:
    for key in _union(before, after):
        old, new = before.get(key), after.get(key, REMOVED)
        if old != new and not (old in (None, PASSED) and new in (PASSED, REMOVED)):
            name = key[1].partition("\n")[0]
            yield Change(key[0], ChangeKind.SCENARIO, name, old, new, new not in (PASSED, REMOVED))


def _check_changes(before: Mapping[Key, Severity], after: Mapping[Key, Severity]) -> Iterable[Change]:
    for key in _union(before, after):
        old, new = before.get(key), after.get(key)
        if old is not new and key[1] not in TOLD_IN_DETAIL:
            is_worse = new is Severity.ERROR or old is None
            yield Change(key[0], ChangeKind.CHECK, key[1], old, new, is_worse)


def _metric_changes(before: Mapping[Key, float], after: Mapping[Key, float]) -> Iterable[Change]:
    for key in _union(before, after):
        old, new = before.get(key), after.get(key)
        if old != new:
            is_worse = new is None or (old is not None and (new - old) * WATCHED[key[1]] < 0)
            yield Change(key[0], ChangeKind.METRIC, key[1], old, new, is_worse)


def _slower_actions(before: Mapping[Key, float], after: Mapping[Key, float]) -> Iterable[Change]:
    for key, ratio in after.items():
        if key not in before:
            yield Change(key[0], ChangeKind.TIMING, key[1], None, ratio, True)


def _union(before: Mapping[Key, object], after: Mapping[Key, object]) -> list[Key]:
    return sorted({*before, *after}, key=_natural)


def _natural(key: Key) -> tuple[str, int, str]:
    return (*parse_partition_key(key[0]), key[1])
