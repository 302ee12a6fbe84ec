"""Experiments through Dagster: one materialization, what it stored, what the UI shows, and the checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.build import build_definitions
from appeval_pipeline.defs.jobs import EXPERIMENTS_JOB
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.tau_checks import EXPERIMENT_BARS, experiment_check_results
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Database, query
from appeval_pipeline.store.dependencies import TAU_ASSETS
from appeval_pipeline_tests.store.experimenting import add_experiment


@dataclass(frozen=True)
class Evaluated:
    workspace: Workspace
    result: dg.ExecuteInProcessResult

    @property
    def database(self) -> Database:
        return Database(Path(self.workspace.store))

    def metadata(self, asset: str, name: str) -> dict[str, object]:
        (found,) = (
            event.materialization
            for event in self.result.get_asset_materialization_events()
            if event.asset_key == dg.AssetKey(asset) and event.partition == name
        )
        return {key: value.value for key, value in found.metadata.items()}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evaluated]:
    """Two experiments on four tasks, in one run."""
    folder = tmp_path_factory.mktemp("tau")
    data = folder / "data"
    add_experiment(data, "idle", "agent: noop\ntask_ids: 9-12\n")
    add_experiment(data, "right", "agent: oracle\nnum_trials: 4\ntask_ids: 9-12\n")
    settings = Settings.model_validate(
        {"data_dir": data, "store": folder / "appeval.duckdb", "trials_dir": folder / "trials"}
    )
    with dg.DagsterInstance.ephemeral() as instance:
        job = build_definitions(settings).resolve_job_def(EXPERIMENTS_JOB)
        instance.add_dynamic_partitions("tau_experiments", ["idle", "right"])
        result = job.execute_in_process(
            instance=instance,
            tags={
                "dagster/asset_partition_range_start": "idle",
                "dagster/asset_partition_range_end": "right",
            },
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
        yield Evaluated(Workspace.of(settings), result)


def test_one_run_takes_many_experiments_and_stores_each_apart(evaluated: Evaluated) -> None:
    assert evaluated.result.success
    assert query(
        evaluated.database,
        "SELECT partition_key, value FROM metrics WHERE metric = 'tau.pass_hat_1' ORDER BY ALL",
    ).rows == (("idle", 0.5), ("right", 1.0))
    stored = query(evaluated.database, "SELECT DISTINCT asset_key, partition_key, run_id FROM lineage").rows
    run_id = evaluated.result.run_id
    assert sorted(stored) == sorted(
        (asset, name, run_id) for asset in TAU_ASSETS for name in ("idle", "right")
    )


def test_every_check_of_the_run_passes(evaluated: Evaluated) -> None:
    found = evaluated.result.get_asset_check_evaluations()
    assert len(found) == len(EXPERIMENT_BARS)
    assert [check.check_name for check in found if not check.passed] == []
    assert {check.metadata["experiments"].value for check in found} == {2}


def test_the_ui_shows_tasks_with_their_known_issues(evaluated: Evaluated) -> None:
    found = evaluated.metadata("tau_tasks", "idle")
    assert (found["tasks"], found["selected"]) == (115, 4)
    assert "| null_passable | 7 | 10, 12, 25, 50, 57, 65, 106 |" in str(found["known_issues"])
    assert found["files"] == "* `tau/experiments/idle.yaml`"


def test_the_ui_shows_how_trials_went(evaluated: Evaluated) -> None:
    found = evaluated.metadata("tau_trials", "idle")
    assert (found["status"], found["agent"], found["user"]) == ("evaluated", "noop", "scripted")
    assert (found["trials"], found["missing_trials"], found["infra_errors"]) == (4, 0, 0)
    assert "| 9 | 1 | 1 |" in str(found["failed_tasks"])
    assert "missing_action" in str(found["faults"])
    assert "faults" not in evaluated.metadata("tau_trials", "right")


def test_the_ui_shows_scores_with_intervals_as_table_and_charts(evaluated: Evaluated) -> None:
    found = evaluated.metadata("tau_metrics", "right")
    assert found["pass_hat_4"] == 1.0
    assert "| pass^1 | 1.000 | 0.000 | 0.510–1.000 | 4 |" in str(found["scores"])  # Wilson: 4 of 4
    assert "| read_only | 2 | 1.000 |" in str(found["without_known_issues"])
    assert "| trials | 16 | count |" in str(found["counts"])
    for name in ("chart", "chart_of_turns"):
        assert "](data:image/png;base64," in str(found[name])
    assert "pass^4 100% (51% to 100%)" in str(found["chart"])


def test_the_ui_shows_the_leaderboard_without_what_is_not_comparable(evaluated: Evaluated) -> None:
    found = evaluated.metadata("tau_leaderboard", "right")
    assert found["is_complete"] is False
    assert "| TC gpt-4o | 0.604 | 0.491 | 0.430 | 0.383 |" in str(found["leaderboard"])
    assert "this experiment" not in str(found["leaderboard"])


def test_the_data_version_of_one_experiment_is_that_of_its_content(evaluated: Evaluated) -> None:
    versions = query(
        evaluated.database,
        "SELECT DISTINCT partition_key, data_version FROM lineage WHERE asset_key = 'tau_trials'",
    ).rows
    assert dict(versions) == {
        name: evaluated.metadata("tau_trials", name)["data_version"] for name in ("idle", "right")
    }


def test_checks_can_run_alone_and_find_what_was_stored_wrongly(evaluated: Evaluated) -> None:
    def failing() -> dict[str, str | None]:
        keys = {bar.key for bar in EXPERIMENT_BARS}
        return {
            result.check_name: result.description
            for result in experiment_check_results(evaluated.workspace, keys)
            if not result.passed and result.check_name
        }

    database = evaluated.database
    assert failing() == {}
    spoil = (
        "UPDATE tau_trials SET succeeded = false WHERE partition_key = 'right' AND task_id = 9 AND trial = 3",
        "UPDATE tau_trials SET succeeded = true WHERE partition_key = 'idle' AND task_id = 9",
        "UPDATE tau_experiments SET trials_ended = 3 WHERE partition_key = 'idle'",
        "DELETE FROM lineage"
        " WHERE partition_key = 'idle' AND asset_key = 'tau_metrics' AND input_kind = 'code'",
    )
    for statement in spoil:
        database.write(lambda connection, sql=statement: connection.execute(sql))
    assert failing() == {
        "oracle_solves_every_task": "right: the oracle fails task 9",
        "noop_solves_null_passable_only": (
            "idle: doing nothing succeeds in task 9, which are not null_passable"
        ),
        "no_missing_trials": "idle: 1 of 4 trials are missing",
        "lineage_complete": "idle: tau_metrics: it names no evaluator",
        "results_are_fresh": "idle: tau_leaderboard: tau_metrics is evaluated again",
    }
