"""Running the evaluation job in this process, on the instance that the UI shows."""

import fcntl
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import dagster as dg
from dagster_shared.error import SerializableErrorInfo

from appeval_pipeline.dagster_home import configuration_error
from appeval_pipeline.defs.build import build_definitions
from appeval_pipeline.defs.jobs import Evaluation, experiment_evaluations, group_evaluations
from appeval_pipeline.defs.partitions import app_versions, forget_versions, tau_experiments
from appeval_pipeline.defs.sqlite_files import kept_engines, patient_commits
from appeval_pipeline.settings import ExecutorKind, Settings
from appeval_pipeline.store import open_store
from appeval_pipeline.store.experiments import ExperimentNeed
from appeval_pipeline.store.freshness import Need, storable_catalogue

LAUNCHER_TAG = "appeval/launcher"
"""Names the lock file that the process behind a run holds as long as it lives."""

LOG_LEVEL = "CRITICAL"
"""Failures are told by :class:`Outcome`, and Dagster's stack traces stand in the run's log in the UI."""

UNFINISHED = [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED]


RunResult = dg.ExecuteInProcessResult | dg.JobExecutionResult


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one run of the job went; ``error`` is None if it succeeded."""

    partition_keys: tuple[str, ...]
    run_id: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """A step that begins: the ``number``-th of ``total`` in all runs of one call of :func:`evaluate`."""

    name: str
    number: int
    total: int
    version_count: int


class _Follower:
    """Tells of each step that begins, from the events of runs in this process, and ends runs at Ctrl-C.

    Dagster takes an interruption of a step for one more failure, and would try again.
    """

    def __init__(self, evaluations: Sequence[Evaluation], tell: Callable[[Step], None]) -> None:
        # The checks are one step more.
        self._total = sum(len(evaluation.assets) + 1 for evaluation in evaluations)
        self._begun = 0
        self._tell = tell
        self.was_interrupted = False

    def follow(self, instance: dg.DagsterInstance, run_id: str, evaluation: Evaluation) -> None:
        """Listen to the run that will have this id."""

        def hear(entry: dg.EventLogEntry) -> None:
            event = entry.dagster_event
            if event is None:
                return
            if event.is_step_start and event.step_key is not None:
                self._begun += 1
                self._tell(Step(event.step_key, self._begun, self._total, len(evaluation.needs)))
            elif (
                event is not None
                and event.is_step_up_for_retry
                and _is_interruption(event.step_retry_data.error)
            ):
                self.was_interrupted = True
                raise KeyboardInterrupt

        instance.add_event_listener(run_id, hear)


def evaluate(
    settings: Settings,
    needs: tuple[Need, ...],
    gone: tuple[str, ...] = (),
    *,
    follow: Callable[[Step], None] | None = None,
) -> tuple[Outcome, ...]:
    """Add what partitions are missing and run the job for the needs, in as few runs as can be.

    Args:
        settings: Where everything is.
        needs: What to evaluate.
        gone: Partition keys to forget before.
        follow: Called with each step that begins, if runs are in this process.

    Raises:
        KeyboardInterrupt: A run was interrupted; those after it were not begun.
    """
    with _instance_for_runs(settings.dagster_home) as (instance, launcher):
        _bury_dead_runs(settings, instance)
        forget_versions(instance, open_store(settings.store), gone)
        name = str(app_versions.name)
        known = instance.get_dynamic_partitions(name)
        missing = [
            entry.partition_key
            for entry in storable_catalogue(settings.data_dir).entries
            if entry.partition_key not in set(known)
        ]
        if missing:
            instance.add_dynamic_partitions(name, missing)
        evaluations = group_evaluations(needs, instance.get_dynamic_partitions(name))
        follower = _Follower(evaluations, follow or (lambda _: None))
        return tuple(_run(settings, instance, evaluation, launcher, follower) for evaluation in evaluations)


def evaluate_experiments(
    settings: Settings,
    needs: tuple[ExperimentNeed, ...],
    *,
    follow: Callable[[Step], None] | None = None,
) -> tuple[Outcome, ...]:
    """Add what partitions are missing and run the job for each experiment, one after the other.

    Raises:
        KeyboardInterrupt: A run was interrupted; those after it were not begun.
    """
    with _instance_for_runs(settings.dagster_home) as (instance, launcher):
        _bury_dead_runs(settings, instance)
        name = str(tau_experiments.name)
        known = set(instance.get_dynamic_partitions(name))
        missing = [need.partition_key for need in needs if need.partition_key not in known]
        if missing:
            instance.add_dynamic_partitions(name, missing)
        evaluations = experiment_evaluations(needs)
        follower = _Follower(evaluations, follow or (lambda _: None))
        return tuple(_run(settings, instance, evaluation, launcher, follower) for evaluation in evaluations)


@contextmanager
def _instance_for_runs(home: Path) -> Iterator[tuple[dg.DagsterInstance, str]]:
    """The instance, ready for many events, and the name of this process's lock."""
    with (
        _quiet_logs(),
        patient_commits(),
        kept_engines(),
        _open_instance(home) as instance,
        _launcher(home) as launcher,
    ):
        yield instance, launcher


def _open_instance(home: Path) -> dg.DagsterInstance:
    try:
        return dg.DagsterInstance.from_config(str(home))
    except Exception as error:  # Dagster raises its own, YAML's, TypeError and more for a bad dagster.yaml
        raise configuration_error(home, f"Dagster cannot start with it: {str(error).strip()}") from error


def _run(
    settings: Settings,
    instance: dg.DagsterInstance,
    evaluation: Evaluation,
    launcher: str,
    follower: _Follower,
) -> Outcome:
    keys = tuple(need.partition_key for need in evaluation.needs)
    tags = {**evaluation.tags, LAUNCHER_TAG: launcher}
    run_config = {"loggers": {"console": {"config": {"log_level": LOG_LEVEL}}}}
    result: RunResult
    if settings.executor is ExecutorKind.IN_PROCESS:
        run_id = str(uuid4())
        follower.follow(instance, run_id, evaluation)
        result = (
            build_definitions(settings)
            .resolve_job_def(evaluation.job)
            .execute_in_process(
                instance=instance,
                partition_key=evaluation.partition_key,
                asset_selection=evaluation.asset_selection,
                tags=tags,
                run_id=run_id,
                run_config=run_config,
                raise_on_error=False,
            )
        )
    else:
        plain_settings = {
            "data_dir": str(settings.data_dir),
            "store": str(settings.store),
            "executor": settings.executor.value,
            "celery_url": settings.celery_url.get_secret_value(),
            "agents": settings.agents,
            "trials_dir": str(settings.trials_dir),
        }
        if settings.local_model_url is not None:
            plain_settings["local_model_url"] = settings.local_model_url
        job = dg.build_reconstructable_job(
            "appeval_pipeline.defs.build",
            "build_evaluate_job",
            (plain_settings,),
            {"name": evaluation.job},
        )
        if evaluation.partition_key is not None:
            tags["dagster/partition"] = evaluation.partition_key
        with dg.execute_job(
            job,
            instance,
            asset_selection=evaluation.asset_selection,
            tags=tags,
            run_config=run_config,
        ) as result:
            pass
    if follower.was_interrupted or _was_interrupted(result):
        # What was interrupted may not have given back its place in the pool.
        instance.event_log_storage.free_concurrency_slots_for_run(result.run_id)
        raise KeyboardInterrupt
    return Outcome(keys, result.run_id, None if result.success else _describe_failure(evaluation, result))


def _was_interrupted(result: RunResult) -> bool:
    """Whether Ctrl-C ended the run, which Dagster makes an error of its own."""
    return any(
        event.is_step_failure and _is_interruption(event.step_failure_data.error)
        for event in result.all_events
    )


def _is_interruption(error: SerializableErrorInfo | None) -> bool:
    names = {found.cls_name for found in (error, error.cause) if found} if error else set()
    return bool(names & {"DagsterExecutionInterruptedError", "KeyboardInterrupt"})


def _describe_failure(evaluation: Evaluation, result: RunResult) -> str:
    errors = [event.step_failure_data.error for event in result.all_events if event.is_step_failure]
    causes = [(error.cause or error).message.strip() for error in errors if error is not None]
    return f"Run {result.run_id} on {evaluation.name} failed: {'; '.join(causes) or 'see its log in the UI'}"


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Keep Dagster's own chatter off the terminal while runs execute."""
    logger = logging.getLogger("dagster")
    level = logger.level
    logger.setLevel(LOG_LEVEL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _launcher(home: Path) -> Iterator[str]:
    """Hold a lock as long as this process runs evaluations; others can see from it that it lives."""
    name = uuid4().hex
    path = _lock_path(home, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield name
        finally:
            path.unlink(missing_ok=True)


def bury_dead_runs(settings: Settings) -> None:
    """Fail the runs of this machine whose process was killed, so that nothing waits for them.

    Raises:
        SettingsError: Dagster cannot start with what is in its home.
    """
    with _quiet_logs(), _open_instance(settings.dagster_home) as instance:
        _bury_dead_runs(settings, instance)


def _bury_dead_runs(settings: Settings, instance: dg.DagsterInstance) -> None:
    """Fail runs whose process was killed, and free their places in the pool, which nobody else would do."""
    home = settings.dagster_home
    if settings.executor is ExecutorKind.CELERY or not isinstance(
        instance.run_launcher, dg.DefaultRunLauncher
    ):
        return  # runs may be at work on other machines, and leave no sign of life here
    for run in instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)):
        launcher = run.tags.get(LAUNCHER_TAG)
        alive = _is_alive(home, launcher) if launcher else _has_living_process(instance, run.run_id)
        if not alive:
            instance.report_run_failed(run, "The process that ran it has ended")
            instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
            if launcher:
                _lock_path(home, launcher).unlink(missing_ok=True)


def _has_living_process(instance: dg.DagsterInstance, run_id: str) -> bool:
    """Whether a process that the run's log names is there; a run that names none counts as alive."""
    pids = set()
    for entry in instance.all_logs(run_id, of_type=dg.DagsterEventType.ENGINE_EVENT):
        metadata = entry.dagster_event.engine_event_data.metadata if entry.dagster_event else {}
        if "pid" in metadata:
            pids.add(int(str(metadata["pid"].value)))
    return not pids or any(map(_is_process, pids))


def _is_process(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _is_alive(home: Path, launcher: str) -> bool:
    try:
        descriptor = os.open(_lock_path(home, launcher), os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _lock_path(home: Path, launcher: str) -> Path:
    return home / "launchers" / f"{launcher}.lock"
