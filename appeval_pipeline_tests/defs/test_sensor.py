"""The sensor of app versions: what it asks for, what it waits for, and what it leaves.

It sees what is stored, and not what stored it: here that is mostly not Dagster, which takes its time.
"""

import json
import shutil
import time
from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.sensors import new_app_versions
from appeval_pipeline.store import Database
from appeval_pipeline.store.dependencies import APP_ASSETS, SCENARIOS
from appeval_pipeline.store.results import read_state
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.defs.conftest import write_data
from appeval_pipeline_tests.defs.running import after, evaluate
from appeval_pipeline_tests.store import evaluating

ALL = list(APP_ASSETS)


class Ticks:
    """Ticks of the sensor, one after the other, as the daemon makes them."""

    def __init__(self, workspace: Workspace, instance: dg.DagsterInstance, evaluated: Path) -> None:
        self.workspace = workspace
        self.instance = instance
        self.evaluated = evaluated
        self.cursor: str | None = None

    def next(self) -> dg.SensorResult:
        # Closed here: where the garbage collector does it, it may disturb the instance of another test.
        with dg.build_sensor_context(instance=self.instance, cursor=self.cursor) as context:
            result = new_app_versions(context, workspace=self.workspace)
        assert isinstance(result, dg.SensorResult)
        for request in result.dynamic_partitions_requests or []:
            self.instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
        self.cursor = result.cursor
        return result

    def see_to_the_first(self) -> None:
        """Between two ticks: there are the results of ``counter@1``, as its files were at first."""
        shutil.copytree(self.evaluated, Path(self.workspace.store).parent, dirs_exist_ok=True)

    def see_to(self, key: str) -> None:
        """Between two ticks: the results of one more version."""
        store = Database(Path(self.workspace.store))
        evaluating.evaluate(self.workspace.data_path, store, only=key)


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store of ``counter@1``."""
    data = tmp_path_factory.mktemp("files") / "data"
    write_data(data)
    folder = tmp_path_factory.mktemp("evaluated")
    evaluating.evaluate(data, Database(folder / "appeval.duckdb"))
    return folder


@pytest.fixture
def ticks(workspace: Workspace, instance: dg.DagsterInstance, evaluated: Path) -> Ticks:
    return Ticks(workspace, instance, evaluated)


def requests_of(result: dg.SensorResult) -> list[tuple[str | None, dict[str, str], list[str]]]:
    return [
        (
            request.partition_key,
            {
                name.removeprefix("dagster/"): value
                for name, value in request.tags.items()
                if name.startswith("dagster/")
            },
            [key.to_user_string() for key in request.asset_selection or []],
        )
        for request in result.run_requests or []
    ]


def test_a_new_file_is_added_as_partition_and_requested_once(ticks: Ticks) -> None:
    first = ticks.next()
    assert requests_of(first) == [("counter@1", {}, ALL)]
    assert ticks.instance.get_dynamic_partitions("app_versions") == ["counter@1"]
    (request,) = first.run_requests or []
    assert request.run_key is not None
    assert request.run_key.startswith("counter@1:")
    assert request.tags["appeval/app"] == "counter"
    second = ticks.next()
    assert requests_of(second) == []
    assert "requested already" in str(second.skip_reason)


def test_many_new_files_are_one_range_run_in_natural_order(ticks: Ticks, data_dir: Path) -> None:
    for version in (10, 2, 9):
        catalogues.add_version(data_dir, version=version)
    result = ticks.next()
    keys = ticks.instance.get_dynamic_partitions("app_versions")
    assert keys == ["counter@1", "counter@2", "counter@9", "counter@10"]
    tags = {"asset_partition_range_start": "counter@1", "asset_partition_range_end": "counter@10"}
    assert requests_of(result) == [(None, tags, ALL)]


def test_an_up_to_date_store_asks_for_nothing(ticks: Ticks) -> None:
    ticks.see_to_the_first()
    result = ticks.next()
    assert requests_of(result) == []
    assert "1 app versions are up to date" in str(result.skip_reason)


def test_a_changed_scenario_requests_what_depends_on_it(ticks: Ticks, data_dir: Path) -> None:
    ticks.next()
    ticks.see_to_the_first()
    catalogues.add_scenario(data_dir, count=2)
    assert requests_of(ticks.next()) == [("counter@1", {}, [SCENARIOS, *after(SCENARIOS)])]


def test_a_changed_task_requests_just_the_agents(ticks: Ticks, data_dir: Path) -> None:
    catalogues.add_task(data_dir)
    ticks.next()
    ticks.see_to_the_first()
    ticks.see_to("counter@1")
    catalogues.add_task(data_dir, extra="# A comment.\n")
    assert requests_of(ticks.next()) == []
    path = catalogues.add_task(data_dir, goal="shared.count == 2")
    catalogues.write(path, path.read_text(), modified=time.time() + 1)  # a machine that is busy may be late
    assert "wait for the next tick" in str(ticks.next().skip_reason)
    catalogues.add_task(data_dir, goal="shared.count == 2")
    assert requests_of(ticks.next()) == [("counter@1", {}, ["agent_evaluations"])]
    path.unlink()
    assert requests_of(ticks.next()) == [("counter@1", {}, ["agent_evaluations"])]


def test_other_agents_request_just_the_agents(ticks: Ticks) -> None:
    ticks.next()
    ticks.see_to_the_first()
    ticks.workspace = Workspace(**{**ticks.workspace.model_dump(), "agents": "oracle"})
    assert requests_of(ticks.next()) == [("counter@1", {}, ["agent_evaluations"])]


def test_a_change_back_and_forth_is_requested_every_time(ticks: Ticks, data_dir: Path) -> None:
    (request,) = ticks.next().run_requests or []
    ticks.see_to_the_first()
    run_keys = {request.run_key}
    for count in (2, 1, 2):
        catalogues.add_scenario(data_dir, count=count)
        (request,) = ticks.next().run_requests or []
        run_keys.add(request.run_key)
        ticks.see_to("counter@1")
    assert len(run_keys) == 4


def test_a_repeated_tick_repeats_the_run_key(ticks: Ticks) -> None:
    (first,) = ticks.next().run_requests or []
    ticks.cursor = None
    (again,) = ticks.next().run_requests or []
    assert first.run_key == again.run_key


def test_a_repaired_file_is_requested_again(ticks: Ticks, data_dir: Path) -> None:
    catalogues.add_version(data_dir, version=2, template=catalogues.INVALID_DEFINITION)
    ticks.next()
    ticks.see_to_the_first()
    ticks.see_to("counter@2")
    assert requests_of(ticks.next()) == []
    catalogues.add_version(data_dir, version=2)
    assert requests_of(ticks.next()) == [("counter@2", {}, ALL)]


def test_an_edited_landed_version_is_reported(ticks: Ticks, data_dir: Path) -> None:
    ticks.next()
    ticks.see_to_the_first()
    catalogues.add_version(data_dir, version=1, name="Edited")
    assert requests_of(ticks.next()) == [("counter@1", {}, ["app_definitions"])]
    result = evaluate(ticks.workspace, ticks.instance, "counter@1", assets=("app_definitions",))
    failed = {check.check_name for check in result.get_asset_check_evaluations() if not check.passed}
    assert failed == {"landed_version_is_unchanged"}
    assert "was changed after it had landed" in str(ticks.next().skip_reason)


def test_a_file_being_written_waits(ticks: Ticks, data_dir: Path) -> None:
    path = catalogues.add_version(data_dir, version=2)
    catalogues.write(path, path.read_text(), modified=time.time() + 1)  # a machine that is busy may be late
    assert requests_of(ticks.next()) == [("counter@1", {}, ALL)]
    assert "wait for the next tick" in str(ticks.next().skip_reason)
    catalogues.add_version(data_dir, version=2)
    assert requests_of(ticks.next()) == [("counter@2", {}, ALL)]


def test_a_broken_cursor_counts_as_none(ticks: Ticks) -> None:
    ticks.cursor = "not JSON"
    assert len(ticks.next().run_requests or []) == 1


def test_bad_file_names_are_reported(ticks: Ticks, data_dir: Path) -> None:
    ticks.next()
    catalogues.write(data_dir / "apps/counter/version2.yaml", "x: 1\n")
    assert "version2.yaml" in str(ticks.next().skip_reason)


def test_a_version_that_never_landed_is_forgotten_when_its_file_is_gone(ticks: Ticks, data_dir: Path) -> None:
    path = catalogues.add_version(data_dir, version=2, template=catalogues.INVALID_DEFINITION)
    ticks.next()
    ticks.see_to_the_first()
    ticks.see_to("counter@2")
    path.unlink()
    (data_dir / "apps/counter/v1.yaml").unlink()
    assert requests_of(ticks.next()) == []
    assert ticks.instance.get_dynamic_partitions("app_versions") == ["counter@1"]
    assert list(read_state(ticks.workspace.database).versions) == ["counter@1"]


def end_run(ticks: Ticks, request: dg.RunRequest, status: dg.DagsterRunStatus) -> None:
    """A run of the request, as the daemon makes it, that ended like this and stored nothing."""
    assert request.run_key is not None
    run = dg.DagsterRun(
        job_name="evaluate_app_versions", status=status, tags={"dagster/run_key": request.run_key}
    )
    ticks.instance.add_run(run)


def test_a_failed_request_is_repeated_twice(ticks: Ticks) -> None:
    run_keys = set()
    for _ in range(3):
        (request,) = ticks.next().run_requests or []
        assert requests_of(ticks.next()) == []
        end_run(ticks, request, dg.DagsterRunStatus.FAILURE)
        run_keys.add(request.run_key)
    assert len(run_keys) == 3
    assert requests_of(ticks.next()) == []


def test_a_change_after_failures_is_requested_afresh(ticks: Ticks, data_dir: Path) -> None:
    for count in (1, 2):
        catalogues.add_scenario(data_dir, count=count)
        for _ in range(3):
            (request,) = ticks.next().run_requests or []
            end_run(ticks, request, dg.DagsterRunStatus.FAILURE)
        assert requests_of(ticks.next()) == []


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.CANCELED, dg.DagsterRunStatus.STARTED])
def test_a_cancelled_or_running_request_is_not_repeated(ticks: Ticks, status: dg.DagsterRunStatus) -> None:
    (request,) = ticks.next().run_requests or []
    end_run(ticks, request, status)
    assert requests_of(ticks.next()) == []


def test_an_app_version_that_is_being_evaluated_waits(ticks: Ticks, data_dir: Path) -> None:
    catalogues.add_version(data_dir, version=2)
    catalogues.add_version(data_dir, version=3)
    catalogues.add_version(data_dir, "other", 1)
    ticks.instance.add_dynamic_partitions("app_versions", ["counter@1", "counter@2", "counter@3"])
    alone = {"dagster/partition": "counter@1"}
    several = {
        "dagster/asset_partition_range_start": "counter@2",
        "dagster/asset_partition_range_end": "counter@3",
    }
    runs = [
        ticks.instance.add_run(
            dg.DagsterRun("evaluate_app_versions", status=dg.DagsterRunStatus.STARTED, tags=tags)
        )
        for tags in (alone, several)
    ]
    assert requests_of(ticks.next()) == [("other@1", {}, ALL)]
    assert "3 are being evaluated" in str(ticks.next().skip_reason)
    for run in runs:
        ticks.instance.report_run_failed(run)
    range_of_three = {"asset_partition_range_start": "counter@1", "asset_partition_range_end": "counter@3"}
    assert requests_of(ticks.next()) == [(None, range_of_three, ALL)]


def test_a_report_waits_for_a_baseline_that_is_new(ticks: Ticks, data_dir: Path) -> None:
    catalogues.add_version(data_dir, version=3)
    ticks.see_to_the_first()
    ticks.see_to("counter@3")
    catalogues.add_version(data_dir, version=2)
    assert requests_of(ticks.next()) == [("counter@2", {}, ALL)]
    ticks.see_to("counter@2")
    assert "1 rest on results that changed" in str(ticks.next().skip_reason)


def test_what_automation_does_not_see_to_is_requested_after_a_while(ticks: Ticks, data_dir: Path) -> None:
    ticks.see_to_the_first()
    catalogues.add_scenario(data_dir, count=2)
    evaluate(ticks.workspace, ticks.instance, "counter@1", assets=("scenario_runs",))
    assert requests_of(ticks.next()) == []
    cursor = json.loads(ticks.cursor or "")
    cursor["left"]["counter@1"]["since"] -= 121
    ticks.cursor = json.dumps(cursor)
    assert requests_of(ticks.next()) == [("counter@1", {}, [*after(SCENARIOS)])]
    assert requests_of(ticks.next()) == []
