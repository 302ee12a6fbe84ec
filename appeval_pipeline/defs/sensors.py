"""The sensor that finds new, repaired and edited app versions, and changed scenarios."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True)
class Cursor:
    """What earlier ticks have asked for.

    Attributes:
        tick: Number of ticks that asked for something.
        requested: The fingerprint of the last request, by partition, as long as the need lasts.
    """

    tick: int = 0
    requested: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str | None) -> "Cursor":
        """Read a cursor; an unreadable one counts as none."""
        try:
            document = json.loads(text or "{}")
            return cls(int(document.get("tick", 0)), dict(document.get("requested", {})))
        except (ValueError, TypeError, AttributeError):
            return cls()

    def text(self) -> str:
        """The cursor as Dagster keeps it."""
        return canonical_json({"tick": self.tick, "requested": dict(self.requested)})


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
    asked = [need for need in ready if cursor.requested.get(need.partition_key) != need.fingerprint]
    still_needed = {need.partition_key for need in plan.needs}
    requested = {key: value for key, value in cursor.requested.items() if key in still_needed}
    if not asked:
        return dg.SensorResult(
            skip_reason=_skip_reason(plan, waiting, ready), cursor=Cursor(cursor.tick, requested).text()
        )
    known = context.instance.get_dynamic_partitions(str(app_versions.name))
    new = [need.partition_key for need in asked if need.partition_key not in set(known)]
    tick = cursor.tick + 1
    requested.update({need.partition_key: need.fingerprint for need in asked})
    return dg.SensorResult(
        dynamic_partitions_requests=[app_versions.build_add_request(new)] if new else [],
        run_requests=[
            run_request(evaluation, tick) for evaluation in group_evaluations(asked, [*known, *new])
        ],
        cursor=Cursor(tick, requested).text(),
    )


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
        parts.append(f"{len(ready)} have been requested already")
    parts.extend(plan.violations)
    parts.extend(f"{problem.path}: {problem.message}" for problem in plan.problems)
    return "; ".join(parts)
