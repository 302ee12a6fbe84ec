"""What a run changed, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from appeval_pipeline.store.changes import Change, ChangeKind

if TYPE_CHECKING:
    from appeval_pipeline.launch import RunSummary

SHOWN_CHANGES = 10

Value = str | float | None


def change_lines(summary: RunSummary) -> list[str]:
    """What is different from the last time, in rich's markup: a heading, and the most telling changes.

    Nothing if no version was evaluated again.
    """
    again = summary.evaluated_count - summary.first_count
    if not summary.changes:
        if again <= 0:
            return []
        return [f"Nothing changed in {again} app version{'' if again == 1 else 's'} evaluated again."]
    lines = [_changed(change) for change in summary.changes[:SHOWN_CHANGES]]
    rest = len(summary.changes) - len(lines)
    if rest:
        lines.append(f"  … and {rest} more (--json shows all)")
    first = f", {summary.first_count} evaluated for the first time" if summary.first_count else ""
    return [f"Changed since the last time{first}:", *lines]


def _changed(change: Change) -> str:
    before, after = _texts(change.before, change.after)
    match change.kind:
        case ChangeKind.TIMING:
            what = f"{change.name} takes {after} times as long as in the baseline"
        case ChangeKind.METRIC:
            what = f"{change.name} {before} → {after}"
        case ChangeKind.SCENARIO | ChangeKind.CHECK:
            what = f"{change.kind.value} {change.name}: {before} → {after}"
    style = "red" if change.is_worse else "green"
    return f"  [{style}]{escape(change.partition_key)}[/] {escape(what)}"


def _texts(before: Value, after: Value) -> tuple[str, str]:
    """Two values: numbers with as many digits as tell them apart."""
    if not isinstance(before, float) or not isinstance(after, float):
        return _text(before), _text(after)
    texts = "", ""
    for digits in range(0 if before.is_integer() and after.is_integer() else 1, 16):
        texts = f"{before:.{digits}f}", f"{after:.{digits}f}"
        if texts[0] != texts[1]:
            break
    return texts


def _text(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    return value or "none"
