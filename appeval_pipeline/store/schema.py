"""What the store's tables look like, read from the migrations themselves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import duckdb

from appeval_pipeline.store.migration import migrate


@dataclass(frozen=True, slots=True)
class Column:
    """One column: name, DuckDB type, and its comment (with the unit)."""

    name: str
    type: str
    comment: str


@cache
def table_columns() -> dict[str, tuple[Column, ...]]:
    """The columns of every table and view, in order."""
    with duckdb.connect(":memory:") as connection:
        migrate(connection)
        found: dict[str, list[Column]] = {}
        for table, name, type_, comment in connection.execute(
            "SELECT table_name, column_name, data_type, coalesce(comment, '') FROM duckdb_columns()"
            " WHERE NOT internal ORDER BY table_name, column_index"
        ).fetchall():
            found.setdefault(table, []).append(Column(name, type_, comment))
    return {table: tuple(columns) for table, columns in found.items()}
