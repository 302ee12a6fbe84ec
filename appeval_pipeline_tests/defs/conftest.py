from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline_tests import catalogues


def write_data(data: Path) -> None:
    """``counter`` in one version, with a scenario."""
    catalogues.add_version(data, version=1)
    catalogues.add_scenario(data)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    write_data(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def workspace(tmp_path: Path, data_dir: Path) -> Workspace:
    return Workspace(data_dir=str(data_dir), store=str(tmp_path / "appeval.duckdb"))


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral
