"""What ``appeval agent`` shows while trials run."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from appeval_pipeline.agents import Trajectory


class TrialProgress:
    """A bar on stderr with the trials that have finished; on a terminal only, as long as it lasts.

    Args:
        total: All trials of all tasks.
    """

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=16),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal or console.is_dumb_terminal,
        )
        self._task = self._bar.add_task("starting", total=total)

    def __enter__(self) -> TrialProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()

    def begin(self, task: str, finished: int) -> None:
        """A task is next, ``finished`` trials of which an interrupted evaluation has left."""
        if finished:
            trials = f"{finished} trial" + ("" if finished == 1 else "s")
            self._console.print(
                f"{task}: going on after {trials} of an interrupted evaluation; --fresh does them again",
                soft_wrap=True,
                markup=False,
            )
        self._bar.update(self._task, description=task)

    def advance(self, trajectory: Trajectory | None = None) -> None:
        """A trial has finished."""
        self._bar.advance(self._task)
