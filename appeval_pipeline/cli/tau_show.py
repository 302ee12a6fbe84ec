"""``appeval tau show``: a task of tau-bench, and what happened in a trial of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from appeval_pipeline.cli.tau_names import Env, TaskSplit

if TYPE_CHECKING:
    from appeval_pipeline.taubench.describing import TaskDescription
    from appeval_pipeline.taubench.explaining import Explainer
    from appeval_pipeline.taubench.faults import Explanation
    from appeval_pipeline.taubench.results import TauResult


def show(
    task: Annotated[int, typer.Argument(help="A task's id.", metavar="TASK", min=0, show_default=False)],
    results: Annotated[
        str | None,
        typer.Option(help="A results file with trials of it, or a stored experiment.", metavar="FILE"),
    ] = None,
    trial: Annotated[
        int | None,
        typer.Option(help="Which of its trials.", min=0, show_default="the first that failed"),
    ] = None,
    env: Annotated[
        Env | None, typer.Option(help="The domain.", show_default="as the file says, else retail")
    ] = None,
    task_split: Annotated[TaskSplit, typer.Option(help="Which of its tasks.")] = TaskSplit.TEST,
    full: Annotated[bool, typer.Option("--full", help="Cut no long text.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with all trials of the file.")] = False,
) -> None:
    """Show what a task expects and what is wrong with it; with results, a trial step by step.

    Each step is told with what it wrote, the reward with its parts, and a failure with its faults.
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.cli.tau_show_tables import show_task, show_trial, show_trials
    from appeval_pipeline.taubench.describing import trial_to_dict

    trials: tuple[Explanation, ...] = ()
    if results is None:
        if trial is not None:
            raise typer.BadParameter("--trial needs the file that has it: --results FILE")
        description = _described(task, env or Env.RETAIL, task_split)
    else:
        description, trials = _tried(task, results, env, task_split)
    chosen = _chosen(trials, trial)
    if as_json:
        told = [trial_to_dict(one) for one in trials if trial is None or one is chosen]
        print_json(description.to_dict() | ({} if results is None else {"trials": told}))
        return
    show_task(description, full=full)
    if len(trials) > 1:
        show_trials(trials)
    if chosen is not None:
        show_trial(chosen, full=full)


def _described(task: int, env: Env, split: TaskSplit) -> TaskDescription:
    from appeval_pipeline.taubench import load_suite, select_tasks
    from appeval_pipeline.taubench.describing import describe_task

    suite = load_suite(env.value, split.value)
    (found,) = select_tasks(suite.tasks, str(task))
    return describe_task(suite, found)


def _tried(
    task: int, name: str, env: Env | None, split: TaskSplit
) -> tuple[TaskDescription, tuple[Explanation, ...]]:
    from appeval_pipeline.errors import TauBenchError
    from appeval_pipeline.taubench.describing import describe_task

    path = Path(name)
    explainer, results = _of_file(path, env, split) if path.is_file() else _of_experiment(name, task)
    of_task = [result for result in results if result.task_id == task]
    if not of_task:
        raise TauBenchError(f"{name} has no trial of task {task}; it has trials of {_tasks(results)}")
    trials = tuple(found for result in of_task if (found := explainer.explain(result)) is not None)
    if not trials:
        raise TauBenchError(f"{name} does not bring task {task}, and it is not known of which split it is")
    return describe_task(explainer.suite, trials[0].task), trials


def _of_file(path: Path, env: Env | None, split: TaskSplit) -> tuple[Explainer, tuple[TauResult, ...]]:
    from appeval_pipeline.cli.tau_score import split_ids
    from appeval_pipeline.taubench.explaining import explainer_for
    from appeval_pipeline.taubench.results import read_results

    results = read_results(path, split_ids(env, split) if env else None)
    return explainer_for(results, env.value if env else None, split.value), results


def _of_experiment(name: str, task: int) -> tuple[Explainer, tuple[TauResult, ...]]:
    """As it is stored; of the other tasks' trials without what happened in them."""
    from appeval_pipeline.cli.tau_trials import find_experiment
    from appeval_pipeline.store.experiments.explained import read_trials
    from appeval_pipeline.taubench import load_suite
    from appeval_pipeline.taubench.explaining import explainer_of_suite

    store, stored = find_experiment(name)
    explainer = explainer_of_suite(load_suite(str(stored.env), str(stored.task_split)))
    return explainer, read_trials(store, stored, task) or stored.results


def _chosen(trials: Sequence[Explanation], number: int | None) -> Explanation | None:
    from appeval_pipeline.errors import TauBenchError

    if not trials:
        return None
    if number is None:
        return next((one for one in trials if not one.result.succeeded), trials[0])
    for one in trials:
        if one.result.trial == number:
            return one
    known = ", ".join(str(one.result.trial) for one in trials)
    raise TauBenchError(f"There is no trial {number} of task {trials[0].task.id}; expected one of: {known}")


def _tasks(results: Sequence[TauResult]) -> str:
    ids = sorted({result.task_id for result in results})
    return f"task {ids[0]}" if len(ids) == 1 else f"{len(ids)} tasks, {ids[0]} to {ids[-1]}"
