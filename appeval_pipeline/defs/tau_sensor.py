"""The sensor that finds new and changed experiments of tau-bench."""

from dataclasses import replace

import dagster as dg

from appeval_pipeline.defs.asking import Cursor
from appeval_pipeline.defs.jobs import evaluate_tau_experiments, experiment_evaluations
from appeval_pipeline.defs.partitions import tau_experiments
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.run_partitions import busy_partitions
from appeval_pipeline.defs.sorting import INTERVAL_S, Sorted, run_request, sort_needs
from appeval_pipeline.store.experiments import ExperimentNeed, ExperimentPlan, plan_experiments


@dg.sensor(
    name="new_tau_experiments",
    job=evaluate_tau_experiments,
    minimum_interval_seconds=INTERVAL_S,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description=(
        "Finds new and changed experiment files in tau/experiments of the data directory, adds partitions, "
        "and requests a run an experiment. One that asks a model or loads a class is run if "
        "APPEVAL_COSTLY_EXPERIMENTS says so, else whenever someone materializes it. "
        "Says so once and asks for nothing where tau-bench's tasks are not installed."
    ),
)
def new_tau_experiments(context: dg.SensorEvaluationContext, workspace: Workspace) -> dg.SensorResult:
    """Request the experiments that are stale."""
    workspace.database.prepare()
    busy = busy_partitions(context.instance)
    plan = plan_experiments(workspace.data_path, workspace.database, costly=workspace.costly_experiments)
    for path, message in plan.problems:
        context.log.warning(f"{path}: {message}")
    if plan.missing is not None:
        if context.cursor != plan.missing:
            context.log.warning(plan.missing)
        return dg.SensorResult(skip_reason=plan.missing, cursor=plan.missing)
    found, cursor = sort_needs(
        plan.needs,
        Cursor.parse(context.cursor),
        busy,
        context.instance,
        lambda need: [workspace.data_path / need.file.path],
        lambda need: need,
    )
    known = set(context.instance.get_dynamic_partitions(str(tau_experiments.name)))
    # Those that are left have a partition, too, so that they can be materialized by hand.
    there = [need.partition_key for need in (*found.ask, *plan.left)]
    new = [key for key in there if key not in known]
    additions = [tau_experiments.build_add_request(new)] if new else []
    if not found.ask:
        return dg.SensorResult(
            skip_reason=_skip_reason(plan, found),
            cursor=cursor.text(),
            dynamic_partitions_requests=additions,
        )
    cursor = replace(cursor, tick=cursor.tick + 1)
    requests = []
    for evaluation in experiment_evaluations(found.ask):
        request = run_request(evaluation, cursor.tick)
        requests.append(request)
        cursor = cursor.asking(evaluation.needs, str(request.run_key))
    return dg.SensorResult(
        dynamic_partitions_requests=additions,
        run_requests=requests,
        cursor=cursor.text(),
    )


def _skip_reason(plan: ExperimentPlan, found: Sorted[ExperimentNeed]) -> str:
    parts = [f"{len(plan.fresh)} experiments are up to date", *found.waiting()]
    if plan.left:
        names = ", ".join(need.partition_key for need in plan.left)
        parts.append(
            f"{names}: asks a model or loads a class, and waits for someone to materialize it "
            "(`appeval tau evaluate`; APPEVAL_COSTLY_EXPERIMENTS=true runs such files by themselves)"
        )
    parts.extend(f"{path}: {message}" for path, message in plan.problems)
    return "; ".join(parts)
