from collections.abc import Iterator
from pathlib import Path

import pytest

from appeval_pipeline.store import Database, Store
from appeval_pipeline_tests.distributed.lakes import empty_lake


@pytest.fixture(params=["duckdb", pytest.param("ducklake", marks=pytest.mark.distributed)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "duckdb":
        yield Database(tmp_path / "results" / "appeval.duckdb", lock_timeout_s=20)
        return
    from appeval_pipeline.store.ducklake import DuckLake

    with empty_lake(tmp_path / "results") as address:
        yield DuckLake.at(address, lock_timeout_s=20)


@pytest.fixture
def duckdb_file(tmp_path: Path) -> Database:
    """An empty store in a file."""
    return Database(tmp_path / "results" / "appeval.duckdb", lock_timeout_s=20)
