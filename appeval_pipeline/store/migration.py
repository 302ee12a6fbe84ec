"""Numbered, recorded, transactional changes of the store's schema.

A migration is a file ``migrations/NNNN_name.sql``. A released one is never edited: a change is a new file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources

import duckdb

from appeval_pipeline.errors import StoreError

FILE_NAME = re.compile(r"^(?P<number>\d{4})_(?P<name>\w+)\.sql$")

RECORD_TABLE = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    number INTEGER NOT NULL, name VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE schema_migrations IS 'Changes of the schema that this store has had; one row a migration';
COMMENT ON COLUMN schema_migrations.number IS 'Number of the migration, from 1';
COMMENT ON COLUMN schema_migrations.name IS 'What it does';
COMMENT ON COLUMN schema_migrations.applied_at IS 'When it was applied, UTC';
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One change of the schema."""

    number: int
    name: str
    sql: str


@cache
def migrations() -> tuple[Migration, ...]:
    """All migrations this package knows, in order."""
    found = []
    for file in (resources.files(__package__) / "migrations").iterdir():
        match = FILE_NAME.match(file.name)
        if match:
            found.append(Migration(int(match["number"]), match["name"], file.read_text(encoding="utf-8")))
    return tuple(sorted(found, key=lambda migration: migration.number))


def applied_number(connection: duckdb.DuckDBPyConnection) -> int:
    """The number of the last migration that the connected database has had; 0 for an empty one.

    Raises:
        StoreError: The database was written by a newer version of this package.
    """
    try:
        row = connection.execute("SELECT coalesce(max(number), 0) FROM schema_migrations").fetchone()
    except duckdb.CatalogException:
        return 0
    number = int(row[0]) if row else 0
    known = migrations()[-1].number
    if number > known:
        raise StoreError(
            f"The store has schema {number}, this version of appeval knows up to {known}: "
            "it was written by a newer version; use that one, or name another file in APPEVAL_STORE"
        )
    return number


def run_script(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Execute statements as they stand."""
    connection.execute(sql)


def migrate(
    connection: duckdb.DuckDBPyConnection,
    run: Callable[[duckdb.DuckDBPyConnection, str], None] = run_script,
) -> None:
    """Bring the connected database to the present schema, one transaction a migration.

    Args:
        connection: The database.
        run: How it executes several statements; a kind of database may have to leave some out.
    """
    applied = applied_number(connection)
    for migration in migrations():
        if migration.number <= applied:
            continue
        connection.execute("BEGIN")
        try:
            run(connection, RECORD_TABLE)
            run(connection, migration.sql)
            connection.execute(
                "INSERT INTO schema_migrations (number, name, applied_at)"
                " SELECT ?, ?, CAST(now() AT TIME ZONE 'UTC' AS TIMESTAMP)",
                [migration.number, migration.name],
            )
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
