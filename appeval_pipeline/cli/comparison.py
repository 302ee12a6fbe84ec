"""A comparison of two versions, on a terminal: the verdict first, then what broke and where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from rich.markup import escape
from rich.padding import Padding

from appeval_pipeline.cli import comparison_findings as findings
from appeval_pipeline.cli.rendering import console, table
from appeval_pipeline.evaluation import RegressionReport
from appeval_pipeline.evaluation.regression import InterfaceChange, VersionFailure

_MOST: Final = 8
"""Of each kind of finding that does not break, so many are shown."""
_STYLES: Final = {"breaking": "red", "warning": "yellow", "compatible": "green"}


def print_report(report: RegressionReport) -> None:
    """Print ``report`` on stdout."""
    out = console()
    for line in _lines(report):
        if not line:
            out.print()
            continue
        text = line.lstrip(" ")
        # Where the terminal is too narrow, what is wrapped stays below its beginning.
        out.print(Padding(text, (0, 0, 0, len(line) - len(text)), expand=False))
    rows = list(findings.timing_rows(report))
    if rows:
        first, *others = findings.TIMING_COLUMNS
        made = table(f"  {first}", *others, numbers=("old", "new", "ratio"))
        for action, *cells in rows:
            made.add_row(f"  {action}", *cells)
        out.print(made)


def _lines(report: RegressionReport) -> Iterator[str]:
    yield _verdict(report)
    if report.failures:
        yield ""
        yield "[bold]What held and fails now[/]"
        for _, failures in groupby(report.failures, key=lambda failure: failure.scenario):
            yield from _failure_lines(tuple(failures))
    if report.interface_changes:
        yield ""
        yield "[bold]Interface[/]"
        yield from _interface_lines(report.interface_changes)
    if report.output_changes:
        yield ""
        yield "[bold]Other output where the scenarios hold[/]"
        yield from _output_lines(report)
    yield ""
    for title, names in findings.name_lists(report):
        yield escape(f"{title}: {', '.join(names)}")
    yield findings.quality_line(report)
    yield findings.speed_line(report)


def _verdict(report: RegressionReport) -> str:
    name = f"[bold]{escape(report.app_id)} {report.old_version} → {report.new_version}[/]"
    if report.is_empty:
        return f"{name}: [green]no change[/]"
    if found := findings.breaks(report):
        return f"{name}: [bold red]BREAKING[/], {found}"
    return f"{name}: [green]compatible[/]: no scenario newly fails, the interface holds"


def _failure_lines(failures: tuple[VersionFailure, ...]) -> Iterator[str]:
    """The first failure of a scenario; those after it mostly follow from it."""
    first, rest = failures[0], failures[1:]
    action = f" [dim]({escape(first.action)})[/]" if first.action else ""
    yield f"  [red]✗[/] {escape(first.scenario)} › {escape(first.step)}{action}"
    if first.action is None or "success" in first.expected:
        yield escape(f"      {first.error}")
    else:
        width = max(map(len, first.expected))
        for path, expected in first.expected.items():
            actual = findings.value(first.actual[path]) if path in first.actual else "nothing"
            yield escape(f"      {path:<{width}}  expected {findings.value(expected)}, got {actual}")
    if rest:
        more = findings.count(len(rest), "failure")
        yield f"      [dim]and {more} after it in this scenario (--json lists all)[/]"


def _interface_lines(changes: Iterable[InterfaceChange]) -> Iterator[str]:
    for severity, group in groupby(changes, key=lambda change: change.severity):
        those = list(findings.merged(group))
        most = len(those) if severity == "breaking" else _MOST
        for message in those[:most]:
            yield f"  [{_STYLES[severity]}]{severity:<10}[/] {escape(message)}"
        if those[most:]:
            yield f"  [dim]{'':<10} … and {len(those) - most} more {severity} (--json lists all)[/]"


def _output_lines(report: RegressionReport) -> Iterator[str]:
    groups = findings.output_groups(report)
    for group in groups[:_MOST]:
        best = group.best
        yield f"  {escape(best.action)}: {escape(best.path)}"
        yield f"      {escape(group.old)} → {escape(group.new)}"
        more = f", and {findings.count(group.count - 1, 'more step')}" if group.count > 1 else ""
        yield f"      [dim]{escape(best.scenario)} › {escape(best.step)}{more}[/]"
    left_out = len(groups) - _MOST
    if left_out > 0:
        yield f"  [dim]… and {left_out} more kinds of change (--json lists all)[/]"
