"""Runs of the Dagster job, each in a process of its own, on the instance that the UI shows."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from datetime import UTC, datetime
from uuid import uuid4

import dagster as dg

from appeval_pipeline.api.models.base import MAX_ROWS
from appeval_pipeline.api.models.runs import Materialized, RunAnswer, RunState, StepFailed
from appeval_pipeline.api.runs.locks import launcher_lock, lock_path, only_server
from appeval_pipeline.api.runs.protocol import RunOrder, RunUnderWay, TooManyRuns
from appeval_pipeline.dagster_home import configuration_error, prepare_dagster_home
from appeval_pipeline.defs.build import build_definitions
from appeval_pipeline.defs.execution import LAUNCHER_TAG, LOG_LEVEL, bury_dead_runs
from appeval_pipeline.defs.jobs import APP_TAG, EVALUATE_JOB
from appeval_pipeline.defs.partitions import app_versions
from appeval_pipeline.defs.run_partitions import LONGEST_RUN, PARTITION_TAG, UNFINISHED, run_partitions
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Store
from appeval_pipeline.store.dependencies import APP_ASSETS
from appeval_pipeline.store.freshness import make_plan, storable_catalogue
from appeval_pipeline.store.results import read_state

_STATES = {
    dg.DagsterRunStatus.QUEUED: RunState.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED: RunState.STARTING,
    dg.DagsterRunStatus.MANAGED: RunState.STARTING,
    dg.DagsterRunStatus.STARTING: RunState.STARTING,
    dg.DagsterRunStatus.STARTED: RunState.RUNNING,
    dg.DagsterRunStatus.CANCELING: RunState.RUNNING,
    dg.DagsterRunStatus.SUCCESS: RunState.SUCCEEDED,
    dg.DagsterRunStatus.FAILURE: RunState.FAILED,
    dg.DagsterRunStatus.CANCELED: RunState.CANCELED,
}
MAX_RUNS = 4
"""Runs of one server at a time, as many as Dagster's daemon would start."""
_TOLD = {
    dg.DagsterEventType.ASSET_MATERIALIZATION,
    dg.DagsterEventType.STEP_FAILURE,
    dg.DagsterEventType.RUN_FAILURE,
}


class DagsterRuns:
    """The runs of one Dagster home.

    A run's process holds a lock file as long as it lives, as those of `appeval run` do, so that everybody can
    tell whether a run is at work or its process was killed.

    Args:
        settings: Where everything is; the run's process gets the same.
        store: Tells what is stale.
    """

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._starting = threading.Lock()
        self._opening = threading.Lock()
        self._opened: dg.DagsterInstance | None = None
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, order: RunOrder) -> RunAnswer:
        """Record the run and start its process."""
        home = self._settings.dagster_home
        with self._starting:
            instance = self._instance()
            with only_server(home):
                bury_dead_runs(self._settings)
                self._forget_ended()
                self._refuse_if_under_way(instance, order.partition_key)
                if len(self._children) >= MAX_RUNS:
                    raise TooManyRuns
                assets = self._assets(order)
                self._add_partitions(instance)
                with launcher_lock(home) as (name, descriptor):
                    run = self._create(instance, order, assets, name)
                    self._children[run.run_id] = self._spawn(run.run_id, descriptor)
        answer = self.read(run.run_id)
        assert answer is not None, "it was created above"
        return answer

    def read(self, run_id: str) -> RunAnswer | None:
        """The run as Dagster has it."""
        instance = self._instance()
        record = instance.get_run_record_by_id(run_id)
        if record is None:
            return None
        child = self._children.get(run_id)
        if child is not None and child.poll() is not None and not record.dagster_run.is_finished:
            bury_dead_runs(self._settings)  # it ended without a word
            record = instance.get_run_record_by_id(run_id)
            assert record is not None
        return _answer(instance, record)

    def process_of(self, run_id: str) -> int | None:
        """The process id of a run that was started here; None for any other."""
        child = self._children.get(run_id)
        return child.pid if child else None

    def close(self) -> None:
        """Kill the processes of runs that are still at work: what they have stored is whole."""
        with self._starting:
            for run_id, child in self._children.items():
                if child.poll() is None:
                    with suppress(ProcessLookupError):
                        os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
                    self._report_canceled(run_id)
            self._children.clear()
            with self._opening:
                if self._opened is not None:
                    self._opened.dispose()
                    self._opened = None

    def _report_canceled(self, run_id: str) -> None:
        instance = self._instance()
        run = instance.get_run_by_id(run_id)
        if run is not None and not run.is_finished:
            instance.report_run_canceled(run, "The server that had started it ended")
            instance.event_log_storage.free_concurrency_slots_for_run(run_id)
            lock_path(self._settings.dagster_home, run.tags[LAUNCHER_TAG]).unlink(missing_ok=True)

    def _instance(self) -> dg.DagsterInstance:
        with self._opening:
            if self._opened is None:
                home = self._settings.dagster_home
                prepare_dagster_home(home)
                try:
                    self._opened = dg.DagsterInstance.from_config(str(home))
                except Exception as error:  # Dagster raises its own, YAML's and more for a bad dagster.yaml
                    why = f"Dagster cannot start with it: {str(error).strip()}"
                    raise configuration_error(home, why) from error
            return self._opened

    def _forget_ended(self) -> None:
        for run_id in [run_id for run_id, child in self._children.items() if child.poll() is not None]:
            del self._children[run_id]

    def _refuse_if_under_way(self, instance: dg.DagsterInstance, partition_key: str) -> None:
        known = instance.get_dynamic_partitions(str(app_versions.name))
        created_after = datetime.now(UTC) - LONGEST_RUN
        for run in instance.get_runs(dg.RunsFilter(statuses=UNFINISHED, created_after=created_after)):
            if partition_key in run_partitions(run.tags, known):
                raise RunUnderWay(run.run_id)

    def _assets(self, order: RunOrder) -> tuple[str, ...]:
        """What to make, upstream first: nothing can be made of what is not there."""
        plan = make_plan(
            self._settings.data_dir,
            read_state(self._store),
            agents=self._settings.agent_plan,
            app_id=order.app_id,
            version=order.version,
        )
        stale = {asset for need in plan.needs for asset in need.assets}
        return tuple(
            asset
            for asset in APP_ASSETS
            if asset in order.always or (asset in order.if_stale and asset in stale)
        )

    def _add_partitions(self, instance: dg.DagsterInstance) -> None:
        """All that are missing, in natural order: runs over ranges rest on it."""
        name = str(app_versions.name)
        known = set(instance.get_dynamic_partitions(name))
        entries = storable_catalogue(self._settings.data_dir).entries
        missing = [entry.partition_key for entry in entries if entry.partition_key not in known]
        if missing:
            instance.add_dynamic_partitions(name, missing)

    def _create(
        self, instance: dg.DagsterInstance, order: RunOrder, assets: tuple[str, ...], launcher: str
    ) -> dg.DagsterRun:
        job = build_definitions(self._settings).resolve_job_def(EVALUATE_JOB)
        return instance.create_run_for_job(
            job_def=job,
            run_id=str(uuid4()),
            run_config={"loggers": {"console": {"config": {"log_level": LOG_LEVEL}}}},
            asset_selection={dg.AssetKey(asset) for asset in assets},
            tags={PARTITION_TAG: order.partition_key, APP_TAG: order.app_id, LAUNCHER_TAG: launcher},
        )

    def _spawn(self, run_id: str, descriptor: int) -> subprocess.Popen[bytes]:
        environment = {**os.environ, **self._settings.environment()}
        environment.pop("APPEVAL_API_TOKEN", None)
        return subprocess.Popen(
            [sys.executable, "-m", "appeval_pipeline.api.runs.executing", run_id],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[descriptor],
            # Ctrl-C is for the server, which sees to its runs.
            start_new_session=True,
        )


def _answer(instance: dg.DagsterInstance, record: dg.RunRecord) -> RunAnswer:
    run = record.dagster_run
    known = instance.get_dynamic_partitions(str(app_versions.name))
    materialized, failures, outside = [], [], []
    for entry in instance.all_logs(run.run_id, of_type=_TOLD):
        event = entry.dagster_event
        if event is None:
            continue
        if event.is_step_materialization:
            made = event.step_materialization_data.materialization
            materialized.append(
                Materialized(
                    asset_key=made.asset_key.to_user_string(),
                    partition_key=made.partition,
                    data_version=(made.tags or {}).get("dagster/data_version"),
                    at=datetime.fromtimestamp(entry.timestamp, UTC),
                )
            )
        elif event.is_step_failure:
            error = event.step_failure_data.error
            text = (error.cause or error).message.strip() if error else event.message
            failures.append(StepFailed(step=event.step_key, error=text or "It failed"))
        else:
            outside.append(StepFailed(step=None, error=event.message or "The run failed"))
    return RunAnswer(
        run_id=run.run_id,
        state=_STATES[run.status],
        partition_keys=list(run_partitions(run.tags, known)),
        assets=sorted(key.to_user_string() for key in run.asset_selection or ()),
        created_at=record.create_timestamp,
        started_at=_time(record.start_time),
        ended_at=_time(record.end_time),
        materialized=materialized[:MAX_ROWS],
        failures=failures or outside,
    )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
