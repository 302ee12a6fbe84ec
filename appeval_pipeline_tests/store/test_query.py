from pathlib import Path

import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database, Store, query, write_batch
from appeval_pipeline_tests.store import samples


@pytest.fixture
def database(kept_database: Store) -> Store:
    return kept_database


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_query_gives_names_types_and_rows(database: Database) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition()))
    result = query(database, "SELECT app_id, version FROM app_versions;")
    assert result.columns == ("app_id", "version")
    assert result.types == ("VARCHAR", "INTEGER")
    assert result.rows == (("paypal", 1),)


@pytest.mark.parametrize(
    "sql",
    [
        "FROM app_versions",
        "SHOW TABLES",
        "DESCRIBE metrics",
        "VALUES (1)",
        "EXPLAIN SELECT 1",
        "WITH x AS (SELECT 1) FROM x",
    ],
)
def test_every_kind_of_question_is_accepted(database: Database, sql: str) -> None:
    database.prepare()
    assert query(database, sql).columns


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM app_versions",
        "CREATE TABLE t (i INTEGER)",
        "CREATE TEMP TABLE t (i INTEGER)",
        "SET threads = 1",
        "ATTACH '{file}' AS other",
        "COPY app_versions TO '{file}'",
        "EXPORT DATABASE '{file}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "BEGIN",
        "CHECKPOINT",
        "SELECT 1; SELECT 2",
        "EXPLAIN ANALYZE DELETE FROM app_versions",
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM '{file}'",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM database",
        "",
        "selekt",
    ],
)
def test_a_query_can_neither_change_nor_reach_anything(database: Store, tmp_path: Path, sql: str) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition()))
    before = contents(tmp_path / "results")
    file = tmp_path / "file.csv"
    file.write_text("a\n1\n")
    with pytest.raises(StoreError):
        query(database, sql.replace("{file}", str(file)))
    assert contents(tmp_path / "results") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file.csv", "results"]
    assert file.read_text() == "a\n1\n"


def test_without_a_store_the_error_says_what_to_do(database: Database) -> None:
    with pytest.raises(StoreError, match="run `appeval run` first"):
        query(database, "SELECT 1")


def test_a_file_that_is_no_database_is_reported(duckdb_file: Database) -> None:
    duckdb_file.path.parent.mkdir()
    duckdb_file.path.write_text("nonsense " * 1000)
    with pytest.raises(StoreError, match="cannot be opened"):
        query(duckdb_file, "SELECT 1")
