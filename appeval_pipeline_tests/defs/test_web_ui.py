"""`appeval ui`, driven over HTTP on loopback."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from appeval_pipeline import launch
from appeval_pipeline.errors import StoreError
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Database, query
from appeval_pipeline.store.dependencies import APP_ASSETS, TAU_ASSETS
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.defs import automation_story as story
from appeval_pipeline_tests.store.experimenting import add_experiment
from appeval_pipeline_tests.ui_server import Ui, running_ui, wait_for

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


@pytest.fixture
def ui(tmp_path: Path, data_dir: Path) -> Iterator[Ui]:
    settings = Settings.model_validate(
        {"data_dir": data_dir, "store": tmp_path / "appeval.duckdb", "dagster_home": tmp_path / "dagster"}
    )
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

    # What the asset graph shows.
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

    # As told: materialize one partition.
    selector = {
        "repositoryLocationName": "appeval_pipeline",
        "repositoryName": "__repository__",
        "pipelineName": "evaluate_app_versions",
    }
    tags = [{"key": "dagster/partition", "value": "counter@1"}]
    params = {"selector": selector, "mode": "default", "executionMetadata": {"tags": tags}}
    launched = ui.ask(LAUNCH, params=params)["launchPipelineExecution"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    run_id = launched["run"]["runId"]

    def status() -> str | None:
        value = ui.ask(RUN_STATUS, id=run_id)["runOrError"]["status"]
        return value if value in ("SUCCESS", "FAILURE", "CANCELED") else None

    assert wait_for(status) == "SUCCESS"
    sql = "SELECT run_id FROM quality_scores WHERE version = 1"
    assert query(Database(ui.settings.store), sql).rows == ((run_id,),) != (first_run,)

    # What the partition's page shows.
    asked = ui.ask(METADATA, key={"path": ["quality_scores"]}, partitions=["counter@1"])
    (materialization,) = asked["assetOrError"]["assetMaterializations"]
    assert materialization["runId"] == run_id
    texts = {entry["label"]: entry.get("mdStr") for entry in materialization["metadataEntries"]}
    assert "| completeness |" in texts["dimensions"]

    # What came of the files, and what comes of changing some that have landed.
    story.await_three_versions(ui, dropped_at)
    add_experiment(data_dir, "idle", "agent: noop\ntask_ids: 9-10\n")
    story.change_what_has_landed(data_dir)
    story.await_what_follows(ui)

    # And the experiment that was dropped, which passes one of its two tasks.
    wait_for(lambda: stored_scores(ui.settings) == {("idle", 0.5)})
