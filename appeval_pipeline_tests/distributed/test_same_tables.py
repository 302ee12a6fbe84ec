"""What two workers put into a lake is what one process puts into its file."""

from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.launch import RunSummary, run
from appeval_pipeline.settings import ExecutorKind, Settings, load_settings
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.distributed.lakes import empty_lake
from appeval_pipeline_tests.distributed.tables import rows_of_all_tables

pytestmark = pytest.mark.distributed

APPS, VERSIONS = 4, 10
AGENTS = "oracle, random*2"


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    for app in range(APPS):
        app_id = f"counter_{app}"
        catalogues.add_scenario(tmp_path / "data", app_id)
        catalogues.add_task(tmp_path / "data", app_id)
        for version in range(1, VERSIONS + 1):
            template = catalogues.POOR_DEFINITION if version % 5 == 0 else catalogues.DEFINITION
            if version == 7:
                template = catalogues.INVALID_DEFINITION
            catalogues.add_version(tmp_path / "data", app_id, version, template=template)
    return tmp_path / "data"


def evaluate(settings: Settings) -> RunSummary:
    summary = run(settings)
    assert summary.errors == ()
    assert summary.evaluated_count == APPS * VERSIONS
    return summary


def workers_at_work(settings: Settings, summary: RunSummary) -> set[str]:
    with dg.DagsterInstance.from_config(str(settings.dagster_home)) as instance:
        return {
            str(entry.dagster_event.engine_event_data.metadata["Celery worker"].value)
            for run_id in summary.run_ids
            for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.ENGINE_EVENT)
            if entry.dagster_event and "Celery worker" in entry.dagster_event.engine_event_data.metadata
        }


def test_two_workers_fill_the_tables_as_one_process_does(data_dir: Path, tmp_path: Path) -> None:
    alone = Settings(
        data_dir=data_dir,
        store=tmp_path / "alone.duckdb",
        executor=ExecutorKind.IN_PROCESS,
        agents=AGENTS,
        APPEVAL_DAGSTER_HOME=tmp_path / "home",
    )
    evaluate(alone)
    with empty_lake(tmp_path / "lake") as address:
        together = load_settings().model_copy(
            update={"data_dir": data_dir, "store": address, "agents": AGENTS}
        )
        summary = evaluate(together)
        assert len(workers_at_work(together, summary)) == 2
        expected, found = rows_of_all_tables(alone), rows_of_all_tables(together)
        for table, rows in expected.items():
            assert found[table] == rows, table
        assert len(expected["agent_evaluations"]) == 2 * APPS * VERSIONS
        assert sum(map(len, expected.values())) > 1000
        assert run(together).evaluated_count == 0
