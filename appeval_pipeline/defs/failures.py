"""The sensor that logs failed runs and stores why they failed."""

from datetime import UTC, datetime

import dagster as dg

from appeval_pipeline.defs.partitions import app_versions
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.run_partitions import run_partitions
from appeval_pipeline.store.run_failures import RunFailure, record_failures

INTERVAL_S = 15


@dg.run_failure_sensor(
    name="run_failures",
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=INTERVAL_S,
    description="Logs each failed run, and stores in the table `run_failures` which step failed and why.",
)
def run_failures(context: dg.RunFailureSensorContext, workspace: Workspace) -> None:
    """Log and store what failed in one run."""
    failures = describe_failures(context)
    for failure in failures:
        context.log.error(f"Run {failure.run_id}: {failure.step_key or 'the run'}: {failure.error}")
    record_failures(workspace.database, failures)


def describe_failures(context: dg.RunFailureSensorContext) -> tuple[RunFailure, ...]:
    """A failure for each step that failed; one for the run if none did."""
    run = context.dagster_run
    known = context.instance.get_dynamic_partitions(str(app_versions.name))
    partition_keys = run_partitions(run.tags, known)
    record = context.instance.get_run_record_by_id(run.run_id)
    ended = record.end_time if record and record.end_time else datetime.now(UTC).timestamp()
    failed_at = datetime.fromtimestamp(ended, UTC)
    found = []
    for event in context.get_step_failure_events():
        error = event.step_failure_data.error
        text = (error.cause or error).message.strip() if error else event.message
        found.append(RunFailure(run.run_id, partition_keys, event.step_key, text or "", failed_at))
    if not found:
        text = context.failure_event.message or "The run failed outside its steps"
        found.append(RunFailure(run.run_id, partition_keys, None, text, failed_at))
    return tuple(found)
