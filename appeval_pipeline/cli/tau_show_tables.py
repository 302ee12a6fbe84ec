"""How a task of tau-bench, and a trial of it, are shown on a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.markup import escape

from appeval_pipeline.agents import Reply, ToolCall
from appeval_pipeline.cli.rendering import console, table
from appeval_pipeline.taubench.describing import changed_fields
from appeval_pipeline.taubench.faults import told_call
from appeval_pipeline.taubench.records import ABSENT

if TYPE_CHECKING:
    from appeval_pipeline.taubench.describing import TaskDescription
    from appeval_pipeline.taubench.faults import Explanation
    from appeval_pipeline.taubench.judging import FieldDifference
    from appeval_pipeline.taubench.playing import Played
    from appeval_pipeline.taubench.steps import TauStep

_LONGEST: Final = 200
"""Characters of a text unless all are asked for."""


def show_task(description: TaskDescription, *, full: bool = False) -> None:
    """Print what a task expects, with what each expected action does, and its known issues."""
    task = description.task
    _print(f"[bold]Task {task.id} of {description.domain}[/], customer {escape(task.user_id)}")
    _print(escape(task.instruction))
    _print("[bold]Expected actions[/]" if task.actions else "No action is expected.")
    played = {one.place: one for one in description.expected.calls}
    for place, call in enumerate(task.actions):
        _print(f"{place:>4}  {escape(told_call(call))}")
        if place not in played:
            _print("      ends the episode; it is not called for the reward")
        else:
            _tell(_effects(played[place], full))
    if task.outputs:
        _print(f"[bold]Must be said:[/] {escape(', '.join(map(repr, task.outputs)))}")
    for flag, reason in description.flags.items():
        _print(f"[yellow]known issue {flag}:[/] {escape(reason)}")


def show_trials(trials: Sequence[Explanation]) -> None:
    """Print a table of the trials of a task."""
    numbers = ("trial", "reward", "steps")
    made = table(*numbers, "end", "faults", numbers=numbers)
    for trial in trials:
        result = trial.result
        made.add_row(
            str(result.trial),
            "-" if result.reward is None else f"{result.reward:g}",
            str(len(trial.steps)),
            escape(str(result.info.get("end", "-"))),
            ", ".join(dict.fromkeys(fault.kind for fault in trial.faults)),
        )
    console().print(made)


def show_trial(trial: Explanation, *, full: bool = False) -> None:
    """Print a trial step by step, the parts of its reward, and its faults."""
    result = trial.result
    _print(f"[bold]Trial {result.trial}[/]")
    played = {one.place: one for one in trial.made.calls}
    for step in trial.steps:
        _tell(_step(step, played.get(step.index), full))
        for fault in trial.faults:
            if fault.step == step.index:
                _print(f"      [red]{fault.kind}:[/] {escape(fault.detail)}")
    if not trial.steps:
        _print("      It has no step.")
    _show_reward(trial)
    for fault in trial.faults:
        if fault.step is None:
            _print(f"[red]{fault.kind}:[/] {escape(fault.detail)}")


def _show_reward(trial: Explanation) -> None:
    result, verdict = trial.result, trial.verdict
    if result.error is not None:
        _print(f"[bold]No reward:[/] it broke down: {escape(result.error.strip().partition(chr(10))[0])}")
        return
    _print(f"[bold]Reward {result.reward:g}[/]")
    _print(f"database: {'as it must be' if verdict.database_equal else 'not as it must be'}")
    for difference in verdict.differences:
        for field in difference.fields:
            place = f"{difference.key.table} {difference.key.record} {field.path}".strip()
            _print(f"      {escape(place)}: {escape(_sides(field, 'expected', 'found'))}")
    for output, said in verdict.outputs.items():
        _print(f"output {escape(repr(output))}: {'said' if said else 'not said'}")
    if bool(verdict.reward) != result.succeeded:
        _print(
            f"Database and outputs alone would be worth {verdict.reward:g}"
            + (f": it ended by {escape(str(end))}" if (end := result.info.get("end")) else "")
        )


def _step(step: TauStep, played: Played | None, full: bool) -> Iterator[str]:
    number = f"{step.index:>4}  "
    match step.action:
        case ToolCall():
            yield f"{number}{escape(told_call(step.action))}"
            yield f"      → {escape(_cut(step.answer, full))}"
            if played is not None:
                yield from _writes(played)
        case Reply(content):
            yield f"{number}[bold]agent:[/] {escape(_cut(content, full))}"
            yield f"      [bold]user:[/] {escape(_cut(step.answer, full))}"
        case invalid:
            yield f"{number}[red]no action:[/] {escape(_cut(invalid.raw, full))}"
            yield f"      {escape(invalid.reason)}"


def _effects(played: Played, full: bool) -> Iterator[str]:
    if played.answer.error_kind is not None:
        yield f"      [yellow]{played.answer.error_kind}:[/] {escape(_cut(played.answer.content, full))}"
    yield from _writes(played)


def _writes(played: Played) -> Iterator[str]:
    for written in played.written:
        changes = "; ".join(
            f"{field.path}: {_change(field)}" if field.path else _change(field)
            for field in changed_fields(written)
        )
        yield f"      [green]wrote[/] {escape(f'{written.key.table} {written.key.record}: {changes}')}"


def _change(field: FieldDifference) -> str:
    before, after = field.expected, field.actual
    if isinstance(before, list) and isinstance(after, list) and before and after[: len(before)] == before:
        return f"+ {', '.join(map(_value, after[len(before) :]))}"
    return f"{_value(field.expected)} → {_value(field.actual)}"


def _sides(field: FieldDifference, first: str, second: str) -> str:
    return f"{first} {_value(field.expected)}, {second} {_value(field.actual)}"


def _value(value: Any) -> str:
    return "nothing" if value is ABSENT else _cut(json.dumps(value, ensure_ascii=False), False)


def _cut(text: str | None, full: bool) -> str:
    if text is None:
        return "(no answer)"
    return text if full or len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _tell(lines: Iterator[str]) -> None:
    for line in lines:
        _print(line)


def _print(markup: str) -> None:
    console().print(markup, soft_wrap=True)
