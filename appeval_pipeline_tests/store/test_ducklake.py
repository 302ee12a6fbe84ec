import duckdb
import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.ducklake import extension_file, run_script


def test_a_missing_extension_names_the_package_and_the_extra() -> None:
    with pytest.raises(StoreError, match=r"duckdb-extension-of-nobody for DuckDB 1\.5\.5: .* `distributed`"):
        extension_file("of_nobody")


def test_a_migration_is_run_without_the_comments_on_the_columns_of_views() -> None:
    with duckdb.connect(":memory:") as connection:
        run_script(
            connection,
            "CREATE TABLE t (a INTEGER);\nCOMMENT ON COLUMN t.a IS 'of a table';\n"
            "CREATE VIEW v AS SELECT a FROM t;\n-- said\nCOMMENT ON COLUMN v.a IS 'of a view';\n"
            "COMMENT ON VIEW v IS 'a view'",
        )
        comments = "SELECT table_name, comment FROM duckdb_columns() WHERE NOT internal ORDER BY 1"
        assert connection.execute(comments).fetchall() == [("t", "of a table"), ("v", None)]
        views = connection.execute("SELECT comment FROM duckdb_views() WHERE NOT internal").fetchall()
        assert views == [("a view",)]
