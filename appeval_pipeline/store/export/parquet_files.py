"""Each table as a Parquet file with its own types."""

from __future__ import annotations

from pathlib import Path

import duckdb

from appeval_pipeline.store.export.tables import exported_tables


def write_parquet(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """Write ``<table>.parquet`` for every table; JSON columns are of Parquet's JSON type, times are UTC."""
    for table in exported_tables():
        path = str(directory / f"{table.name}.parquet").replace("'", "''")
        connection.execute(f"COPY ({table.select}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
