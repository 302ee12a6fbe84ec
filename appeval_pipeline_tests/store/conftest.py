from pathlib import Path

import pytest

from appeval_pipeline.store import Database


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "results" / "appeval.duckdb", lock_timeout_s=20)
