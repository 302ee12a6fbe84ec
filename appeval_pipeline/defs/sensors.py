"""The sensor that finds new, repaired and edited app versions, and changed scenarios."""

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

import dagster as dg

from appeval_pipeline.defs.jobs import EVALUATE_JOB, Evaluation, evaluate_app_versions, group_evaluations
from appeval_pipeline.defs.partitions import app_versions, forget_versions
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store.canonical import canonical_json, sha256_of
from appeval_pipeline.store.freshness import Need, Plan, make_plan
from appeval_pipeline.store.results import read_state

SETTLE_S = 2.0
"""A file that changed less than this ago may still be being written: it waits for the next tick."""

INTERVAL_S = 10


MAX_ATTEMPTS = 3
"""How often the same need is requested, if the runs for it fail."""

RUN_KEY_TAG = "dagster/run_key"


@dataclass(frozen=True, slots=True)
class Asked:
    """The last request of one partition.

    Attributes:
        fingerprint: What was needed.
        run_key: Names the run that was requested.
        attempt: How often the same has been requested, this time included.
    """

    fingerprint: str
    run_key: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Cursor:
    """What earlier ticks have asked for.

    Attributes:
        tick: Number of ticks that asked for something.
        requested: The last request, by partition, as long as the need lasts.
    """

    tick: int = 0
    requested: Mapping[str, Asked] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str | None) -> "Cursor":
        """Read a cursor; an unreadable one counts as none."""
        try:
            document = json.loads(text or "{}")
            requested = {key: Asked(**asked) for key, asked in document.get("requested", {}).items()}
            return cls(int(document.get("tick", 0)), requested)
        except (ValueError, TypeError, AttributeError):
            return cls()

    def text(self) -> str:
        """The cursor as Dagster keeps it."""
        requested = {key: asdict(asked) for key, asked in self.requested.items()}
        return canonical_json({"tick": self.tick, "requested": requested})

    def attempts(self, need: Need) -> int:
        """How often exactly this need has been requested."""
        asked = self.requested.get(need.partition_key)
        return asked.attempt if asked is not None and asked.fingerprint == need.fingerprint else 0


@dg.sensor(
    name="new_app_versions",
    job=evaluate_app_versions,
    minimum_interval_seconds=INTERVAL_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description=(
        "Finds new and repaired definition files and changed scenarios in the data directory, adds "
        "partitions, and requests what is stale. Reports landed versions that were edited, and forgets "
        "versions that never were valid and whose file is gone."
    ),
)
def new_app_versions(context: dg.SensorEvaluationContext, workspace: Workspace) -> dg.SensorResult:
    """Request what the data directory says is stale, and forget what it has no more and never landed."""
    workspace.database.prepare()
    plan = make_plan(workspace.data_path, read_state(workspace.database))
    forget_versions(context.instance, workspace.database, plan.gone)
    _report(context, plan)
    cursor = Cursor.parse(context.cursor)
    waiting = [need for need in plan.needs if is_settling(need, workspace.data_path, time.time())]
    ready = [need for need in plan.needs if need not in waiting]
    asked = [need for need in ready if _is_due(need, cursor, context.instance)]
    still_needed = {need.partition_key for need in plan.needs}
    requested = {key: value for key, value in cursor.requested.items() if key in still_needed}
    if not asked:
        return dg.SensorResult(
            skip_reason=_skip_reason(plan, waiting, ready), cursor=Cursor(cursor.tick, requested).text()
        )
    known = context.instance.get_dynamic_partitions(str(app_versions.name))
    new = [need.partition_key for need in asked if need.partition_key not in set(known)]
    tick = cursor.tick + 1
    requests = []
    for evaluation in group_evaluations(asked, [*known, *new]):
        request = run_request(evaluation, tick)
        requests.append(request)
        for need in evaluation.needs:
            requested[need.partition_key] = Asked(
                need.fingerprint, str(request.run_key), cursor.attempts(need) + 1
            )
    return dg.SensorResult(
        dynamic_partitions_requests=[app_versions.build_add_request(new)] if new else [],
        run_requests=requests,
        cursor=Cursor(tick, requested).text(),
    )


def _is_due(need: Need, cursor: Cursor, instance: dg.DagsterInstance) -> bool:
    """Whether to request this: it is new, or the run for it failed, for want of a lock or of memory, say."""
    attempts = cursor.attempts(need)
    if not 0 < attempts < MAX_ATTEMPTS:
        return attempts == 0
    key = cursor.requested[need.partition_key].run_key
    failed = dg.RunsFilter(tags={RUN_KEY_TAG: key}, statuses=[dg.DagsterRunStatus.FAILURE])
    return bool(instance.get_runs(failed, limit=1))


def run_request(evaluation: Evaluation, tick: int) -> dg.RunRequest:
    """The request of one run; its key is the same if a tick is repeated, and never again after that."""
    content = sha256_of([tick, *(need.fingerprint for need in evaluation.needs)])
    return dg.RunRequest(
        run_key=f"{evaluation.name}:{content}",
        job_name=EVALUATE_JOB,
        partition_key=evaluation.partition_key,
        asset_selection=evaluation.asset_selection,
        tags=evaluation.tags,
    )


def is_settling(need: Need, data_dir: Path, now: float) -> bool:
    """Whether one of the files behind a need changed so lately that it may be half-written."""
    folder = data_dir / need.entry.path.parent / "scenarios"
    files = [data_dir / need.entry.path, *(folder.iterdir() if folder.is_dir() else ())]
    return any(0 <= now - modified < SETTLE_S for modified in map(_modified, files))


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _report(context: dg.SensorEvaluationContext, plan: Plan) -> None:
    for violation in plan.violations:
        context.log.warning(violation)
    if plan.gone:
        context.log.info("Forgot %s: never valid, and their files are gone", ", ".join(plan.gone))
    for problem in plan.problems:
        context.log.warning(f"{problem.path}: {problem.message}")


def _skip_reason(plan: Plan, waiting: list[Need], ready: list[Need]) -> str:
    parts = [f"{len(plan.fresh)} app versions are up to date"]
    if waiting:
        parts.append(f"{len(waiting)} changed just now and wait for the next tick")
    if ready:
        parts.append(f"{len(ready)} have been requested already (up to {MAX_ATTEMPTS} times if runs fail)")
    parts.extend(plan.violations)
    parts.extend(f"{problem.path}: {problem.message}" for problem in plan.problems)
    return "; ".join(parts)
