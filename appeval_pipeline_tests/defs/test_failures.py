import json

import dagster as dg
import pytest

from appeval_pipeline.defs.failures import run_failures
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store import query


@dg.op
def quality_scores() -> None:
    raise OSError("No space left on device")


@dg.job
def failing() -> None:
    quality_scores()


def observe(workspace: Workspace, instance: dg.DagsterInstance, run_id: str) -> None:
    """The sensor's tick for one failed run."""
    run = instance.get_run_by_id(run_id)
    assert run is not None
    (event,) = [
        record.event_log_entry.dagster_event
        for record in instance.get_records_for_run(run_id, of_type=dg.DagsterEventType.RUN_FAILURE).records
    ]
    assert event is not None
    context = dg.build_run_status_sensor_context(
        sensor_name="run_failures",
        dagster_event=event,
        dagster_instance=instance,
        dagster_run=run,
        resources={"workspace": workspace},
    )
    run_failures(context.for_run_failure())


def stored(workspace: Workspace) -> list[tuple[object, ...]]:
    sql = "SELECT run_id, partition_keys, step_key, error FROM run_failures"
    return [
        (run, json.loads(str(keys)), step, error)
        for run, keys, step, error in query(workspace.database, sql).rows
    ]


@pytest.fixture
def prepared(workspace: Workspace) -> Workspace:
    workspace.database.prepare()
    return workspace


def test_a_failed_step_is_stored_with_its_app_versions(
    prepared: Workspace, instance: dg.DagsterInstance
) -> None:
    instance.add_dynamic_partitions("app_versions", ["counter@1", "counter@2", "counter@3"])
    tags = {
        "dagster/asset_partition_range_start": "counter@1",
        "dagster/asset_partition_range_end": "counter@2",
    }
    quiet = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    result = failing.execute_in_process(instance=instance, tags=tags, raise_on_error=False, run_config=quiet)
    for _ in range(2):  # a sensor may see a run twice
        observe(prepared, instance, result.run_id)
    assert stored(prepared) == [
        (result.run_id, ["counter@1", "counter@2"], "quality_scores", "OSError: No space left on device")
    ]
    ((failed_at, ended),) = query(
        prepared.database, "SELECT failed_at, CAST(now() AT TIME ZONE 'UTC' AS TIMESTAMP) FROM run_failures"
    ).rows
    assert 0 <= (ended - failed_at).total_seconds() < 60  # type: ignore[operator]


def test_a_run_that_fails_outside_its_steps_is_stored(
    prepared: Workspace, instance: dg.DagsterInstance
) -> None:
    run = instance.add_run(dg.DagsterRun("evaluate_app_versions", tags={"dagster/partition": "counter@1"}))
    instance.report_run_failed(run, "The process that ran it has ended")
    observe(prepared, instance, run.run_id)
    assert stored(prepared) == [(run.run_id, ["counter@1"], None, "The process that ran it has ended")]
