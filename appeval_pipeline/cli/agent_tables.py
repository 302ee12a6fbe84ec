"""How evaluations of an agent are shown on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.markup import escape
from rich.table import Table

from appeval_pipeline.agents import Usage
from appeval_pipeline.cli.rendering import console, table
from appeval_pipeline.evaluation import AgentEvaluation

_MOST: Final = 3
"""Error patterns of one task that are shown."""
_NUMBERS: Final = (
    "reached",
    "95% interval",
    "actions",
    "fewest",
    "efficiency",
    "apt",
    "errors",
    "repeated",
)


def show(title: str, evaluations: Sequence[AgentEvaluation]) -> None:
    """Print a table with a row a task, the errors that came up most, and what it took."""
    out = console()
    out.print(title, style="bold", soft_wrap=True, markup=False)
    out.print(_table(evaluations))
    for evaluation in evaluations:
        _tell_errors(evaluation)
    usage = sum((evaluation.usage for evaluation in evaluations), Usage())
    if usage.tokens:
        cost = "at unknown prices" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
        out.print(
            f"Tokens: {usage.prompt_tokens:,} in, {usage.completion_tokens:,} out; cost: {cost}",
            soft_wrap=True,
        )


def _table(evaluations: Sequence[AgentEvaluation]) -> Table:
    made = table("task", *_NUMBERS, numbers=_NUMBERS)
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
        bound = "" if evaluation.optimal_is_exact else "≤"
        return f"{bound}{evaluation.optimal_actions}"
    return "none" if evaluation.optimal_is_exact else "?"


def _shown(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _tell_errors(evaluation: AgentEvaluation) -> None:
    out = console()
    for pattern in evaluation.error_patterns[:_MOST]:
        after = f" after {pattern.after}" if pattern.after else ""
        out.print(
            f"  [dim]{escape(evaluation.task)}[/] {pattern.count}× {escape(pattern.action)}{escape(after)}: "
            f"{escape(pattern.error_kind)}: {escape(pattern.error)}",
            soft_wrap=True,
        )
    broken = next((trial for trial in evaluation.trials if trial.trajectory.error), None)
    if broken is not None:
        trials = f"{evaluation.infra_errors} trial" + ("" if evaluation.infra_errors == 1 else "s")
        out.print(
            f"  [red]{escape(evaluation.task)}[/] {trials} broke down: "
            f"{escape(str(broken.trajectory.error))}",
            soft_wrap=True,
        )
