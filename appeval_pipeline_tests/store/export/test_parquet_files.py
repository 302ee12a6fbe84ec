from __future__ import annotations

import datetime
from pathlib import Path

import duckdb
import pytest

from appeval_pipeline.store import Database, table_columns
from appeval_pipeline.store.export import Format, export


@pytest.fixture(scope="module")
def exported(filled: Database, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("parquet")
    export(filled, out, [Format.parquet])
    return out


def test_each_table_is_a_file_with_its_own_types_and_rows(filled: Database, exported: Path) -> None:
    left_out = {"asset_lineage", "latest_quality", "metric_lineage", "run_failures", "schema_migrations"}
    assert {path.stem for path in exported.iterdir()} == set(table_columns()) - left_out
    with filled.reader() as stored:
        for path in exported.iterdir():
            found = duckdb.sql(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
            assert [(name, kind) for name, kind, *_ in found] == [
                (column.name, column.type) for column in table_columns()[path.stem]
            ]
            rows = duckdb.sql(f"SELECT * FROM '{path}' ORDER BY ALL").fetchall()
            assert rows == stored.execute(f"SELECT * FROM {path.stem} ORDER BY ALL").fetchall()


def test_values_are_native(exported: Path) -> None:
    file = exported / "scenario_failures.parquet"
    answer = duckdb.sql(f"SELECT expected->>'$.\"data.total\"', materialized_at FROM '{file}'")
    assert answer.fetchall() == [("5", datetime.datetime(2026, 1, 2, 12, 0))]


def test_a_directory_with_a_quote_in_its_name_is_fine(filled: Database, out: Path) -> None:
    export(filled, out / "it's", [Format.parquet])
    assert (out / "it's" / "metrics.parquet").is_file()
