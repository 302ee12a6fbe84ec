"""Runs of the real job in processes of their own."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.api.models.runs import RunAnswer, RunState
from appeval_pipeline.api.runs.dagster_runs import DagsterRuns
from appeval_pipeline.api.runs.protocol import RunOrder, RunUnderWay
from appeval_pipeline.api.shared_store import SharedStore
from appeval_pipeline.defs.execution import bury_dead_runs
from appeval_pipeline.errors import CatalogueError, SettingsError
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import open_store, query
from appeval_pipeline_tests import catalogues

ORDER = RunOrder("counter", 1, ("scenario_runs",), ("app_definitions",))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    data = tmp_path / "data"
    catalogues.add_version(data, version=1)
    catalogues.add_version(data, version=2)
    catalogues.add_scenario(data)
    return Settings.model_validate(
        {"data_dir": data, "store": tmp_path / "appeval.duckdb", "dagster_home": tmp_path / "dagster"}
    )


@pytest.fixture
def store(settings: Settings) -> Iterator[SharedStore]:
    store = SharedStore(open_store(settings.store))
    store.prepare()
    yield store
    store.close()


@pytest.fixture
def runs(settings: Settings, store: SharedStore) -> Iterator[DagsterRuns]:
    started = DagsterRuns(settings, store)
    yield started
    started.close()


def end_of(runs: DagsterRuns, run_id: str) -> RunAnswer:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        found = runs.read(run_id)
        assert found is not None
        if found.state.has_ended:
            return found
        time.sleep(0.1)
    raise AssertionError("The run did not end")


def test_a_run_stores_what_was_asked_for_with_lineage(
    runs: DagsterRuns, store: SharedStore, settings: Settings
) -> None:
    started = runs.start(ORDER)
    assert started.partition_keys == ["counter@1"]
    assert started.assets == ["app_definitions", "scenario_runs"]
    assert not started.state.has_ended
    with pytest.raises(RunUnderWay) as other:
        runs.start(ORDER)
    assert other.value.run_id == started.run_id

    ended = end_of(runs, started.run_id)
    assert (ended.state, ended.failures) == (RunState.SUCCEEDED, [])
    made = [(one.asset_key, one.partition_key) for one in ended.materialized]
    assert made == [("app_definitions", "counter@1"), ("scenario_runs", "counter@1")]
    assert ended.started_at is not None
    assert ended.ended_at is not None
    assert ended.created_at <= ended.started_at <= ended.ended_at
    sql = "SELECT asset_key, run_id, data_version FROM lineage GROUP BY ALL ORDER BY ALL"
    stored = query(store, sql).rows
    assert stored == tuple((one.asset_key, started.run_id, one.data_version) for one in ended.materialized)
    deadline = time.monotonic() + 180
    while list((settings.dagster_home / "launchers").iterdir()):  # its process goes right after its run
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with dg.DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        assert instance.get_dynamic_partitions("app_versions") == ["counter@1", "counter@2"]


@pytest.mark.slow
def test_a_run_whose_process_is_killed_has_failed_and_holds_up_nobody(
    runs: DagsterRuns, settings: Settings
) -> None:
    started = runs.start(ORDER)
    os.killpg(process_of(runs, started.run_id), signal.SIGKILL)
    assert end_of(runs, started.run_id).state is RunState.FAILED
    assert end_of(runs, runs.start(ORDER).run_id).state is RunState.SUCCEEDED


@pytest.mark.slow
def test_runs_end_with_their_server(runs: DagsterRuns, settings: Settings) -> None:
    started = runs.start(ORDER)
    process = process_of(runs, started.run_id)
    bury_dead_runs(settings)  # others can tell that it lives
    still = runs.read(started.run_id)
    assert still is not None
    assert not still.state.has_ended
    runs.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    ended = runs.read(started.run_id)
    assert ended is not None
    assert ended.state is RunState.CANCELED
    assert list((settings.dagster_home / "launchers").iterdir()) == []


def process_of(runs: DagsterRuns, run_id: str) -> int:
    found = runs.process_of(run_id)
    assert found is not None
    return found


def test_what_cannot_be_run_is_refused(runs: DagsterRuns, settings: Settings) -> None:
    with pytest.raises(CatalogueError, match="known versions: 1, 2"):
        runs.start(RunOrder("counter", 7, ("scenario_runs",), ()))
    assert runs.read("none") is None


def test_a_broken_dagster_yaml_is_an_error(runs: DagsterRuns, settings: Settings) -> None:
    catalogues.write(settings.dagster_home / "dagster.yaml", "nonsense: 1\n")
    with pytest.raises(SettingsError, match="Dagster cannot start with it"):
        runs.read("any")
