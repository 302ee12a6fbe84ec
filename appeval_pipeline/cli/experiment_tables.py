"""How experiments of tau-bench stand, as a table, and what is wrong with them."""

from __future__ import annotations

from rich.markup import escape

from appeval_pipeline.cli.rendering import console, table
from appeval_pipeline.launch import ExperimentsSummary, ExperimentSummary

COLUMNS = ("experiment", "agent", "trials", "pass^1", "95% interval", "pass^4", "cost USD", "this run")
NUMBERS = ("trials", "pass^1", "pass^4", "cost USD")


def show_experiments(summary: ExperimentsSummary) -> None:
    """Print the experiments on stdout, and on stderr what went wrong or was left out."""
    if summary.experiments:
        made = table(*COLUMNS, numbers=NUMBERS)
        for one in summary.experiments:
            made.add_row(*_cells(one))
        console().print(made)
    _tell_troubles(summary)


def _cells(one: ExperimentSummary) -> tuple[str, ...]:
    overview = one.overview
    if overview is None:
        return (escape(one.name), *["-"] * (len(COLUMNS) - 2), one.progress.value)
    agent = " ".join(filter(None, (overview.agent, overview.model))) or "-"
    first, *_, fourth = overview.pass_hat_k
    low, high = overview.pass_hat_1_low, overview.pass_hat_1_high
    ended = f"{overview.trials_ended or 0}/{overview.trials_wanted}" if overview.trials_wanted else "-"
    return (
        escape(one.name),
        escape(agent),
        ended,
        _number(first, 3),
        "-" if low is None or high is None else f"{low:.3f} to {high:.3f}",
        _number(fourth, 3),
        _number(overview.cost_usd, 2),
        one.progress.value,
    )


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _tell_troubles(summary: ExperimentsSummary) -> None:
    err = console(stderr=True)
    lines = [f"[red]run failed[/] {escape(error)}" for error in summary.errors]
    lines += [
        f"[{'red' if verdict.severity == 'error' else 'yellow'}]{verdict.severity}[/] "
        f"{escape(verdict.partition_key)} {verdict.check}: {escape(verdict.message)}"
        for verdict in summary.verdicts
    ]
    lines += [f"[yellow]tau-bench[/] {escape(path)}: {escape(message)}" for path, message in summary.problems]
    if summary.missing is not None:
        lines.append(f"tau-bench experiments were left out. {escape(summary.missing)}")
    if summary.left:
        names = " ".join(summary.left)
        lines.append(
            f"These may cost money and are left: {escape(names)}; run them with appeval tau evaluate"
        )
    for line in lines:
        err.print(line, soft_wrap=True)
