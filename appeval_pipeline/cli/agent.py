"""``appeval agent``: how an agent gets on with an app's tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from appeval_pipeline.evaluation import AgentEvaluation


def agent(
    app: Annotated[str, typer.Argument(help="The app; its latest version is used.", metavar="APP")],
    name: Annotated[
        str,
        typer.Option("--agent", help="noop, random, oracle, or module:Class for one of your own."),
    ] = "oracle",
    task: Annotated[
        str | None, typer.Option(help="Only the task of this name, or in the file of this name.")
    ] = None,
    trials: Annotated[int, typer.Option(help="How often each task is tried.", min=1, max=1000)] = 1,
    seed: Annotated[int, typer.Option(help="Decides whatever is left to chance.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with every step.")] = False,
) -> None:
    """Let an agent try the tasks of an app, and show how it gets on; stores nothing.

    The oracle carries out the shortest plan that a search finds: no agent can do better.
    """
    from appeval_pipeline.appdef.catalogue import load_version
    from appeval_pipeline.cli.rendering import console, print_json
    from appeval_pipeline.evaluation.agents import EvaluationPlan, evaluate_agent
    from appeval_pipeline.evaluation.agents.naming import find_agent
    from appeval_pipeline.evaluation.suite import find_tasks, latest_versions
    from appeval_pipeline.settings import load_settings

    data_dir = load_settings().data_dir
    (entry,) = latest_versions(data_dir, [app])
    definition = load_version(data_dir, entry).app
    chosen = find_agent(name)
    evaluations = [
        evaluate_agent(definition, found, chosen, trials, EvaluationPlan(seed=seed))
        for found in find_tasks(data_dir, entry, task)
    ]
    if as_json:
        print_json([evaluation.to_dict() for evaluation in evaluations])
        return
    out = console()
    out.print(f"[bold]{entry.partition_key}[/], agent {name}, trials a task: {trials}", soft_wrap=True)
    out.print(_table(evaluations))
    for evaluation in evaluations:
        _tell_errors(evaluation)


def _table(evaluations: list[AgentEvaluation]) -> Table:
    from rich.markup import escape

    from appeval_pipeline.cli.rendering import table

    numbers = ("reached", "95% interval", "actions", "fewest", "efficiency", "apt", "errors", "repeated")
    made = table("task", *numbers, numbers=numbers)
    for evaluation in evaluations:
        rate = evaluation.goal_rate
        made.add_row(
            escape(evaluation.task),
            f"{rate.value:.0%}" if rate else "-",
            f"{rate.low:.0%}–{rate.high:.0%}" if rate else "-",
            _shown(evaluation.actions_to_goal, ".1f"),
            _fewest(evaluation),
            _shown(evaluation.efficiency_ratio, ".2f"),
            _shown(evaluation.appropriate_action_choice, ".2f"),
            str(evaluation.validation_errors + evaluation.logic_errors),
            str(evaluation.repeated_errors),
        )
    return made


def _fewest(evaluation: AgentEvaluation) -> str:
    if evaluation.optimal_actions is not None:
        return (
            f"{evaluation.optimal_actions}"
            if evaluation.optimal_is_exact
            else f"≤{evaluation.optimal_actions}"
        )
    return "none" if evaluation.optimal_is_exact else "?"


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _tell_errors(evaluation: AgentEvaluation) -> None:
    from rich.markup import escape

    from appeval_pipeline.cli.rendering import console

    out = console()
    for pattern in evaluation.error_patterns[:_MOST]:
        after = f" after {pattern.after}" if pattern.after else ""
        out.print(
            f"  [dim]{escape(evaluation.task)}[/] {pattern.count}× {pattern.action}{after}: "
            f"{pattern.error_kind}: {escape(pattern.error)}",
            soft_wrap=True,
        )
    broken = next((trial for trial in evaluation.trials if trial.trajectory.error), None)
    if broken is not None:
        out.print(
            f"  [red]{escape(evaluation.task)}[/] {evaluation.infra_errors} trials broke down: "
            f"{escape(str(broken.trajectory.error))}",
            soft_wrap=True,
        )


_MOST = 3
"""Error patterns of one task that are shown."""
