"""Which tables are exported, and their rows in an order that does not depend on runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import duckdb

from appeval_pipeline.store.schema import Column, table_columns

METRICS = "metrics"
LEFT_OUT = ("asset_lineage", "latest_quality", "metric_lineage", "run_failures", "schema_migrations")
"""Views whose rows are in other tables, and bookkeeping: no results."""

PROVENANCE = ("run_id", "asset_key", "partition_key", "data_version", "materialized_at")
_UNORDERED_TYPES = ("JSON", "DOUBLE", "TIMESTAMP")
_CHUNK = 1000

Cells = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view as it is exported."""

    name: str
    columns: tuple[Column, ...]

    @property
    def select(self) -> str:
        """All rows: by the columns that tell them apart, as they stand, and then by where they come from."""
        own = [c.name for c in self.columns if c.name not in PROVENANCE and c.type not in _UNORDERED_TYPES]
        names = ", ".join(f'"{column.name}"' for column in self.columns)
        order = ", ".join(f'"{name}"' for name in (*own, "asset_key", "partition_key"))
        return f'SELECT {names} FROM "{self.name}" ORDER BY {order}'

    def rows(self, connection: duckdb.DuckDBPyConnection) -> Iterator[Cells]:
        """The rows, a chunk at a time; the connection is busy until the last."""
        answer = connection.execute(self.select)
        while chunk := answer.fetchmany(_CHUNK):
            yield from chunk


@cache
def exported_tables() -> tuple[Table, ...]:
    """Every table with results and the ``metrics`` view, by name."""
    return tuple(
        Table(name, columns) for name, columns in sorted(table_columns().items()) if name not in LEFT_OUT
    )
