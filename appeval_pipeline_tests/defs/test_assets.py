import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store import query
from appeval_pipeline.store.dependencies import APP_ASSETS
from appeval_pipeline.store.writing import ASSET_TABLES
from appeval_pipeline.version import EVALUATOR_VERSION
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.defs.conftest import write_data
from appeval_pipeline_tests.defs.running import evaluate

ALL = APP_ASSETS


@dataclass(frozen=True)
class Evaluated:
    """A run, and what it left behind: tests look, and change copies."""

    folder: Path
    workspace: Workspace
    instance: dg.DagsterInstance
    result: dg.ExecuteInProcessResult

    def copied(self, folder: Path) -> Workspace:
        """The files and the store, for a test that goes on from there, in an instance of its own."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return workspace_in(folder)


def workspace_in(folder: Path) -> Workspace:
    return Workspace(data_dir=str(folder / "data"), store=str(folder / "appeval.duckdb"))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluated]:
    """``counter@1``, with a scenario and a task, alone."""
    folder = tmp_path_factory.mktemp("one")
    write_data(folder / "data")
    catalogues.add_task(folder / "data")
    workspace = workspace_in(folder)
    with dg.DagsterInstance.ephemeral() as instance:
        yield Evaluated(folder, workspace, instance, evaluate(workspace, instance, "counter@1"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluated]:
    """A range of versions: one invalid, ``nobody@4`` without a file, and one poor."""
    folder = tmp_path_factory.mktemp("many")
    write_data(folder / "data")
    catalogues.add_version(folder / "data", version=2, template=catalogues.INVALID_DEFINITION)
    catalogues.add_version(folder / "data", version=3)
    catalogues.add_version(folder / "data", "poor", template=catalogues.POOR_DEFINITION)
    workspace = workspace_in(folder)
    keys = ("counter@1", "counter@2", "counter@3", "nobody@4", "poor@1")
    with dg.DagsterInstance.ephemeral() as instance:
        yield Evaluated(folder, workspace, instance, evaluate(workspace, instance, *keys))


def materialization(instance: dg.DagsterInstance, asset: str, key: str) -> dg.AssetMaterialization:
    selection = dg.AssetRecordsFilter(asset_key=dg.AssetKey(asset), asset_partitions=[key])
    (record,) = instance.fetch_materializations(selection, limit=1).records
    assert record.asset_materialization is not None
    return record.asset_materialization


def data_versions(workspace: Workspace) -> dict[tuple[object, object], object]:
    rows = query(
        workspace.database, "SELECT DISTINCT asset_key, partition_key, data_version FROM lineage ORDER BY ALL"
    ).rows
    return {(asset, key): version for asset, key, version in rows}


def test_one_version_is_stored_with_the_run_that_made_it(one: Evaluated) -> None:
    assert one.result.success
    for asset in ALL:
        table = ASSET_TABLES[asset][0]
        rows = query(one.workspace.database, f"SELECT partition_key, run_id FROM {table}").rows
        assert set(rows) == {("counter@1", one.result.run_id)}
        assert len(rows) == (3 if asset == "agent_evaluations" else 1)  # three agents on one task
    upstream = query(
        one.workspace.database, "SELECT DISTINCT input_run_id FROM lineage WHERE input_kind = 'asset'"
    )
    assert upstream.rows == ((one.result.run_id,),)


def test_dagster_s_data_version_is_the_store_s(one: Evaluated) -> None:
    stored = data_versions(one.workspace)
    for asset in ALL:
        tags = materialization(one.instance, asset, "counter@1").tags or {}
        assert tags["dagster/data_version"] == stored[asset, "counter@1"]
        assert tags["dagster/code_version"] == EVALUATOR_VERSION


def test_evaluating_again_gives_the_same_data_versions(
    one: Evaluated, tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    workspace = one.copied(tmp_path)
    again = evaluate(workspace, instance, "counter@1")
    assert query(workspace.database, "SELECT DISTINCT run_id FROM lineage").rows == ((again.run_id,),)
    assert data_versions(workspace) == data_versions(one.workspace)


def test_one_run_takes_many_versions_and_a_bad_one_does_not_stop_the_others(many: Evaluated) -> None:
    assert many.result.success
    rows = query(
        many.workspace.database,
        "SELECT version, a.status, q.status, s.status, s.passed FROM app_versions AS a"
        " JOIN quality_scores AS q USING (app_id, version) JOIN scenario_runs AS s USING (app_id, version)"
        " WHERE app_id = 'counter' ORDER BY version",
    ).rows
    assert rows == (
        (1, "valid", "scored", "passed", True),
        (2, "invalid", "not_evaluated", "not_evaluated", None),
        (3, "valid", "scored", "passed", True),
    )
    failed = {check.check_name for check in many.result.get_asset_check_evaluations() if not check.passed}
    assert failed == {"definition_is_valid", "quality_meets_bar", "all_scenarios_pass"}
    runs = {
        materialization(many.instance, asset, "counter@3").metadata["data_version"].value for asset in ALL
    }
    stored = data_versions(many.workspace)
    assert runs == {version for (_, key), version in stored.items() if key == "counter@3"}


def test_the_ui_gets_a_table_of_dimensions_for_each_version(many: Evaluated) -> None:
    good = materialization(many.instance, "quality_scores", "counter@1").metadata
    poor = materialization(many.instance, "quality_scores", "poor@1").metadata
    table = str(good["dimensions"].value)
    assert table.startswith("| dimension | score |  |\n| --- | --- | --- |\n| completeness | ")
    assert len(table.splitlines()) == 2 + 6
    assert float(good["overall_score"].value) > float(poor["overall_score"].value)  # type: ignore[arg-type]
    assert "| consistency |" in str(poor["suggestions"].value)
    assert good["dagster/partition_row_count"].value == len(
        query(
            many.workspace.database,
            "SELECT 1 FROM quality_scores WHERE partition_key = 'counter@1'"
            " UNION ALL SELECT 1 FROM quality_dimensions WHERE partition_key = 'counter@1'"
            " UNION ALL SELECT 1 FROM quality_suggestions WHERE partition_key = 'counter@1'",
        ).rows
    )


def test_the_ui_gets_a_table_of_scenarios_and_failures(
    workspace: Workspace, instance: dg.DagsterInstance, data_dir: Path
) -> None:
    catalogues.add_scenario(data_dir, count=5)
    evaluate(workspace, instance, "counter@1", assets=("app_definitions", "scenario_runs"))
    metadata = materialization(instance, "scenario_runs", "counter@1").metadata
    assert "| Counting | failed | 0/1 | counting.yaml |" in str(metadata["scenarios"].value)
    assert "| Counting | one more |" in str(metadata["failures"].value)
    assert metadata["scenarios_passed"].value == 0


def test_a_result_without_a_stored_definition_is_not_evaluated(
    workspace: Workspace, instance: dg.DagsterInstance
) -> None:
    evaluate(workspace, instance, "counter@1", assets=("quality_scores",))
    rows = query(workspace.database, "SELECT status, overall_score FROM quality_scores").rows
    assert rows == (("not_evaluated", None),)


def test_scenarios_alone_can_run_again(one: Evaluated, tmp_path: Path, instance: dg.DagsterInstance) -> None:
    workspace = one.copied(tmp_path)
    catalogues.add_scenario(workspace.data_path, file="another.yaml")
    second = evaluate(workspace, instance, "counter@1", assets=("scenario_runs",))
    assert query(workspace.database, "SELECT DISTINCT run_id FROM scenario_runs").rows == ((second.run_id,),)
    assert query(workspace.database, "SELECT run_id FROM quality_scores").rows == ((one.result.run_id,),)


def test_a_version_without_a_file_is_stored_as_missing(many: Evaluated) -> None:
    sql = "SELECT version, status, error FROM app_versions WHERE app_id = 'nobody'"
    assert query(many.workspace.database, sql).rows == ((4, "missing", "There is no definition file"),)
