"""What ``appeval run`` and ``appeval tau evaluate`` show while they run."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

if TYPE_CHECKING:
    from appeval_pipeline.defs.execution import Step
    from appeval_pipeline.store.experiments import ExperimentPlan
    from appeval_pipeline.store.freshness import Plan


class RunProgress:
    """What happens, on stderr: a line when it begins; on a terminal also a bar, as long as it lasts."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._open = ExitStack()
        self._bar: Progress | None = None

    def __enter__(self) -> RunProgress:
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()

    def announce(self, plan: Plan) -> None:
        """Say what will be evaluated."""
        if not plan.needs:
            return
        self._begin(_count(len(plan.needs), "app version"), len(plan.fresh))

    def announce_experiments(self, plan: ExperimentPlan) -> None:
        """Say which experiments will be carried out."""
        if plan.needs:
            self._begin(_count(len(plan.needs), "tau-bench experiment"), len(plan.fresh))

    def _begin(self, what: str, fresh: int) -> None:
        self._open.close()  # the bar of what was announced before
        self._bar = None
        self._console.print(f"Evaluating {what}, {fresh} up to date …")
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._bar = self._open.enter_context(self._draw())
            self._bar.add_task("starting", total=None)

    def follow(self, step: Step) -> None:
        """Show the step that begins."""
        if self._bar is not None:
            what = "experiment" if step.name.startswith("tau_") else "app version"
            description = f"{step.name} of {_count(step.version_count, what)}"
            (task,) = self._bar.task_ids
            self._bar.update(
                task, description=description, total=step.total, completed=step.number - 1, refresh=True
            )

    def _draw(self) -> Progress:
        # Dagster copies what goes to stderr during a step into the step's log: draw past it.
        terminal = os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding="utf-8")
        return Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=Console(file=self._open.enter_context(terminal), highlight=False),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
