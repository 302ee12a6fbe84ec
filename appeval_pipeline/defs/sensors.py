"""The sensor that finds new, repaired and edited app versions, and changed scenarios and tasks."""

from dataclasses import replace
from pathlib import Path

import dagster as dg

from appeval_pipeline.defs.asking import Cursor
from appeval_pipeline.defs.jobs import evaluate_app_versions, group_evaluations
from appeval_pipeline.defs.partitions import app_versions, forget_versions
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.run_partitions import busy_partitions
from appeval_pipeline.defs.sorting import INTERVAL_S, Sorted, run_request, sort_needs
from appeval_pipeline.store.comparison import Cause
from appeval_pipeline.store.freshness import Need, Plan, make_plan
from appeval_pipeline.store.results import read_state


@dg.sensor(
    name="new_app_versions",
    job=evaluate_app_versions,
    minimum_interval_seconds=INTERVAL_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description=(
        "Finds new and repaired definition files, changed scenarios and tasks in the data directory, adds "
        "partitions, and requests what is stale. Reports landed versions that were edited, and forgets "
        "versions that never were valid and whose file is gone."
    ),
)
def new_app_versions(context: dg.SensorEvaluationContext, workspace: Workspace) -> dg.SensorResult:
    """Request what the data directory says is stale, and forget what it has no more and never landed."""
    workspace.database.prepare()
    busy = busy_partitions(context.instance)
    plan = make_plan(workspace.data_path, read_state(workspace.database), agents=workspace.agent_plan)
    forget_versions(context.instance, workspace.database, plan.gone)
    _report(context, plan)
    found, cursor = sort_needs(
        plan.needs,
        Cursor.parse(context.cursor),
        busy,
        context.instance,
        lambda need: _files_of(need, workspace.data_path),
        _requestable,
    )
    if not found.ask:
        return dg.SensorResult(skip_reason=_skip_reason(plan, found), cursor=cursor.text())
    known = context.instance.get_dynamic_partitions(str(app_versions.name))
    new = [need.partition_key for need in found.ask if need.partition_key not in set(known)]
    cursor = replace(cursor, tick=cursor.tick + 1)
    requests = []
    for evaluation in group_evaluations(found.ask, [*known, *new]):
        request = run_request(evaluation, cursor.tick, evaluation.app_tags)
        requests.append(request)
        cursor = cursor.asking(evaluation.needs, str(request.run_key))
    return dg.SensorResult(
        dynamic_partitions_requests=[app_versions.build_add_request(new)] if new else [],
        run_requests=requests,
        cursor=cursor.text(),
    )


def _files_of(need: Need, data_dir: Path) -> list[Path]:
    """The files behind a need: the definition, scenarios and tasks."""
    home = data_dir / need.entry.path.parent
    folders = [home / "scenarios", home / "tasks"]
    inside = [path for folder in folders if folder.is_dir() for path in folder.iterdir()]
    return [data_dir / need.entry.path, *inside]


def _requestable(need: Need) -> Need | None:
    """What does not have to wait for its baseline."""
    assets = need.caused_by(Cause.FILES, Cause.RESULTS)
    return need.only(assets) if assets else None


def _report(context: dg.SensorEvaluationContext, plan: Plan) -> None:
    for violation in plan.violations:
        context.log.warning(violation)
    if plan.gone:
        context.log.info("Forgot %s: never valid, and their files are gone", ", ".join(plan.gone))
    for problem in plan.problems:
        context.log.warning(f"{problem.path}: {problem.message}")


def _skip_reason(plan: Plan, found: Sorted[Need]) -> str:
    problems = [f"{problem.path}: {problem.message}" for problem in plan.problems]
    parts = [f"{len(plan.fresh)} app versions are up to date", *found.waiting(), *plan.violations, *problems]
    return "; ".join(parts)
