"""``appeval tau compare``: two experiments on the tasks that both have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.markup import escape

from appeval_pipeline.cli.tau_names import Env, TaskSplit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from appeval_pipeline.cli.tau_trials import NamedTrials
    from appeval_pipeline.taubench.breakdown import Breakdown
    from appeval_pipeline.taubench.comparing import ExperimentComparison
    from appeval_pipeline.taubench.faults import FaultKind

_MOST_TASKS: Final = 10
_LEAST_P: Final = 0.0001
_TESTS: Final = {
    "mcnemar": "McNemar's exact test",
    "sign_flip_exact": "all ways to flip the signs of the tasks' differences",
    "sign_flip_random": "10,000 random ways to flip the signs of the tasks' differences",
}


def compare(
    first: Annotated[
        str,
        typer.Argument(help="A results file, or a stored experiment.", metavar="FILE_A", show_default=False),
    ],
    second: Annotated[str, typer.Argument(help="Another one.", metavar="FILE_B", show_default=False)],
    env: Annotated[
        Env | None, typer.Option(help="Whose tasks they are.", show_default="as the files say")
    ] = None,
    task_split: Annotated[TaskSplit, typer.Option(help="Which of its tasks.")] = TaskSplit.TEST,
    seed: Annotated[int, typer.Option(help="Of the bootstrap, and of flips that are drawn.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two experiments task by task: the differences of pass^k, how sure they are, and where.

    Only tasks that both have count, with the trials that were scored. Exits with 2 if there is none.
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.cli.tau_trials import find_trials
    from appeval_pipeline.taubench import comparing

    before, after = find_trials(first, env, task_split), find_trials(second, env, task_split)
    breakdowns = _breakdowns(before, after)
    why_not = before.why_not or after.why_not
    made = comparing.compare(before.results, after.results, breakdowns=breakdowns, seed=seed)
    if as_json:
        print_json({"first": first, "second": second, **made.to_dict(), "unexplained_because": why_not})
        return
    _show(before.name, after.name, made)
    if why_not is not None:
        typer.echo(f"Faults are not told: {why_not}")


def _breakdowns(before: NamedTrials, after: NamedTrials) -> tuple[Breakdown, Breakdown] | None:
    from appeval_pipeline.errors import TauBenchError
    from appeval_pipeline.taubench.breakdown import break_down

    if before.domain and after.domain and before.domain != after.domain:
        raise TauBenchError(
            f"{before.name} is of {before.domain}, {after.name} of {after.domain}: no task is common"
        )
    if before.explained_by is None or after.explained_by is None:
        return None
    return (
        break_down(before.results, before.explained_by),
        break_down(after.results, after.explained_by),
    )


def _show(first: str, second: str, made: ExperimentComparison) -> None:
    from appeval_pipeline.cli.rendering import console

    out = console()
    tasks = made.by_k[1].task_count
    out.print(
        f"A {first}, B {second}: {tasks} common task{'' if tasks == 1 else 's'}",
        style="bold",
        soft_wrap=True,
        markup=False,
    )
    for name, only in (("A", made.first_only), ("B", made.second_only)):
        if only:
            out.print(f"[yellow]left out[/] only {name} has: {', '.join(map(str, only))}", soft_wrap=True)
    _show_differences(made)
    _show_tasks(made)
    _show_faults(made)


def _show_differences(made: ExperimentComparison) -> None:
    from appeval_pipeline.cli.rendering import console, table

    out = console()
    numbers = ("A", "B", "B - A", "95% interval", "p", "detectable")
    rows = table("", *numbers, numbers=numbers)
    for k, one in made.by_k.items():
        detectable = "-" if one.minimum_detectable is None else f"{one.minimum_detectable:.3f}"
        rows.add_row(
            f"pass^{k}",
            f"{one.first:.3f}",
            f"{one.second:.3f}",
            f"{one.difference:+.3f}",
            f"{one.low:+.3f} to {one.high:+.3f}",
            f"{one.p_value:.4f}" if one.p_value >= _LEAST_P else f"<{_LEAST_P}",
            detectable,
        )
    out.print(rows)
    one = made.by_k[1]
    out.print(
        f"pass^1: B is better on {one.second_better} tasks, worse on {one.second_worse}; p by "
        f"{_TESTS[one.test]}. {_verdict(one.low, one.high)}",
        soft_wrap=True,
    )
    told = ["-" if icc is None else f"{icc:.2f}" for icc in (made.first_correlation, made.second_correlation)]
    out.print(f"Trials of a task are alike: ICC {told[0]} in A, {told[1]} in B", soft_wrap=True)


def _verdict(low: float, high: float) -> str:
    if low <= 0 <= high:
        return "The interval has 0 in it: neither is shown to be better."
    return f"The interval leaves out 0: {'B' if low > 0 else 'A'} is better."


def _show_tasks(made: ExperimentComparison) -> None:
    from appeval_pipeline.cli.rendering import console, table

    if not made.tasks:
        return
    numbers = ("task", "A", "B", "B - A")
    rows = table(*numbers, "faults in A", "faults in B", numbers=numbers)
    for task in made.tasks[:_MOST_TASKS]:
        rows.add_row(
            str(task.task_id),
            f"{task.first:.2f}",
            f"{task.second:.2f}",
            f"{task.difference:+.2f}",
            _counted(task.first_faults),
            _counted(task.second_faults),
        )
    out = console()
    out.print("Tasks that differ most, by the share of trials that succeeded", style="bold", soft_wrap=True)
    out.print(rows)
    if len(made.tasks) > _MOST_TASKS:
        out.print(f"and {len(made.tasks) - _MOST_TASKS} more; --json has all", soft_wrap=True)


def _show_faults(made: ExperimentComparison) -> None:
    from appeval_pipeline.cli.rendering import console, table

    if not made.faults:
        return
    numbers = ("A", "B", "B - A")
    rows = table("fault", *numbers, numbers=numbers)
    for one in made.faults:
        rows.add_row(one.kind, f"{one.first:.0%}", f"{one.second:.0%}", f"{one.second - one.first:+.0%}")
    out = console()
    out.print("Trials on common tasks that have a fault", style="bold", soft_wrap=True)
    out.print(rows)


def _counted(faults: Mapping[FaultKind, int]) -> str:
    return escape(", ".join(f"{kind} ({count})" for kind, count in faults.items()))
