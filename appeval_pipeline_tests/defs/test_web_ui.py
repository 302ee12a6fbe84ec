"""What the UI asks and is told: in this process, and by `appeval ui` over HTTP on loopback."""

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import dagster as dg
import pytest
from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import InProcessWorkspaceLoadTarget
from dagster_graphql.schema import create_schema

from appeval_pipeline import launch
from appeval_pipeline.cli import main
from appeval_pipeline.errors import StoreError
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Database, query
from appeval_pipeline.store.dependencies import APP_ASSETS, TAU_ASSETS
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.defs import automation_story as story
from appeval_pipeline_tests.store.experimenting import add_experiment
from appeval_pipeline_tests.ui_server import Ui, free_port, running_ui, wait_for

ASSETS_QUERY = """
{ assetNodes { assetKey { path } groupName kinds owners { ... on TeamAssetOwner { team } } description
  partitionDefinition { name } hasAssetChecks } }
"""

LAUNCH = """
mutation ($params: ExecutionParams!) {
  launchPipelineExecution(executionParams: $params) {
    __typename
    ... on LaunchRunSuccess { run { runId } }
    ... on PythonError { message }
  }
}
"""

RUN_STATUS = "query ($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"

METADATA = """
query ($key: AssetKeyInput!, $partitions: [String!]) {
  assetOrError(assetKey: $key) { ... on Asset {
    assetMaterializations(partitions: $partitions, limit: 1) {
      runId metadataEntries { label ... on MarkdownMetadataEntry { mdStr } }
    }
  } }
}
"""


class Asked(Protocol):
    """What answers GraphQL."""

    settings: Settings

    def ask(self, graphql: str, **variables: object) -> dict[str, Any]: ...


class UiInProcess:
    """The GraphQL of the UI on this project's code location; after an answer, queued runs are executed."""

    def __init__(self, context: WorkspaceProcessContext, settings: Settings) -> None:
        self.settings = settings
        self._context = context
        self._schema = create_schema()

    def ask(self, graphql: str, **variables: object) -> dict[str, Any]:
        request = self._context.create_request_context()
        answer = asyncio.run(
            self._schema.execute_async(graphql, context_value=request, variable_values=variables)
        )
        assert answer.errors is None, answer.errors
        for run in request.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.QUEUED])):
            request.instance.launch_run(run.run_id, request)
        data: dict[str, Any] = answer.data
        return data


@pytest.fixture
def settings(tmp_path: Path, data_dir: Path) -> Settings:
    return Settings.model_validate(
        {"data_dir": data_dir, "store": tmp_path / "appeval.duckdb", "dagster_home": tmp_path / "dagster"}
    )


@pytest.fixture
def ui_in_process(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[UiInProcess]:
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    module = "appeval_pipeline.definitions"  # it has the settings of when it was loaded
    monkeypatch.delitem(sys.modules, module, raising=False)
    origin = InProcessCodeLocationOrigin(
        LoadableTargetOrigin(executable_path=sys.executable, module_name=module),
        location_name="appeval_pipeline",
    )
    with (
        dg.instance_for_test(synchronous_run_launcher=True) as instance,
        WorkspaceProcessContext(instance, InProcessWorkspaceLoadTarget([origin])) as context,
    ):
        instance.add_dynamic_partitions("app_versions", ["counter@1"])
        yield UiInProcess(context, settings)
    sys.modules.pop(module, None)


@pytest.fixture
def ui(settings: Settings, tmp_path: Path) -> Iterator[Ui]:
    with running_ui(settings, tmp_path) as server:
        yield server


def stored_versions(settings: Settings) -> set[tuple[object, ...]]:
    try:
        return set(query(Database(settings.store), "SELECT app_id, version FROM scenario_runs").rows)
    except StoreError:
        return set()


def stored_scores(settings: Settings) -> set[tuple[object, ...]]:
    sql = "SELECT partition_key, value FROM metrics WHERE metric = 'tau.pass_hat_1'"
    return set(query(Database(settings.store), sql).rows)


def look_at_the_graph(ui: Asked) -> None:
    """What the asset graph shows."""
    nodes = {node["assetKey"]["path"][0]: node for node in ui.ask(ASSETS_QUERY)["assetNodes"]}
    assert set(nodes) == {*APP_ASSETS, *TAU_ASSETS}
    groups = ("definitions", "evaluation", "benchmarks", "regressions", "agents")
    for name, node in nodes.items():
        assert node["groupName"] in (("tau_bench",) if name in TAU_ASSETS else groups)
        assert {"python", "duckdb"} <= set(node["kinds"])
        assert node["owners"] == [{"team": "app-evaluation"}]
        assert node["description"]
        partitions = "tau_experiments" if name in TAU_ASSETS else "app_versions"
        assert node["partitionDefinition"]["name"] == partitions
        assert node["hasAssetChecks"]


def materialize_the_first(ui: Asked) -> str:
    """As told: one partition is materialized; returns the run."""
    selector = {
        "repositoryLocationName": "appeval_pipeline",
        "repositoryName": "__repository__",
        "pipelineName": "evaluate_app_versions",
    }
    tags = [{"key": "dagster/partition", "value": "counter@1"}]
    params = {"selector": selector, "mode": "default", "executionMetadata": {"tags": tags}}
    launched = ui.ask(LAUNCH, params=params)["launchPipelineExecution"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    run_id: str = launched["run"]["runId"]

    def status() -> str | None:
        value = ui.ask(RUN_STATUS, id=run_id)["runOrError"]["status"]
        return value if value in ("SUCCESS", "FAILURE", "CANCELED") else None

    assert wait_for(status) == "SUCCESS"
    sql = "SELECT run_id FROM quality_scores WHERE version = 1"
    assert query(Database(ui.settings.store), sql).rows == ((run_id,),)
    return run_id


def look_at_the_first(ui: Asked, run_id: str) -> None:
    """What the partition's page shows."""
    asked = ui.ask(METADATA, key={"path": ["quality_scores"]}, partitions=["counter@1"])
    (materialization,) = asked["assetOrError"]["assetMaterializations"]
    assert materialization["runId"] == run_id
    texts = {entry["label"]: entry.get("mdStr") for entry in materialization["metadataEntries"]}
    assert "| completeness |" in texts["dimensions"]


# Dagster asks this of itself when it loads a code location in the process that shows it.
@pytest.mark.filterwarnings("ignore:Property `ScheduleDefinition.environment_vars` is deprecated")
def test_the_ui_shows_the_graph_and_materializes_what_it_is_told(ui_in_process: UiInProcess) -> None:
    look_at_the_graph(ui_in_process)
    look_at_the_first(ui_in_process, materialize_the_first(ui_in_process))


def test_the_command_becomes_dagster_s_on_this_project_s_workspace(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["appeval", "ui", "--port", str(free_port())])
    became: list[tuple[list[str], dict[str, str]]] = []

    def become(_: str, command: list[str], environment: dict[str, str]) -> None:
        became.append((command, environment))

    monkeypatch.setattr(os, "execve", become)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    ((command, environment),) = became
    workspace = settings.dagster_home / "workspace.yaml"
    assert command[1:6] == ["-m", "dagster", "dev", "--workspace", str(workspace)]
    assert "module_name: appeval_pipeline.definitions" in workspace.read_text()
    assert environment.items() >= settings.environment().items()
    assert query(Database(settings.store), "SELECT count(*) FROM app_versions").rows == ((0,),)


@pytest.mark.slow
def test_the_ui_evaluates_new_files_by_itself_and_what_it_is_told(ui: Ui, data_dir: Path) -> None:
    # By itself: the sensor has found the version that was there.
    wait_for(lambda: stored_versions(ui.settings) == {("counter", 1)})
    (first_run,) = query(Database(ui.settings.store), "SELECT run_id FROM quality_scores").rows

    # `appeval run` beside the running UI (whose sensor may see the new version at the same moment).
    catalogues.add_version(data_dir, version=2)
    summary = launch.run(ui.settings)
    assert summary.errors == ()
    assert stored_versions(ui.settings) == {("counter", 1), ("counter", 2)}

    # New files, which the daemon sees to while we look on.
    dropped_at = story.drop_three_versions(data_dir)
    look_at_the_graph(ui)
    run_id = materialize_the_first(ui)
    assert (run_id,) != first_run
    look_at_the_first(ui, run_id)

    # What came of the files, and what comes of changing some that have landed.
    story.await_three_versions(ui, dropped_at)
    add_experiment(data_dir, "idle", "agent: noop\ntask_ids: 9-10\n")
    story.change_what_has_landed(data_dir)
    story.await_what_follows(ui)

    # And the experiment that was dropped, which passes one of its two tasks.
    wait_for(lambda: stored_scores(ui.settings) == {("idle", 0.5)})
