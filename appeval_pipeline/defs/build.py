"""All definitions together, for given settings."""

import dagster as dg

from appeval_pipeline.defs.app_assets import app_assets
from appeval_pipeline.defs.checks import app_version_checks
from appeval_pipeline.defs.failures import run_failures
from appeval_pipeline.defs.following import FollowUpReader, following, results_changed
from appeval_pipeline.defs.jobs import EVALUATE_JOB, evaluate_app_versions, evaluate_tau_experiments
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.schedules import nightly_benchmarks
from appeval_pipeline.defs.sensors import new_app_versions
from appeval_pipeline.defs.tau_assets import tau_assets
from appeval_pipeline.defs.tau_checks import tau_experiment_checks
from appeval_pipeline.defs.tau_sensor import new_tau_experiments
from appeval_pipeline.errors import SettingsError
from appeval_pipeline.settings import ExecutorKind, Settings


def build_definitions(settings: Settings) -> dg.Definitions:
    """Everything Dagster needs to know, bound to one data directory and one store."""
    workspace = Workspace.of(settings)
    reader = FollowUpReader(workspace)
    return dg.Definitions(
        assets=[following(asset, reader) for asset in (*app_assets, *tau_assets)],
        asset_checks=[app_version_checks, tau_experiment_checks],
        jobs=[evaluate_app_versions, evaluate_tau_experiments],
        schedules=[nightly_benchmarks],
        sensors=[new_app_versions, new_tau_experiments, results_changed, run_failures],
        resources={"workspace": workspace},
        executor=build_executor(settings),
    )


def build_executor(settings: Settings) -> dg.ExecutorDefinition:
    """The executor that runs a run's steps.

    Raises:
        SettingsError: Celery is asked for and not installed.
    """
    match settings.executor:
        case ExecutorKind.IN_PROCESS:
            return dg.in_process_executor
        case ExecutorKind.MULTIPROCESS:
            return dg.multiprocess_executor
        case ExecutorKind.CELERY:
            return _celery_executor(settings.celery_url.get_secret_value())


def _celery_executor(url: str) -> dg.ExecutorDefinition:
    try:
        from dagster_celery import celery_executor
    except ImportError as error:
        raise SettingsError(
            "APPEVAL_EXECUTOR: celery is not installed: install the extra `distributed` with constraints.txt"
        ) from error
    configured: dg.ExecutorDefinition = celery_executor.configured({"broker": url, "backend": url})
    return configured


def build_evaluate_job(plain_settings: dict[str, str], name: str = EVALUATE_JOB) -> dg.JobDefinition:
    """A job for another process, which gets the settings that it needs as text."""
    settings = Settings.model_validate(plain_settings)
    return build_definitions(settings).resolve_job_def(name)
