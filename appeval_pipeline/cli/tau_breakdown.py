"""How an agent's faults, and its tasks, are shown on a terminal and written for a spreadsheet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.markup import escape

from appeval_pipeline.cli.rendering import console, table
from appeval_pipeline.taubench.faults import FAULT_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from appeval_pipeline.taubench.breakdown import Breakdown, TaskReport
    from appeval_pipeline.taubench.labelling import Labels

_MOST_TASKS: Final = 20
"""Failed tasks that are listed unless all are asked for."""


def show_breakdown(breakdown: Breakdown, *, all_tasks: bool = False) -> None:
    """Print what went wrong how often, and the tasks: those that failed most, or all of them."""
    if breakdown.failed:
        _show_faults(breakdown)
    _show_tasks(breakdown, all_tasks)


def show_labels(labels: Labels) -> None:
    """Print what a model made of failed trials."""
    out = console()
    judged = len(labels.opinions)
    out.print(f"[bold]Opinion of {escape(labels.model)} on {judged} failed trials[/]; no part of the score")
    made = table("caused by", "kind", "trials", numbers=("trials",))
    for (author, kind), trials in labels.counts.items():
        made.add_row(author, kind, str(trials))
    if labels.invalid:
        made.add_row("(no valid answer)", "", str(labels.invalid))
    out.print(made)
    cost = labels.usage.cost_usd
    out.print(f"Cost of it: {'not known' if cost is None else f'${cost:.4f}'}", soft_wrap=True)


def write_trials(path: Path, breakdown: Breakdown) -> None:
    """Write a row a trial as CSV that a spreadsheet opens without running anything.

    Raises:
        OSError: It cannot be written.
    """
    from appeval_pipeline.store.export.csv_files import csv_field
    from appeval_pipeline.taubench.breakdown import TRIAL_COLUMNS, trial_rows
    from appeval_pipeline.taubench.writing import write_whole

    lines = [",".join(TRIAL_COLUMNS)]
    lines += [",".join(map(csv_field, row)) for row in trial_rows(breakdown)]
    write_whole(path, "".join(f"{line}\r\n" for line in lines))


def _show_faults(breakdown: Breakdown) -> None:
    out = console()
    failed = breakdown.failed
    out.print(f"{failed} failed trial{'' if failed == 1 else 's'}; one may have several faults", style="bold")
    made = table("fault", "trials", "share", "what it is", numbers=("trials", "share"))
    for kind, trials in breakdown.faults.items():
        made.add_row(kind, str(trials), f"{trials / failed:.0%}", FAULT_KINDS[kind])
    if breakdown.unexplained:
        made.add_row(
            "(unexplained)",
            str(breakdown.unexplained),
            f"{breakdown.unexplained / failed:.0%}",
            "There are no messages, or done again it would have succeeded.",
        )
    out.print(made)


def _show_tasks(breakdown: Breakdown, all_tasks: bool) -> None:
    out = console()
    failed = sorted(
        (task for task in breakdown.tasks if task.successes < task.trials),
        key=lambda task: (task.successes / task.trials, task.task_id),
    )
    if all_tasks:
        out.print(_task_table(breakdown.tasks))
        return
    if not failed:
        return
    out.print(f"Tasks with a failed trial: {len(failed)} of {len(breakdown.tasks)}", style="bold")
    out.print(_task_table(failed[:_MOST_TASKS]))
    if len(failed) > _MOST_TASKS:
        out.print(f"and {len(failed) - _MOST_TASKS} more; --tasks shows all", soft_wrap=True)


def _task_table(tasks: Sequence[TaskReport]) -> object:
    numbers = ("task", "trials", "passed", "reward")
    made = table(*numbers, "commonest fault", "known issues", numbers=numbers)
    for task in tasks:
        commonest = task.commonest_fault
        made.add_row(
            str(task.task_id),
            str(task.trials),
            str(task.successes),
            "-" if task.average_reward is None else f"{task.average_reward:.2f}",
            "" if commonest is None else f"{commonest} ({task.faults[commonest]})",
            ", ".join(task.flags),
        )
    return made
