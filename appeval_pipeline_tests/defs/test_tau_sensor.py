"""The sensor of experiments: what it asks for, what it waits for, and what it leaves."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.following import read_follow_ups
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.tau_sensor import new_tau_experiments
from appeval_pipeline.store.dependencies import TAU_ASSETS
from appeval_pipeline_tests.store.experimenting import add_experiment, evaluate

TEXT = "agent: noop\ntask_ids: 9-10\n"
LONG_AGO = time.time() - 3600


def add_settled(data: Path, name: str, text: str = TEXT) -> Path:
    path = add_experiment(data, name, text)
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


class Ticks:
    """Ticks of the sensor, one after the other, as the daemon makes them."""

    def __init__(self, workspace: Workspace, instance: dg.DagsterInstance) -> None:
        self.workspace = workspace
        self.instance = instance
        self.cursor: str | None = None

    def next(self) -> dg.SensorResult:
        with dg.build_sensor_context(instance=self.instance, cursor=self.cursor) as context:
            result = new_tau_experiments(context, workspace=self.workspace)
        assert isinstance(result, dg.SensorResult)
        for request in result.dynamic_partitions_requests or []:
            self.instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
        self.cursor = result.cursor
        return result

    def asked(self) -> list[tuple[str | None, tuple[str, ...]]]:
        return [
            (request.partition_key, tuple(key.to_user_string() for key in request.asset_selection or []))
            for request in self.next().run_requests or []
        ]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def ticks(tmp_path: Path, data: Path, instance: dg.DagsterInstance) -> Ticks:
    return Ticks(Workspace(data_dir=str(data), store=str(tmp_path / "appeval.duckdb")), instance)


def test_each_new_experiment_is_added_as_partition_and_requested_once_in_a_run_of_its_own(
    ticks: Ticks, data: Path
) -> None:
    add_settled(data, "one")
    add_settled(data, "two")
    assert ticks.asked() == [("one", TAU_ASSETS), ("two", TAU_ASSETS)]
    assert ticks.instance.get_dynamic_partitions("tau_experiments") == ["one", "two"]
    again = ticks.next()
    assert not again.run_requests
    assert "2 have been requested already" in str(again.skip_reason)


def test_a_file_that_changed_just_now_waits(ticks: Ticks, data: Path) -> None:
    ticks.next()  # whose imports take a while
    path = add_experiment(data, "one", 'agent: "no')  # half of it
    os.utime(path, (time.time() + 1, time.time() + 1))  # a machine that is busy may be late
    result = ticks.next()
    assert not result.run_requests
    assert "1 changed just now" in str(result.skip_reason)
    path.write_text(TEXT)
    os.utime(path, (LONG_AGO, LONG_AGO))
    assert ticks.asked() == [("one", TAU_ASSETS)]


def test_an_edited_experiment_is_requested_again_and_a_comment_is_not(ticks: Ticks, data: Path) -> None:
    add_settled(data, "one")
    evaluate(data, ticks.workspace.database)  # type: ignore[arg-type]
    assert ticks.asked() == []
    add_settled(data, "one", f"# nothing\n{TEXT}")
    assert ticks.asked() == []
    add_settled(data, "one", f"{TEXT}seed: 1\n")
    assert ticks.asked() == [("one", TAU_ASSETS[1:])]
    assert ticks.asked() == []


def test_what_asks_a_model_or_loads_a_class_waits_for_someone_to_start_it(ticks: Ticks, data: Path) -> None:
    add_settled(data, "paid", "agent: tool-calling\nmodel: openai/gpt-4o\ntask_ids: 0-1\n")
    add_settled(data, "own", "agent: somewhere:Agent\ntask_ids: 0-1\n")
    result = ticks.next()
    assert not result.run_requests
    assert "own, paid: asks a model or loads a class" in str(result.skip_reason)
    assert ticks.instance.get_dynamic_partitions("tau_experiments") == ["own", "paid"]
    add_settled(data, "free")
    assert ticks.asked() == [("free", TAU_ASSETS)]
    ticks.workspace = Workspace(data_dir=str(data), store=ticks.workspace.store, costly_experiments=True)
    assert ticks.asked() == [("own", TAU_ASSETS), ("paid", TAU_ASSETS)]


def test_what_rests_on_a_changed_result_is_left_to_automation_and_seen_by_it(
    ticks: Ticks, data: Path
) -> None:
    add_settled(data, "one")
    database = ticks.workspace.database
    evaluate(data, database)  # type: ignore[arg-type]
    database.write(
        lambda connection: connection.execute(
            "UPDATE lineage SET data_version = 'other' WHERE asset_key = 'tau_trials'"
        )
    )
    result = ticks.next()
    assert not result.run_requests
    assert "left to results_changed" in str(result.skip_reason)
    follow_ups = read_follow_ups(ticks.workspace, ticks.instance)
    assert {asset: list(found) for asset, found in follow_ups.by_asset.items()} == {
        "tau_metrics": ["one"],
        "tau_leaderboard": ["one"],
    }


def test_without_the_tasks_it_says_so_once_and_asks_for_nothing(
    ticks: Ticks, data: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    add_settled(data, "one")
    with monkeypatch.context() as patch:
        for package in ("tau_bench", "tau_trait"):
            patch.setitem(sys.modules, package, None)
        for warnings in (1, 0):
            result = ticks.next()
            assert not result.run_requests
            assert "data-packages.txt" in str(result.skip_reason)
            assert capfd.readouterr().err.count("There are no tau-bench tasks") == warnings
    assert ticks.asked() == [("one", TAU_ASSETS)]  # once they are installed
