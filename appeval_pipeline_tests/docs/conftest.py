import fcntl
import os
from pathlib import Path

import pytest

from appeval_pipeline.store import Database
from appeval_pipeline_tests.data.shipped import DATA
from appeval_pipeline_tests.store.evaluating import evaluate
from appeval_pipeline_tests.store.experimenting import evaluate as evaluate_experiments


@pytest.fixture(scope="session")
def shipped_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the shipped data, evaluated once for all processes of the tests."""
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent  # each process has a folder of its own in there
    folder = session / "shipped-results"
    folder.mkdir(exist_ok=True)
    path = folder / "appeval.duckdb"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            evaluate(DATA, Database(path))
            evaluate_experiments(DATA, Database(path), trials_dir=folder / "trials")
            (folder / "done").touch()
    return path
