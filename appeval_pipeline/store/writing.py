"""Putting the results of one asset into the store: all partitions of a batch in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime

import duckdb
import orjson

from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.parameters import TEXTS, texts
from appeval_pipeline.store.rows import AnyResult, Row, Scalar
from appeval_pipeline.store.schema import table_columns

ASSET_TABLES: Mapping[str, tuple[str, ...]] = {
    "app_definitions": ("app_versions",),
    "quality_scores": ("quality_scores", "quality_dimensions", "quality_suggestions"),
    "scenario_runs": ("scenario_runs", "scenario_steps", "scenario_failures"),
    "coverage_reports": ("coverage_reports", "coverage_gaps"),
    "edge_case_reports": ("edge_case_reports", "edge_case_results"),
    "benchmark_results": ("benchmark_results", "benchmark_actions"),
    "regression_reports": ("regression_reports", "regression_changes", "regression_timings"),
    "agent_evaluations": ("agent_evaluations", "agent_trials", "agent_steps"),
    "tau_tasks": ("tau_tasks",),
    "tau_trials": ("tau_trials", "tau_experiments", "tau_steps", "tau_faults"),
    "tau_metrics": ("tau_metrics",),
    "tau_leaderboard": ("tau_leaderboard",),
}
"""The tables that each asset owns: a write replaces its partitions in all of them."""

Record = Mapping[str, Scalar | datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one step of a run stores.

    Attributes:
        asset_key: The asset; a key of :data:`ASSET_TABLES`.
        run_id: The Dagster run.
        materialized_at: When the results were made, an aware time.
        results: One a partition.
    """

    asset_key: str
    run_id: str
    materialized_at: datetime
    results: tuple[AnyResult, ...]


def write_batch(database: Store, batch: Batch) -> dict[str, int]:
    """Replace the batch's partitions in the asset's tables and in ``lineage``.

    Returns:
        The number of rows written by table.
    """
    records = _records(batch)
    keys = texts(result.partition_key for result in batch.results)

    def change(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
        for table in records:
            connection.execute(
                f"DELETE FROM {table} WHERE asset_key = ? AND list_contains({TEXTS}, partition_key)",
                [batch.asset_key, keys],
            )
            insert(connection, table, records[table])
        return {table: len(rows) for table, rows in records.items()}

    return database.write(change)


def forget(database: Store, partition_keys: Sequence[str]) -> None:
    """Delete all rows of versions that never landed; a landed one among the keys is left as it is."""
    tables = [table for owned in ASSET_TABLES.values() for table in owned]

    def change(connection: duckdb.DuckDBPyConnection) -> None:
        rows = connection.execute("SELECT partition_key FROM app_versions WHERE landed").fetchall()
        landed = {str(row[0]) for row in rows}
        keys = texts(key for key in partition_keys if key not in landed)
        for table in (*tables, "lineage"):
            connection.execute(f"DELETE FROM {table} WHERE list_contains({TEXTS}, partition_key)", [keys])

    database.write(change)


def insert(connection: duckdb.DuckDBPyConnection, table: str, records: Sequence[Record]) -> None:
    """Insert rows: all of them in one statement, as one JSON document.

    A list of values as parameter would be looked at value by value, each time in search of libraries that
    may not even be installed: a hundred times slower.
    """
    if not records:
        return
    columns = [column for column in table_columns()[table] if column.name in records[0]]
    names = ", ".join(column.name for column in columns)
    values = ", ".join(f"CAST(r.{column.name} AS {column.type})" for column in columns)
    shape = {column.name: _transported(column.type) for column in columns}
    document = orjson.dumps([{name: _storable(record[name]) for name in shape} for record in records])
    connection.execute(
        f"INSERT INTO {table} ({names})"
        f" SELECT {values} FROM (SELECT unnest(from_json(CAST(? AS JSON), ?)) AS r)",
        [document.decode(), orjson.dumps([shape]).decode()],
    )


def _transported(column_type: str) -> str:
    """The type as which a value travels in JSON: numbers and truth values as they are, all else as text."""
    return column_type if column_type in ("INTEGER", "BIGINT", "DOUBLE", "BOOLEAN") else "VARCHAR"


def _storable(value: Scalar | datetime) -> Scalar | datetime:
    """``value``, with lone surrogates, which no database takes, written as question marks."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode()
    return value


def _records(batch: Batch) -> dict[str, list[Record]]:
    records: dict[str, list[Record]] = {table: [] for table in (*ASSET_TABLES[batch.asset_key], "lineage")}
    for result in batch.results:
        provenance: dict[str, Scalar | datetime] = {
            "run_id": batch.run_id,
            "asset_key": batch.asset_key,
            "partition_key": result.partition_key,
            "data_version": result.data_version,
            "materialized_at": _naive_utc(batch.materialized_at),
        }
        for row in result.rows:
            records[row.TABLE].append({**provenance, **_values(row)})
        records["lineage"].extend(_lineage_records(provenance, result))
    return records


def _lineage_records(provenance: Record, result: AnyResult) -> Iterable[Record]:
    for source in result.inputs:
        yield {
            **provenance,
            "app_id": result.app_id,
            "version": result.version,
            "input_kind": source.kind,
            "input_key": source.key,
            "input_version": source.version,
            "input_partition_key": source.partition_key,
            "input_run_id": source.run_id,
            "input_content_hash": source.content_hash,
        }


def _values(row: Row) -> dict[str, Scalar]:
    return {field.name: getattr(row, field.name) for field in fields(row)}


def _naive_utc(moment: datetime) -> datetime:
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError("materialized_at must be an aware time")
    return moment.replace(tzinfo=None) - offset
