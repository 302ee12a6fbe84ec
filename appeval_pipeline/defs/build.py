"""All definitions together, for given settings."""

import dagster as dg

from appeval_pipeline.defs.app_assets import app_assets
from appeval_pipeline.defs.checks import app_version_checks
from appeval_pipeline.defs.jobs import EVALUATE_JOB, evaluate_app_versions
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.sensors import new_app_versions
from appeval_pipeline.settings import ExecutorKind, Settings


def build_definitions(settings: Settings) -> dg.Definitions:
    """Everything Dagster needs to know, bound to one data directory and one store."""
    return dg.Definitions(
        assets=app_assets,
        asset_checks=[app_version_checks],
        jobs=[evaluate_app_versions],
        sensors=[new_app_versions],
        resources={"workspace": Workspace(data_dir=str(settings.data_dir), store=str(settings.store))},
        executor=build_executor(settings.executor),
    )


def build_executor(kind: ExecutorKind) -> dg.ExecutorDefinition:
    """The executor that runs a run's steps."""
    if kind is ExecutorKind.MULTIPROCESS:
        return dg.multiprocess_executor
    return dg.in_process_executor


def build_evaluate_job(plain_settings: dict[str, str]) -> dg.JobDefinition:
    """The job for a child process, which gets ``data_dir``, ``store`` and ``executor`` as text."""
    settings = Settings.model_validate(plain_settings)
    return build_definitions(settings).resolve_job_def(EVALUATE_JOB)
