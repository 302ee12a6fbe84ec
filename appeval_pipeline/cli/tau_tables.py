"""How scores on tau-bench are shown on a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.markup import escape
from rich.table import Table

from appeval_pipeline.cli.rendering import console, table
from appeval_pipeline.taubench.leaderboard import OUTDATED, PUBLISHED_TRIALS, NoRow, OwnRow, PublishedRow

if TYPE_CHECKING:
    from appeval_pipeline.evaluation.statistics import Estimate
    from appeval_pipeline.taubench.scoring import Aggregates, Cost, TauScore

_MOST: Final = 5
"""Missing trials, and kinds of errors, that are listed."""
_NUMBERS: Final = ("value", "std. error", "95% interval")


def show_score(name: str, score: TauScore) -> None:
    """Print a table of estimates; two where some trials broke down; and what they rest on."""
    out = console()
    out.print(f"{name}: {_extent(score)}", style="bold", soft_wrap=True, markup=False)
    if score.infra_errors:
        out.print("Scored trials only", soft_wrap=True)
    out.print(_estimates(score.scored_only))
    _tell_precision(score.scored_only)
    if score.infra_errors:
        out.print("With trials that broke down counted as failures", soft_wrap=True)
        out.print(_estimates(score.errors_as_failures))
        _tell_precision(score.errors_as_failures)
    _tell_gaps(score)
    out.print(f"Cost: agent {_cost(score.agent_cost)}, user {_cost(score.user_cost)}", soft_wrap=True)
    out.print(f"[dim]{OUTDATED}[/]", soft_wrap=True)


def show_leaderboard(
    rows: Sequence[PublishedRow], own: Sequence[OwnRow] = (), lacking: Sequence[NoRow] = ()
) -> None:
    """Print published rows and one's own, with standard error, ICC and minimum detectable difference.

    Args:
        lacking: Experiments that are no rows, which is told.
    """
    ks = tuple(f"Pass^{k}" for k in (1, 2, 3, 4))
    numbers = ("tasks", *ks, "SE of Pass^1", "ICC", "detectable")
    made = table("domain", "Strategy", *numbers, numbers=numbers)
    for row in rows:
        made.add_row(
            row.domain,
            escape(row.strategy),
            str(row.task_count),
            *(f"{value:.3f}" for value in row.pass_hat_k),
            f"{row.standard_error:.4f}",
            f"{row.intraclass_correlation:.2f}",
            f"{row.minimum_detectable_difference:.3f}",
        )
    for row_of_own in own:
        made.add_row(*_own_cells(row_of_own), style="bold")
    out = console()
    out.print(made)
    for no_row in lacking:
        out.print(str(no_row), style="yellow", soft_wrap=True, markup=False)
    out.print(
        "Errors of published rows are from the published numbers alone, for "
        f"{PUBLISHED_TRIALS} trials a task. detectable: the "
        "true difference in Pass^1 from another such row that is found with power 0.8.",
        soft_wrap=True,
    )
    out.print(f"[dim]{OUTDATED}[/]", soft_wrap=True)


def _own_cells(row: OwnRow) -> tuple[str, ...]:
    first = row.pass_hat_k[1]
    return (
        row.domain,
        escape(row.strategy),
        str(row.task_count),
        *(_shown(one.value if one else None, 3) for one in row.pass_hat_k.values()),
        _shown(first.standard_error if first else None, 4),
        _shown(row.intraclass_correlation, 2),
        _shown(row.minimum_detectable_difference, 3),
    )


def _shown(value: float | None, decimals: int) -> str:
    return "-" if value is None else f"{value:.{decimals}f}"


def _extent(score: TauScore) -> str:
    everything, scored = score.errors_as_failures, score.scored_only
    tasks, trials = everything.task_count, everything.trial_count
    extent = f"{tasks} task{'' if tasks == 1 else 's'}, {trials} trial{'' if trials == 1 else 's'}"
    return extent if scored.trial_count == trials else f"{extent}, {scored.trial_count} of them scored"


def _estimates(aggregates: Aggregates) -> Table:
    made = table("", *_NUMBERS, numbers=_NUMBERS)
    for k, estimate in aggregates.pass_hat_k.items():
        _add(made, f"pass^{k}", estimate)
    _add(made, "overall score", aggregates.overall_score)
    _add(made, "average reward", aggregates.average_reward)
    return made


def _add(made: Table, name: str, estimate: Estimate | None) -> None:
    if estimate is None:
        made.add_row(name, "-", "-", "-")
        return
    error = "-" if estimate.standard_error is None else f"{estimate.standard_error:.4f}"
    made.add_row(name, f"{estimate.value:.3f}", error, f"{estimate.low:.3f}–{estimate.high:.3f}")


def _tell_precision(aggregates: Aggregates) -> None:
    out = console()
    undefined = [k for k, estimate in aggregates.pass_hat_k.items() if estimate is None]
    if undefined:
        fewest = aggregates.fewest_trials
        out.print(
            f"pass^{undefined[0]} is undefined: a task has {fewest} scored trial{'' if fewest == 1 else 's'}",
            soft_wrap=True,
        )
    if aggregates.intraclass_correlation is not None:
        out.print(f"Trials of a task are alike: ICC {aggregates.intraclass_correlation:.2f}", soft_wrap=True)
    if aggregates.minimum_detectable_difference is not None:
        out.print(
            "Smallest difference in pass^1 from another such run that is found with power 0.8: "
            f"{aggregates.minimum_detectable_difference:.3f}",
            soft_wrap=True,
        )


def _tell_gaps(score: TauScore) -> None:
    out = console()
    for missing in score.missing[:_MOST]:
        out.print(f"[yellow]missing[/] {missing}", soft_wrap=True)
    if len(score.missing) > _MOST:
        out.print(f"[yellow]missing[/] and trials of {len(score.missing) - _MOST} more tasks", soft_wrap=True)
    for error, count in list(score.infra_errors.items())[:_MOST]:
        out.print(f"[red]broke down[/] {count}×: {escape(error)}", soft_wrap=True)
    if not score.is_complete:
        out.print("This is no row for a leaderboard: tasks lack scored trials.", soft_wrap=True)


def _cost(cost: Cost) -> str:
    if cost.total_usd is None or cost.mean_usd is None:
        return "not known"
    return f"${cost.total_usd:.4f} (${cost.mean_usd:.4f} a trial)"
