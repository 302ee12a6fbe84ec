"""The sensor that finds new, repaired and edited app versions, and changed scenarios."""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import dagster as dg

from appeval_pipeline.defs.asking import MAX_ATTEMPTS, Cursor
from appeval_pipeline.defs.jobs import EVALUATE_JOB, Evaluation, evaluate_app_versions, group_evaluations
from appeval_pipeline.defs.partitions import app_versions, forget_versions
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.run_partitions import busy_partitions
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.comparison import Cause
from appeval_pipeline.store.freshness import Need, Plan, make_plan
from appeval_pipeline.store.results import read_state

SETTLE_S = 2.0
"""A file that changed less than this ago may still be being written: it waits for the next tick."""

PATIENCE_S = 120.0
"""What declarative automation has not seen to by then (it is off, or its run failed) is requested here."""

INTERVAL_S = 10


@dataclass(frozen=True, slots=True)
class Sorted:
    """What to do about the needs of a plan: one of these five.

    Attributes:
        ask: To request now, with the assets to request.
        settling: Their files changed just now.
        busy: Some run works on them.
        asked: Requested before; the run was cancelled, or has failed too often.
        left: For declarative automation: a stored result changed, and no file.
    """

    ask: tuple[Need, ...]
    settling: tuple[Need, ...]
    busy: tuple[Need, ...]
    asked: tuple[Need, ...]
    left: tuple[Need, ...]


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
    busy = busy_partitions(context.instance)
    plan = make_plan(workspace.data_path, read_state(workspace.database))
    forget_versions(context.instance, workspace.database, plan.gone)
    _report(context, plan)
    now = time.time()
    cursor = Cursor.parse(context.cursor)
    found = _sort(plan.needs, cursor, busy, workspace.data_path, context.instance, now)
    cursor = cursor.renewed(plan.needs, found.left, now)
    if not found.ask:
        return dg.SensorResult(skip_reason=_skip_reason(plan, found), cursor=cursor.text())
    known = context.instance.get_dynamic_partitions(str(app_versions.name))
    new = [need.partition_key for need in found.ask if need.partition_key not in set(known)]
    cursor = replace(cursor, tick=cursor.tick + 1)
    requests = []
    for evaluation in group_evaluations(found.ask, [*known, *new]):
        request = run_request(evaluation, cursor.tick)
        requests.append(request)
        cursor = cursor.asking(evaluation.needs, str(request.run_key))
    return dg.SensorResult(
        dynamic_partitions_requests=[app_versions.build_add_request(new)] if new else [],
        run_requests=requests,
        cursor=cursor.text(),
    )


def _sort(
    needs: Iterable[Need],
    cursor: Cursor,
    busy: frozenset[str],
    data_dir: Path,
    instance: dg.DagsterInstance,
    now: float,
) -> Sorted:
    failed_run_keys = cursor.failed_run_keys(instance)
    ask: list[Need] = []
    settling: list[Need] = []
    occupied: list[Need] = []
    asked: list[Need] = []
    left: list[Need] = []
    for need in needs:
        if need.partition_key in busy:
            occupied.append(need)
        elif not need.caused_by(Cause.FILES) and cursor.left_for_s(need, now) < PATIENCE_S:
            left.append(need)
        elif is_settling(need, data_dir, now):
            settling.append(need)
        elif not (assets := need.caused_by(Cause.FILES, Cause.RESULTS)):
            left.append(need)  # its baseline has to come first
        elif cursor.is_due(need, failed_run_keys):
            ask.append(need.only(assets))
        else:
            asked.append(need)
    return Sorted(*map(tuple, (ask, settling, occupied, asked, left)))


def run_request(evaluation: Evaluation, tick: int) -> dg.RunRequest:
    """The request of one run; its key is the same if a tick is repeated, and never again after that."""
    content = sha256_of([tick, *(need.fingerprint for need in evaluation.needs)])
    return dg.RunRequest(
        run_key=f"{evaluation.name}:{content}",
        job_name=EVALUATE_JOB,
        partition_key=evaluation.partition_key,
        asset_selection=evaluation.asset_selection,
        tags={**evaluation.tags, **evaluation.app_tags},
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


def _skip_reason(plan: Plan, found: Sorted) -> str:
    parts = [f"{len(plan.fresh)} app versions are up to date"]
    if found.settling:
        parts.append(f"{len(found.settling)} changed just now and wait for the next tick")
    if found.busy:
        parts.append(f"{len(found.busy)} are being evaluated")
    if found.asked:
        parts.append(
            f"{len(found.asked)} have been requested already (up to {MAX_ATTEMPTS} times if runs fail)"
        )
    if found.left:
        parts.append(f"{len(found.left)} rest on results that changed, and are left to results_changed")
    parts.extend(plan.violations)
    parts.extend(f"{problem.path}: {problem.message}" for problem in plan.problems)
    return "; ".join(parts)
