"""Running the job in the test's process."""

import dagster as dg

from appeval_pipeline.defs.build import build_definitions
from appeval_pipeline.defs.jobs import EVALUATE_JOB
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.settings import Settings
from appeval_pipeline.store.dependencies import SOURCES


def after(asset: str) -> tuple[str, ...]:
    """The assets that rest on another, upstream first."""
    return tuple(name for name, sources in SOURCES.items() if asset in sources.upstream)


def settings_of(workspace: Workspace) -> Settings:
    return Settings.model_validate({"data_dir": workspace.data_dir, "store": workspace.store})


def evaluate(
    workspace: Workspace, instance: dg.DagsterInstance, *keys: str, assets: tuple[str, ...] = ()
) -> dg.ExecuteInProcessResult:
    """Evaluate app versions in one run; several must be neighbours."""
    instance.add_dynamic_partitions("app_versions", list(keys))
    tags = {"dagster/asset_partition_range_start": keys[0], "dagster/asset_partition_range_end": keys[-1]}
    job = build_definitions(settings_of(workspace)).resolve_job_def(EVALUATE_JOB)
    return job.execute_in_process(
        instance=instance,
        partition_key=keys[0] if len(keys) == 1 else None,
        tags=tags if len(keys) > 1 else None,
        asset_selection=[dg.AssetKey(asset) for asset in assets] or None,
        run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
    )
