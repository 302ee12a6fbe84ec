from __future__ import annotations

from pathlib import Path

import pytest

from appeval_pipeline.store import Database, Store
from appeval_pipeline_tests.store.export.filling import fill


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A store with results in every table; tests only read it."""
    database = Database(tmp_path_factory.mktemp("filled") / "appeval.duckdb")
    fill(database)
    return database


@pytest.fixture
def database(kept_database: Store) -> Store:
    return kept_database


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"
