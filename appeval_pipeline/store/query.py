"""Read-only questions in SQL, as ``appeval sql`` asks them."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.backend import Store

Cell = object
"""A value as DuckDB's Python client gives it: str, int, float, Decimal, date, datetime, list, dict, ..."""

ACCEPTED = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
"""Kinds of statements that answer without changing anything (VALUES, SHOW and DESCRIBE parse as SELECT)."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer to a query: one name and DuckDB type a column, one tuple a row."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def query(database: Store, sql: str) -> QueryResult:
    """Answer one SELECT on the snapshot.

    Files, extensions and settings are out of its reach.

    Raises:
        StoreError: There is no store, or the text is not one valid statement that only reads.
    """
    with database.reader() as connection:
        try:
            statements = connection.extract_statements(sql)
            if len(statements) != 1:
                raise StoreError(f"Expected one SQL statement, got {len(statements)}")
            if statements[0].type not in ACCEPTED:
                kind = statements[0].type.name
                raise StoreError(f"The store is read-only here: expected a SELECT, got {kind}")
            answer = connection.execute(statements[0])
            description = answer.description or []
            return QueryResult(
                columns=tuple(str(column[0]) for column in description),
                types=tuple(str(column[1]) for column in description),
                rows=tuple(answer.fetchall()),
            )
        except duckdb.Error as error:
            lines = [
                line for line in str(error).splitlines() if line.strip()
            ]  # DuckDB parts them by empty ones
            raise StoreError("The query failed: " + "\n".join(lines)) from error
