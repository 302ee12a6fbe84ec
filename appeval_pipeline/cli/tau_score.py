"""``appeval tau score``: what a results file comes to, and where the agent failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from appeval_pipeline.cli.tau_names import Env, TaskSplit

if TYPE_CHECKING:
    from appeval_pipeline.agents.models import ModelSettings
    from appeval_pipeline.taubench.explaining import Explainer
    from appeval_pipeline.taubench.flagging import WithoutFlagged
    from appeval_pipeline.taubench.labelling import Labels
    from appeval_pipeline.taubench.results import TauResult

_JUDGE = "A judge of failed trials"


def score(
    file: Annotated[
        Path,
        typer.Argument(help="A results file as tau-bench writes it.", metavar="FILE", show_default=False),
    ],
    env: Annotated[
        Env | None,
        typer.Option(
            help="Whose tasks the results are of; every one must be there then.",
            show_default="retail, and no task need be there",
        ),
    ] = None,
    task_split: Annotated[TaskSplit, typer.Option(help="Which of its tasks.")] = TaskSplit.TEST,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Score what there is where tasks lack trials.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the bootstrap that intervals are from.")] = 0,
    tasks: Annotated[
        bool, typer.Option("--tasks", help="Show all tasks, not only those that failed most.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(help="Write the trials with their faults to this file, in tau-bench's form."),
    ] = None,
    csv: Annotated[Path | None, typer.Option(help="Write a row a trial to this CSV file.")] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            help="A model that judges failed trials: who caused it, and how. No part of the score.",
            metavar="MODEL",
            rich_help_panel=_JUDGE,
        ),
    ] = None,
    judge_provider: Annotated[
        str | None, typer.Option(help="Where the name does not tell.", rich_help_panel=_JUDGE)
    ] = None,
    judge_api_base: Annotated[
        str | None,
        typer.Option(help="Address of a service that speaks OpenAI's protocol.", rich_help_panel=_JUDGE),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Score a results file: pass^1 to pass^4 and the rest, each with its standard error and interval.

    Where tau-bench's tasks are installed, the faults of failed trials are told. Exits with 2 if the file
    cannot be used: cut off, with a trial twice, with tasks that there are not or that lack trials.
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.cli.tau_breakdown import show_breakdown, show_labels, write_trials
    from appeval_pipeline.cli.tau_outputs import refuse_unwritable
    from appeval_pipeline.cli.tau_tables import show_score
    from appeval_pipeline.errors import TauBenchError
    from appeval_pipeline.taubench import scoring
    from appeval_pipeline.taubench.breakdown import break_down, with_faults
    from appeval_pipeline.taubench.results import missing_trials, read_results, refuse_missing, write_results

    for option, path in (("--output", output), ("--csv", csv)):
        refuse_unwritable(option, path)
    asked = _judge_settings(judge, judge_provider, judge_api_base)
    task_ids = split_ids(env or Env.RETAIL, task_split)
    results = read_results(file, task_ids)
    wanted = task_ids if env else None
    if not allow_missing:
        refuse_missing(missing_trials(results, wanted), file, "--allow-missing scores what there is")
    made = scoring.score(results, task_ids=wanted, seed=seed)
    explainer, why_not = explainer_or_reason(results, env, task_split)
    breakdown = break_down(results, explainer)
    flagged = _without_flagged(explainer, results, seed)
    if asked is not None and explainer is None:
        raise TauBenchError(f"A judge has to know the tasks. {why_not}")
    labels = _labels(results, explainer, asked, seed)
    if output is not None:
        write_results(output, with_faults(breakdown))
    if csv is not None:
        write_trials(csv, breakdown)
    if as_json:
        parts = {
            "without_flagged": [one.to_dict() for one in flagged],
            "breakdown": breakdown.to_dict(),
            "unexplained_because": why_not,
            "labels": labels.to_dict() if labels else None,
        }
        print_json({"file": str(file), **made.to_dict(), **parts})
        return
    show_score(file.name, made)
    for one in flagged:
        typer.echo(one)
    if explainer is not None:
        show_breakdown(breakdown, all_tasks=tasks)
    elif tasks:
        show_breakdown(breakdown, all_tasks=True)
    if labels is not None:
        show_labels(labels)
    if why_not is not None:
        typer.echo(f"Faults are not told: {why_not}")


def _judge_settings(model: str | None, provider: str | None, api_base: str | None) -> ModelSettings | None:
    from appeval_pipeline.agents.models import ModelSettings, check_model
    from appeval_pipeline.errors import SettingsError

    if model is None:
        if provider is not None or api_base is not None:
            raise SettingsError("A judge's provider or address is given, and no model: name it as --judge")
        return None
    settings = ModelSettings(model, provider, api_base)
    check_model(settings)
    return settings


def _labels(
    results: Sequence[TauResult], explainer: Explainer | None, asked: ModelSettings | None, seed: int
) -> Labels | None:
    import asyncio

    from appeval_pipeline.agents.models import LitellmModel
    from appeval_pipeline.cli.agent_progress import TrialProgress
    from appeval_pipeline.cli.rendering import console
    from appeval_pipeline.taubench.labelling import is_to_be_judged, label_failures

    if asked is None or explainer is None:
        return None
    explained = [explainer.explain(result) for result in results if not result.succeeded]
    trials = [trial for trial in explained if trial is not None and is_to_be_judged(trial)]
    with TrialProgress(console(stderr=True), len(trials)) as progress:
        progress.begin("opinions", 0)
        judging = label_failures(trials, LitellmModel(asked), seed=seed, tell=progress.advance)
        return asyncio.run(judging)


def _without_flagged(
    explainer: Explainer | None, results: Sequence[TauResult], seed: int
) -> tuple[WithoutFlagged, ...]:
    """pass^1 without the tasks of known issues, where it is certain which tasks they are."""
    from appeval_pipeline.taubench.flagging import without_flagged

    if explainer is None or not explainer.by_id:
        return ()
    known = [
        explainer.by_id[task] for task in sorted({one.task_id for one in results} & set(explainer.by_id))
    ]
    return tuple(without_flagged(explainer.suite, known, results, seed=seed))


def explainer_or_reason(
    results: Sequence[TauResult], env: Env | None, split: TaskSplit
) -> tuple[Explainer | None, str | None]:
    """What explains trials, or why nothing can: a score needs no tasks."""
    from appeval_pipeline.errors import TauBenchError
    from appeval_pipeline.taubench.explaining import explainer_for

    try:
        return explainer_for(results, env.value if env else None, split.value), None
    except TauBenchError as error:
        return None, str(error)


def split_ids(env: Env, split: TaskSplit) -> range:
    """The ids of a split's tasks.

    Raises:
        SettingsError: The domain has no such split.
    """
    from appeval_pipeline.errors import SettingsError
    from appeval_pipeline.taubench.leaderboard import SPLIT_SIZES

    size = SPLIT_SIZES.get((env.value, split.value))
    if size is None:
        known = ", ".join(name for domain, name in SPLIT_SIZES if domain == env)
        raise SettingsError(f"--task-split: {env} has no split '{split}'; expected {known}")
    return range(size)
