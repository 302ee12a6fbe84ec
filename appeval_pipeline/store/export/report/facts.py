"""What the page's script knows of each version and experiment: its numbers, scenarios, and their sources.

Names, files and runs that occur again and again are told once and pointed at by their place: a thousand
versions stay within a few megabytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import duckdb

SHOWN_DIGITS = 16
"""Of hashes and data versions; ``appeval why`` and the other formats have them whole."""

MAX_NUMBERS = 400
"""Of one version or experiment."""
MAX_SCENARIOS = 300
"""Of one version."""
MAX_INPUTS = 200
"""Of one result."""

_Connection = duckdb.DuckDBPyConnection
_H = TypeVar("_H", bound=Hashable)

_METRICS = """
SELECT partition_key, metric, unit, asset_key, value FROM metrics
ORDER BY partition_key, metric, asset_key, value
"""
_LINEAGE = """
SELECT DISTINCT partition_key, asset_key, data_version, run_id,
    strftime(materialized_at, '%Y-%m-%d %H:%M:%S UTC'), input_kind, input_key,
    CASE WHEN length(input_version) = 64 THEN left(input_version, ?) ELSE input_version END,
    coalesce(input_partition_key, '')
FROM lineage ORDER BY ALL
"""
_SCENARIOS = """
SELECT r.partition_key, r.scenario_name, r.file_path, r.status, coalesce(s.outcome, '')
FROM scenario_runs AS r
LEFT JOIN (
    SELECT partition_key, file_path, left(md5(string_agg(
        md5(concat_ws(chr(30), success, data, error, state_diff, observations)), '' ORDER BY step_index
    )), 8) AS outcome
    FROM scenario_steps GROUP BY ALL
) AS s USING (partition_key, file_path)
ORDER BY ALL
"""

_WORSE = ("failures", "warnings", "gaps")
_BETTER = (
    *("coverage.action", "coverage.block", "coverage.branch", "coverage.path"),
    *("pass_rate", "partial_credit", "robustness", "edge_cases.coverage", "edge_case_coverage"),
    *("quality_score", "success_rate", "goal_rate", "efficiency_ratio"),
    *("pass_hat_1", "pass_hat_2", "pass_hat_3", "pass_hat_4"),
)
"""Of times and of counts that grow with the number of tasks nothing is said: chance moves them, too."""

Metric = tuple[str, str, str, int]
"""Name, unit, asset, and which direction is better: 1 up, -1 down, 0 neither."""
Input = tuple[str, str, str, str]
"""Kind, key, version, and the partition or nothing."""
Result = tuple[str, str, int, tuple[int, ...], int]
"""Asset, data version, place of the run, places of the inputs, and how many inputs are left out."""


@dataclass(frozen=True, slots=True)
class Partition:
    """One app version or experiment.

    Attributes:
        app: The app; empty for an experiment.
        version: From 1; 0 for an experiment.
        values: By turns the place of a metric and its value.
        scenarios: By turns the place of a scenario, its status, and a hash of what its steps came to.
        results: What each asset made of it.
        left_out: How many numbers and scenarios are not listed.
    """

    app: str
    version: int
    values: tuple[float, ...]
    scenarios: tuple[int | str, ...]
    results: tuple[Result, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that partitions point at, and the partitions by their keys."""

    metrics: tuple[Metric, ...]
    inputs: tuple[Input, ...]
    runs: tuple[tuple[str, str], ...]
    scenarios: tuple[tuple[str, str], ...]
    partitions: dict[str, Partition]


class _Interned(Generic[_H]):
    """Each value once, in the order in which it came."""

    def __init__(self) -> None:
        self._places: dict[_H, int] = {}

    def place(self, value: _H) -> int:
        return self._places.setdefault(value, len(self._places))

    @property
    def values(self) -> tuple[_H, ...]:
        return tuple(self._places)


def load_facts(
    connection: _Connection, versions: Sequence[tuple[str, int]], experiments: Collection[str]
) -> Facts:
    """What is stored of these app versions and experiments."""
    owners = {f"{app_id}@{version}": (app_id, version) for app_id, version in versions}
    owners |= dict.fromkeys(experiments, ("", 0))
    metrics, inputs = _Interned[Metric](), _Interned[Input]()
    runs, scenarios = _Interned[tuple[str, str]](), _Interned[tuple[str, str]]()
    values: dict[str, list[float]] = defaultdict(list)
    for key, name, unit, asset, value in connection.execute(_METRICS).fetchall():
        if key in owners:
            values[key] += (metrics.place((name, unit, asset, better(name))), _short(value))
    statuses: dict[str, list[int | str]] = defaultdict(list)
    for key, name, file, status, outcome in connection.execute(_SCENARIOS).fetchall():
        if key in owners:
            statuses[key] += (scenarios.place((name, file)), status, outcome)
    results: dict[str, dict[tuple[str, str, int], list[int]]] = defaultdict(lambda: defaultdict(list))
    for key, asset, data, run, at, *source in connection.execute(_LINEAGE, [SHOWN_DIGITS]).fetchall():
        if key in owners:
            result = (asset, data[:SHOWN_DIGITS], runs.place((run, at)))
            results[key][result].append(inputs.place(_input(source)))
    return Facts(
        metrics=metrics.values,
        inputs=inputs.values,
        runs=runs.values,
        scenarios=scenarios.values,
        partitions={
            key: Partition(
                *owner,
                values=tuple(values[key][: 2 * MAX_NUMBERS]),
                scenarios=tuple(statuses[key][: 3 * MAX_SCENARIOS]),
                results=tuple(
                    (*result, tuple(found[:MAX_INPUTS]), max(0, len(found) - MAX_INPUTS))
                    for result, found in sorted(results[key].items())
                ),
                left_out=max(0, len(values[key]) // 2 - MAX_NUMBERS)
                + max(0, len(statuses[key]) // 3 - MAX_SCENARIOS),
            )
            for key, owner in owners.items()
        },
    )


def better(metric: str) -> int:
    """Which direction of a metric is better: 1 up, -1 down, 0 neither or unknown."""
    if metric.endswith(_WORSE):
        return -1
    if metric.endswith(_BETTER) or (metric.startswith("quality.") and metric != "quality.suggestions"):
        return 1
    return 0


def _input(source: Sequence[str]) -> Input:
    kind, key, version, partition = source
    return kind, key, version, partition


def _short(value: float) -> float:
    """Six digits that count; a whole number without its fraction."""
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded.is_integer() else rounded
