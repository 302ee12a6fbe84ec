"""The schedule that measures the latest version of every app each night."""

from collections.abc import Iterable

import dagster as dg

from appeval_pipeline.defs.jobs import APP_TAG, evaluate_app_versions
from appeval_pipeline.defs.partitions import app_versions
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store.dependencies import BENCHMARKS
from appeval_pipeline.store.freshness import storable_catalogue
from appeval_pipeline.store.results import StoredVersion, read_versions


@dg.schedule(
    name="nightly_benchmarks",
    job=evaluate_app_versions,
    cron_schedule="0 3 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Measures the latest valid version of each app every night at 3:00 UTC. Off by default.",
)
def nightly_benchmarks(
    context: dg.ScheduleEvaluationContext, workspace: Workspace
) -> list[dg.RunRequest] | dg.SkipReason:
    """Request ``benchmark_results`` of the latest valid version of each app that has a file."""
    workspace.database.prepare()
    there = {entry.partition_key for entry in storable_catalogue(workspace.data_path).entries}
    known = there.intersection(context.instance.get_dynamic_partitions(str(app_versions.name)))
    stored = read_versions(workspace.database).values()
    latest = latest_versions(version for version in stored if version.partition_key in known)
    if not latest:
        return dg.SkipReason("There is no valid app version")
    return [
        dg.RunRequest(
            run_key=f"{context.scheduled_execution_time:%Y-%m-%d}:{version.partition_key}",
            partition_key=version.partition_key,
            asset_selection=[dg.AssetKey(BENCHMARKS)],
            tags={APP_TAG: version.app_id},
        )
        for version in latest
    ]


def latest_versions(versions: Iterable[StoredVersion]) -> tuple[StoredVersion, ...]:
    """The greatest valid version of each app, by app."""
    latest: dict[str, StoredVersion] = {}
    for version in versions:
        known = latest.get(version.app_id)
        if version.status == "valid" and (known is None or version.version > known.version):
            latest[version.app_id] = version
    return tuple(latest[app_id] for app_id in sorted(latest))
