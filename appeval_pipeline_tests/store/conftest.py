from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from appeval_pipeline.store import Database, Store
from appeval_pipeline_tests.distributed.lakes import empty_lake
from appeval_pipeline_tests.store.in_memory import MemoryStore


@pytest.fixture(params=["memory", pytest.param("ducklake", marks=pytest.mark.distributed)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store, for what does not depend on how it keeps its tables, or on DuckLake alone."""
    if request.param == "ducklake":
        with _lake(tmp_path) as lake:
            yield lake
        return
    store = MemoryStore()
    yield store
    store.discard()


@pytest.fixture(params=["duckdb", pytest.param("ducklake", marks=pytest.mark.distributed)])
def kept_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind that outlives its process."""
    if request.param == "ducklake":
        with _lake(tmp_path) as lake:
            yield lake
        return
    yield _file(tmp_path)


@pytest.fixture
def duckdb_file(tmp_path: Path) -> Database:
    """An empty store in a file."""
    return _file(tmp_path)


def _file(folder: Path) -> Database:
    return Database(folder / "results" / "appeval.duckdb", lock_timeout_s=20)


@contextmanager
def _lake(folder: Path) -> Iterator[Store]:
    from appeval_pipeline.store.ducklake import DuckLake

    with empty_lake(folder / "results") as address:
        yield DuckLake.at(address, lock_timeout_s=20)
