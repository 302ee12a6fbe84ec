"""From a metric down to the files, code and runs that made it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from difflib import get_close_matches
from typing import Any

import duckdb

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.backend import Store


@dataclass(frozen=True, slots=True)
class LineageNode:
    """One thing that a metric rests on, with what it rests on in turn.

    Attributes:
        kind: ``metric``, ``asset``, ``file``, ``code``, ``config`` or ``upstream_version`` (a result of the
            baseline).
        key: The metric's name, the asset's key, the file's path, or a name.
        version: Data version, SHA-256, code version or value hash; for the metric its value with unit.
        partition_key: The partition of a metric or result.
        run_id: The run that made it.
        materialized_at: When, UTC.
        content_hash: Of a file: hash of what it means, without comments and layout.
        note: What the chain misses here; None when nothing is missing.
        is_repeated: Whether it is a result that stands above already, where its inputs are.
        inputs: What it was computed from.
    """

    kind: str
    key: str
    version: str
    partition_key: str | None = None
    run_id: str | None = None
    materialized_at: datetime | None = None
    content_hash: str | None = None
    note: str | None = None
    is_repeated: bool = False
    inputs: tuple[LineageNode, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The tree as plain JSON."""
        at = self.materialized_at
        return {
            **{field.name: getattr(self, field.name) for field in fields(self)},
            "materialized_at": at.isoformat() if at else None,
            "inputs": [node.to_dict() for node in self.inputs],
        }


@dataclass(frozen=True, slots=True)
class StoredMetric:
    """A metric of one version, as the view ``metrics`` has it."""

    value: float
    unit: str
    asset_key: str
    partition_key: str
    run_id: str
    data_version: str


def explain_metric(database: Store, app_id: str, version: int, metric: str) -> LineageNode:
    """The lineage of one metric of one app version, as a tree; what occurs again is not repeated.

    Raises:
        StoreError: There is no store, or no such app version or metric in it; the message lists them.
    """
    with database.reader() as connection:
        found = read_metric(connection, app_id, version, metric)
        if found is None:
            raise no_metric(connection, app_id, version, metric)
        return _metric_node(connection, metric, found)


def explain_experiment_metric(database: Store, experiment: str, metric: str) -> LineageNode:
    """The lineage of one metric of one tau-bench experiment, as the one of an app version.

    Raises:
        StoreError: There is no store, or no such experiment or metric in it; the message lists them.
    """
    with database.reader() as connection:
        row = connection.execute(
            "SELECT value, unit, asset_key, partition_key, run_id, data_version FROM metrics"
            " WHERE app_id IS NULL AND partition_key = ? AND metric = ?",
            [experiment, metric],
        ).fetchone()
        if row is None:
            raise _no_experiment_metric(connection, experiment, metric)
        return _metric_node(connection, metric, StoredMetric(*row))


def _metric_node(connection: duckdb.DuckDBPyConnection, metric: str, found: StoredMetric) -> LineageNode:
    asset = result_node(connection, found.asset_key, found.partition_key, found.data_version)
    return LineageNode(
        kind="metric",
        key=metric,
        version=f"{found.value:.10g} {found.unit}",
        partition_key=found.partition_key,
        run_id=found.run_id,
        materialized_at=asset.materialized_at,
        inputs=(asset,),
    )


def read_metric(
    connection: duckdb.DuckDBPyConnection, app_id: str, version: int, metric: str
) -> StoredMetric | None:
    """The metric of a version; None where there is none."""
    row = connection.execute(
        "SELECT value, unit, asset_key, partition_key, run_id, data_version FROM metrics"
        " WHERE app_id = ? AND version = ? AND metric = ?",
        [app_id, version, metric],
    ).fetchone()
    return StoredMetric(*row) if row else None


def result_node(
    connection: duckdb.DuckDBPyConnection, asset_key: str, partition_key: str, data_version: str
) -> LineageNode:
    """One result with everything that it rests on."""
    return _Reader(connection, set()).node("asset", asset_key, partition_key, data_version, None)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a tree, depth first; it knows which results it has been at."""

    connection: duckdb.DuckDBPyConnection
    seen: set[tuple[str, str, str]]

    def node(
        self, kind: str, asset_key: str, partition_key: str, data_version: str, run_id: str | None
    ) -> LineageNode:
        rows = self.connection.execute(
            "SELECT run_id, materialized_at, input_kind, input_key, input_version, input_partition_key,"
            " input_run_id, input_content_hash"
            " FROM lineage WHERE asset_key = ? AND partition_key = ? AND data_version = ?"
            " ORDER BY input_kind, input_key, input_partition_key",
            [asset_key, partition_key, data_version],
        ).fetchall()
        here = (asset_key, partition_key, data_version)
        is_repeated = here in self.seen
        self.seen.add(here)
        return LineageNode(
            kind=kind,
            key=asset_key,
            version=data_version,
            partition_key=partition_key,
            run_id=run_id or (rows[0][0] if rows else None),
            materialized_at=rows[0][1] if rows else None,
            note=None if rows else "this result has been replaced since; evaluate the version again",
            is_repeated=is_repeated,
            inputs=() if is_repeated else tuple(self._input(*row[2:]) for row in rows),
        )

    def _input(
        self,
        kind: str,
        key: str,
        version: str,
        partition_key: str | None,
        run_id: str | None,
        content_hash: str | None,
    ) -> LineageNode:
        if kind in ("asset", "upstream_version") and partition_key:
            return self.node(kind, key, partition_key, version, run_id)
        return LineageNode(kind, key, version, partition_key, run_id, content_hash=content_hash)


def no_metric(connection: duckdb.DuckDBPyConnection, app_id: str, version: int, metric: str) -> StoreError:
    """The error for a metric that is not stored: it says what is."""

    def names(sql: str, parameters: list[str | int]) -> str:
        return ", ".join(str(row[0]) for row in connection.execute(sql, parameters).fetchall())

    metrics = connection.execute(
        "SELECT metric FROM metrics WHERE app_id = ? AND version = ? ORDER BY metric", [app_id, version]
    ).fetchall()
    if metrics:
        return _other_metric(f"{app_id} version {version}", metric, metrics)
    versions = names("SELECT version FROM app_versions WHERE app_id = ? ORDER BY version", [app_id])
    if versions:
        return StoreError(f"Nothing is stored for {app_id} version {version}; stored versions: {versions}")
    apps = names("SELECT DISTINCT app_id FROM app_versions ORDER BY app_id", [])
    stored = apps or "none, run `appeval run` first"
    return StoreError(f"Nothing is stored for app '{app_id}'; stored apps: {stored}")


def _no_experiment_metric(connection: duckdb.DuckDBPyConnection, experiment: str, metric: str) -> StoreError:
    """The error for a metric that is not stored of an experiment: it says what is."""
    metrics = connection.execute(
        "SELECT metric FROM metrics WHERE app_id IS NULL AND partition_key = ? ORDER BY metric", [experiment]
    ).fetchall()
    if metrics:
        return _other_metric(f"The experiment {experiment}", metric, metrics)
    stored = connection.execute("SELECT partition_key FROM tau_experiments ORDER BY ALL").fetchall()
    names = ", ".join(str(row[0]) for row in stored) or "none, run `appeval tau evaluate` first"
    return StoreError(f"Nothing is stored for an experiment '{experiment}'; stored experiments: {names}")


def _other_metric(what: str, metric: str, rows: list[tuple[Any, ...]]) -> StoreError:
    """The error for a metric that is not among these: the names like it, or else all of them."""
    stored = [str(row[0]) for row in rows]
    alike = get_close_matches(metric, stored, n=5, cutoff=0.8)
    told = f"did you mean {' or '.join(alike)}?" if alike else f"it has {', '.join(stored)}"
    return StoreError(f"{what} has no metric '{metric}'; {told}")
