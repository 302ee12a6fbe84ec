from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from appeval_pipeline.api.application import create_app
from appeval_pipeline.api.context import Context
from appeval_pipeline.api.shared_store import SharedStore
from appeval_pipeline.store import Database
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.evaluating import evaluate

from .fake_runs import FakeRuns

BASE_URL = "http://127.0.0.1"

BENCH = """\
name: Counting
app_id: bench_tally
setup: {agents: [alice]}
steps:
  - {name: one, agent: alice, action: increase, params: {amount: 1}, expect: {data: {count: 1}}}
"""


@pytest.fixture(scope="session")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``data`` and its ``appeval.duckdb``, made once for all processes of the tests."""
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent  # each process has a folder of its own in there
    folder = session / "api-results"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            write_data(folder / "data")
            evaluate(folder / "data", Database(folder / "appeval.duckdb"))
            (folder / "done").touch()
    return folder


def write_data(data: Path) -> None:
    """``counter`` in three versions, the third invalid, and a reference app ``bench_tally``."""
    catalogues.add_version(data, version=1)
    catalogues.add_version(data, version=2)
    catalogues.add_version(data, version=3, template=catalogues.INVALID_DEFINITION)
    catalogues.add_scenario(data)
    catalogues.add_version(data, "bench_tally", root="benchmarks")
    catalogues.write(data / "benchmarks" / "bench_tally" / "scenarios" / "counting.yaml", BENCH)


@pytest.fixture
def data_dir(evaluated: Path) -> Path:
    return evaluated / "data"


@pytest.fixture
def store_path(evaluated: Path) -> Path:
    return evaluated / "appeval.duckdb"


@pytest.fixture
def runs() -> FakeRuns:
    return FakeRuns()


@pytest.fixture
def context(data_dir: Path, store_path: Path, runs: FakeRuns) -> Context:
    return Context(data_dir, SharedStore(Database(store_path)), runs, poll_s=0.01)


@pytest.fixture
def client(context: Context) -> Iterator[TestClient]:
    app = create_app(context)
    with TestClient(app, base_url=BASE_URL, raise_server_exceptions=False) as client:
        yield client
