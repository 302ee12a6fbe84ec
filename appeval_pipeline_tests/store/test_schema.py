from collections.abc import Iterator
from dataclasses import fields

import duckdb
import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database, Store, query, table_columns
from appeval_pipeline.store.migration import migrate, migrations
from appeval_pipeline.store.rows import ROW_TYPES, Row
from appeval_pipeline.store.writing import ASSET_TABLES

PROVENANCE = ["run_id", "asset_key", "partition_key", "data_version", "materialized_at"]


@pytest.fixture
def database(kept_database: Store) -> Store:
    return kept_database


@pytest.mark.parametrize("row_type", ROW_TYPES, ids=lambda row_type: row_type.TABLE)
def test_a_row_has_one_field_a_column(row_type: type[Row]) -> None:
    columns = [column.name for column in table_columns()[row_type.TABLE]]
    assert columns == [*PROVENANCE, *(field.name for field in fields(row_type))]


def test_every_table_belongs_to_one_asset() -> None:
    owned = [table for tables in ASSET_TABLES.values() for table in tables]
    assert sorted(owned) == sorted(row_type.TABLE for row_type in ROW_TYPES)


@pytest.fixture(scope="module")
def migrated() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        migrate(connection)
        yield connection


def test_columns_are_as_the_migrations_make_them(migrated: duckdb.DuckDBPyConnection) -> None:
    made = migrated.execute(
        "SELECT table_name, column_name, data_type, comment FROM duckdb_columns()"
        " WHERE NOT internal ORDER BY table_name, column_index"
    ).fetchall()
    assert made == [
        (table, column.name, column.type, column.comment)
        for table, columns in table_columns().items()
        for column in columns
    ]


def test_every_table_and_column_has_a_comment(migrated: duckdb.DuckDBPyConnection) -> None:
    assert [
        (table, column.name)
        for table, columns in table_columns().items()
        for column in columns
        if not column.comment
    ] == []
    uncommented = migrated.execute(
        "SELECT table_name FROM duckdb_tables() WHERE comment IS NULL"
        " UNION ALL SELECT view_name FROM duckdb_views() WHERE comment IS NULL AND NOT internal"
    ).fetchall()
    assert uncommented == []


def test_the_contract_s_tables_and_views_are_there() -> None:
    assert set(table_columns()) == {
        "app_versions",
        "quality_scores",
        "quality_dimensions",
        "quality_suggestions",
        "scenario_runs",
        "scenario_steps",
        "scenario_failures",
        "coverage_reports",
        "coverage_gaps",
        "edge_case_reports",
        "edge_case_results",
        "benchmark_results",
        "benchmark_actions",
        "regression_reports",
        "regression_changes",
        "regression_timings",
        "agent_evaluations",
        "agent_trials",
        "agent_steps",
        "tau_tasks",
        "tau_experiments",
        "tau_trials",
        "tau_steps",
        "tau_faults",
        "tau_metrics",
        "tau_leaderboard",
        "lineage",
        "run_failures",
        "latest_quality",
        "metrics",
        "asset_lineage",
        "metric_lineage",
        "schema_migrations",
    }
    assert [column.name for column in table_columns()["metrics"]] == [
        "partition_key",
        "app_id",
        "version",
        "metric",
        "value",
        "unit",
        "asset_key",
        "run_id",
        "data_version",
    ]
    assert [column.name for column in table_columns()["metric_lineage"]][:8] == [
        "partition_key",
        "app_id",
        "version",
        "metric",
        "input_kind",
        "input_key",
        "input_version",
        "depth",
    ]


def test_migrations_are_numbered_without_gaps() -> None:
    assert [migration.number for migration in migrations()] == list(range(1, len(migrations()) + 1))


def test_migrations_are_recorded_once(database: Database) -> None:
    database.prepare()
    database.write(lambda connection: None)
    rows = query(database, "SELECT number, name FROM schema_migrations ORDER BY number").rows
    assert rows == tuple((migration.number, migration.name) for migration in migrations())


def test_a_store_of_an_older_version_is_renewed(duckdb_file: Database) -> None:
    duckdb_file.path.parent.mkdir()
    with duckdb.connect(str(duckdb_file.path)) as connection:
        connection.execute(
            "CREATE TABLE schema_migrations (number INTEGER, name VARCHAR, applied_at TIMESTAMP)"
        )
    with pytest.raises(StoreError, match="older version"), duckdb_file.reader():
        pass
    duckdb_file.path.unlink()
    duckdb_file.prepare()
    with duckdb_file.reader():
        pass


def test_a_store_of_a_newer_version_is_refused(database: Database) -> None:
    database.prepare()
    database.write(
        lambda connection: connection.execute("UPDATE schema_migrations SET number = number + 900")
    )
    with pytest.raises(StoreError, match="newer version"):
        database.write(lambda connection: None)
    with pytest.raises(StoreError, match="newer version"), database.reader():
        pass
