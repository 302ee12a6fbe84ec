"""The process of one run: it executes what the server has recorded, and ends."""

import sys

import dagster as dg
from dagster._core.execution.api import execute_run  # how Dagster's own launchers execute a recorded run

from appeval_pipeline.api.runs.locks import lock_path
from appeval_pipeline.defs.execution import LAUNCHER_TAG
from appeval_pipeline.defs.jobs import EVALUATE_JOB
from appeval_pipeline.defs.sqlite_files import kept_engines, patient_commits
from appeval_pipeline.settings import Settings, load_settings


def execute(run_id: str, settings: Settings) -> None:
    """Execute a recorded run; how it went is in Dagster's records."""
    home = str(settings.dagster_home)
    with patient_commits(), kept_engines(), dg.DagsterInstance.from_config(home) as instance:
        run = instance.get_run_by_id(run_id)
        if run is None:
            raise SystemExit(f"Dagster knows no run {run_id}")
        job = dg.build_reconstructable_job(
            "appeval_pipeline.defs.build", "build_evaluate_job", (_plain(settings),)
        )
        assert run.job_name == EVALUATE_JOB
        try:
            execute_run(job, run, instance)
        finally:
            # Only now: without its lock an unfinished run counts as dead.
            lock_path(settings.dagster_home, run.tags[LAUNCHER_TAG]).unlink(missing_ok=True)


def _plain(settings: Settings) -> dict[str, str]:
    """The settings as text, by which other processes of the run make the job again."""
    prefix = "APPEVAL_"
    return {
        name.removeprefix(prefix).lower(): value
        for name, value in settings.environment().items()
        if name.startswith(prefix) and name != "APPEVAL_API_TOKEN"
    }


if __name__ == "__main__":
    execute(sys.argv[1], load_settings(env_file=None))
