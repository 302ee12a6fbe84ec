"""From a metric down to the files, code and runs that made it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import duckdb

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.backend import Store


@dataclass(frozen=True, slots=True)
class LineageNode:
    """One thing that a metric rests on, with what it rests on in turn.

    Attributes:
        kind: ``metric``, ``asset``, ``file``, ``code``, ``config`` or ``upstream_version``.
        key: The metric's name, the asset's key, the file's path, or a name.
        version: Data version, SHA-256, code version or value hash; for the metric its value with unit.
        partition_key: The partition of a metric or asset.
        run_id: The run that made it.
        materialized_at: When, UTC.
        note: What the chain misses here; None when nothing is missing.
        inputs: What it was computed from.
    """

    kind: str
    key: str
    version: str
    partition_key: str | None = None
    run_id: str | None = None
    materialized_at: datetime | None = None
    note: str | None = None
    inputs: tuple[LineageNode, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokenChain:
    """An asset's partition whose metrics cannot be followed to files and code, and why."""

    asset_key: str
    partition_key: str
    reason: str


def explain_metric(database: Store, app_id: str, version: int, metric: str) -> LineageNode:
    """The lineage of one metric of one app version, as a tree.

    Raises:
        StoreError: There is no store, or no such app version or metric in it; the message lists them.
    """
    with database.reader() as connection:
        row = connection.execute(
            "SELECT value, unit, asset_key, partition_key, run_id, data_version FROM metrics"
            " WHERE app_id = ? AND version = ? AND metric = ?",
            [app_id, version, metric],
        ).fetchone()
        if row is None:
            raise StoreError(_no_metric(connection, app_id, version, metric))
        value, unit, asset_key, partition_key, run_id, data_version = row
        asset = _asset_node(connection, asset_key, partition_key, data_version, run_id, seen=frozenset())
        return LineageNode(
            kind="metric",
            key=metric,
            version=f"{value:.10g} {unit}",
            partition_key=partition_key,
            run_id=run_id,
            materialized_at=asset.materialized_at,
            inputs=(asset,),
        )


def broken_chains(database: Store) -> tuple[BrokenChain, ...]:
    """Partitions of assets that have metrics without a complete chain down to a file and the code."""
    with database.reader() as connection:
        rows = connection.execute(
            """
            SELECT m.asset_key, m.partition_key,
                count(*) FILTER (l.input_kind = 'file') AS files,
                count(*) FILTER (l.input_kind = 'code') AS codes,
                count(*) FILTER (
                    l.input_kind IN ('asset', 'upstream_version') AND NOT EXISTS (
                        FROM lineage AS u
                        WHERE u.asset_key = l.input_key AND u.partition_key = l.input_partition_key
                            AND u.data_version = l.input_version
                    )
                ) AS lost
            FROM (SELECT DISTINCT asset_key, partition_key, metric FROM metrics) AS m
            LEFT JOIN metric_lineage AS l USING (partition_key, metric)
            GROUP BY m.asset_key, m.partition_key, m.metric
            HAVING files = 0 OR codes = 0 OR lost > 0
            """
        ).fetchall()
    reasons: dict[tuple[str, str], str] = {}
    for asset_key, partition_key, files, codes, lost in rows:
        missing = [name for name, count in (("file", files), ("code version", codes)) if count == 0]
        parts = [f"no {name}" for name in missing]
        if lost:
            parts.append("a result it was computed from has been replaced since: evaluate it again")
        reasons[asset_key, partition_key] = "; ".join(parts)
    return tuple(BrokenChain(*key, reasons[key]) for key in sorted(reasons))


def _asset_node(
    connection: duckdb.DuckDBPyConnection,
    asset_key: str,
    partition_key: str,
    data_version: str,
    run_id: str | None,
    seen: frozenset[tuple[str, str]],
) -> LineageNode:
    rows = connection.execute(
        "SELECT run_id, materialized_at, input_kind, input_key, input_version, input_partition_key,"
        " input_run_id FROM lineage WHERE asset_key = ? AND partition_key = ? AND data_version = ?"
        " ORDER BY input_kind, input_key, input_partition_key",
        [asset_key, partition_key, data_version],
    ).fetchall()
    here = (asset_key, partition_key)
    inputs = []
    for _, _, kind, key, version, input_partition, input_run in rows:
        if kind in ("asset", "upstream_version") and input_partition and here not in seen:
            node = _asset_node(connection, key, input_partition, version, input_run, seen | {here})
        else:
            node = LineageNode(kind, key, version, input_partition, input_run)
        inputs.append(node)
    return LineageNode(
        kind="asset",
        key=asset_key,
        version=data_version,
        partition_key=partition_key,
        run_id=run_id or (rows[0][0] if rows else None),
        materialized_at=rows[0][1] if rows else None,
        note=None if rows else "this result has been replaced since; evaluate the version again",
        inputs=tuple(inputs),
    )


def _no_metric(connection: duckdb.DuckDBPyConnection, app_id: str, version: int, metric: str) -> str:
    def names(sql: str, parameters: list[str | int]) -> str:
        return ", ".join(str(row[0]) for row in connection.execute(sql, parameters).fetchall())

    metrics = names(
        "SELECT metric FROM metrics WHERE app_id = ? AND version = ? ORDER BY metric", [app_id, version]
    )
    if metrics:
        return f"{app_id} version {version} has no metric '{metric}'; it has {metrics}"
    versions = names("SELECT version FROM app_versions WHERE app_id = ? ORDER BY version", [app_id])
    if versions:
        return f"Nothing is stored for {app_id} version {version}; stored versions: {versions}"
    apps = names("SELECT DISTINCT app_id FROM app_versions ORDER BY app_id", [])
    return f"Nothing is stored for app '{app_id}'; stored apps: {apps or 'none, run `appeval run` first'}"
