"""Each step in a process of its own gives the tables that one process for all gives."""

from pathlib import Path

import pytest

from appeval_pipeline.launch import run
from appeval_pipeline.settings import ExecutorKind, Settings
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.distributed.tables import rows_of_all_tables

pytestmark = pytest.mark.slow


def test_the_multiprocess_executor_fills_the_tables_as_one_process_does(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    catalogues.add_scenario(data_dir)
    catalogues.add_task(data_dir)
    catalogues.add_version(data_dir, version=1)
    catalogues.add_version(data_dir, version=2, template=catalogues.POOR_DEFINITION)

    def evaluate(executor: ExecutorKind) -> dict[str, list[str]]:
        settings = Settings(
            data_dir=data_dir,
            store=tmp_path / f"{executor}.duckdb",
            executor=executor,
            agents="oracle, random*2",
            APPEVAL_DAGSTER_HOME=tmp_path / f"home_of_{executor}",
        )
        summary = run(settings)
        assert summary.errors == ()
        assert summary.evaluated_count == 2
        assert run(settings).evaluated_count == 0
        return rows_of_all_tables(settings)

    expected, found = evaluate(ExecutorKind.IN_PROCESS), evaluate(ExecutorKind.MULTIPROCESS)
    for table, rows in expected.items():
        assert found[table] == rows, table
    assert len(expected["agent_evaluations"]) == 4
