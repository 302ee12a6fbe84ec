"""What the store's tables look like, read from the migrations themselves."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb

from appeval_pipeline.store.migration import migrate

_COLUMN_COMMENT = re.compile(
    r"^COMMENT\s+ON\s+COLUMN\s+(?P<table>\w+)\.(?P<column>\w+)\s+IS\s+'(?P<text>(?:[^']|'')*)'", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Column:
    """One column: name, DuckDB type, and its comment (with the unit)."""

    name: str
    type: str
    comment: str


@cache
def table_columns() -> dict[str, tuple[Column, ...]]:
    """The columns of every table and view, in order.

    Whoever loads the assets needs them, so comments, nine of ten statements, are read and not executed.
    """
    comments: dict[tuple[str, str], str] = {}

    def run(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
        for statement in connection.extract_statements(sql):
            if comment := _COLUMN_COMMENT.search(statement.query):
                comments[comment["table"], comment["column"]] = comment["text"].replace("''", "'")
            else:
                connection.execute(statement)

    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        migrate(connection, run)
        found: dict[str, list[Column]] = {}
        for table, name, type_ in connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns()"
            " WHERE NOT internal ORDER BY table_name, column_index"
        ).fetchall():
            found.setdefault(table, []).append(Column(name, type_, comments.get((table, name), "")))
    return {table: tuple(columns) for table, columns in found.items()}


@cache
def empty_database() -> bytes:
    """A DuckDB file with the present schema and no rows: a process that makes many stores migrates once."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "empty.duckdb"
        with duckdb.connect(str(file), config={"threads": 1}) as connection:
            migrate(connection)
            connection.execute("CHECKPOINT")
        return file.read_bytes()
