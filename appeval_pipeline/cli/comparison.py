"""A comparison of two versions, for people: the verdict first, then what broke and where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from rich.markup import escape
from rich.padding import Padding

from appeval_pipeline.cli.rendering import console, table
from appeval_pipeline.evaluation import RegressionReport
from appeval_pipeline.evaluation.regression import InterfaceChange, OutputChange, VersionFailure
from appeval_pipeline.evaluation.scenarios.matching import shown

_MOST: Final = 8
"""Of each kind of finding that does not break, so many are shown."""
_LONGEST: Final = 60
"""Characters of a value that are shown."""
_STYLES: Final = {"breaking": "red", "warning": "yellow", "compatible": "green"}
_NUMBERS: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")


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
    significant = [action for action in report.timing if action.is_significant]
    if significant:
        made = table("  action", "old", "new", "ratio", "99.9% interval", numbers=("old", "new", "ratio"))
        for action in significant:
            made.add_row(
                f"  {action.action}",
                _duration(action.old_median_ms),
                _duration(action.new_median_ms),
                f"{action.ratio:.2f}",
                f"{action.low:.2f} to {action.high:.2f}",
            )
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
    yield from _name_lines("Fixed", report.fixed_tests)
    yield from _name_lines("Failing in both", report.still_failing)
    yield from _name_lines("Not compared, as they do not apply to both", report.not_compared)
    yield _quality_line(report)
    yield _speed_line(report)


def _verdict(report: RegressionReport) -> str:
    name = f"[bold]{escape(report.app_id)} {report.old_version} → {report.new_version}[/]"
    if report.is_empty:
        return f"{name}: [green]no change[/]"
    breaking = sum(change.severity == "breaking" for change in report.interface_changes)
    found = []
    if report.new_failures:
        found.append(f"{_count(len(report.new_failures), 'scenario')} newly failing")
    if breaking:
        found.append(_count(breaking, "breaking interface change"))
    if found:
        return f"{name}: [bold red]BREAKING[/], {', '.join(found)}"
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
            actual = _shown(first.actual[path]) if path in first.actual else "nothing"
            yield escape(f"      {path:<{width}}  expected {_shown(expected)}, got {actual}")
    if rest:
        yield f"      [dim]and {_count(len(rest), 'failure')} after it in this scenario (--json lists all)[/]"


def _interface_lines(changes: Iterable[InterfaceChange]) -> Iterator[str]:
    for severity, group in groupby(changes, key=lambda change: change.severity):
        those = list(_merged(group))
        most = len(those) if severity == "breaking" else _MOST
        for message in those[:most]:
            yield f"  [{_STYLES[severity]}]{severity:<10}[/] {escape(message)}"
        if those[most:]:
            yield f"  [dim]{'':<10} … and {len(those) - most} more {severity} (--json lists all)[/]"


def _merged(changes: Iterable[InterfaceChange]) -> Iterator[str]:
    """The messages; what becomes of several results of an action is one."""

    def cause(change: InterfaceChange) -> tuple[str, str]:
        of_result = change.kind in ("result_added", "result_removed")
        return change.kind, change.location.rpartition(".")[0] if of_result else change.message

    for _, group in groupby(changes, key=cause):
        first, *rest = group
        yield ", ".join([first.message, *(f"'{change.location.rpartition('.')[2]}'" for change in rest)])


def _output_lines(report: RegressionReport) -> Iterator[str]:
    groups: dict[tuple[str, ...], list[OutputChange]] = {}
    for change in report.output_changes:
        groups.setdefault(_cause(change), []).append(change)
    for those in list(groups.values())[:_MOST]:
        # A value says more than a null or an empty text does, and a short one is read faster.
        telling = [one for one in those if one.old or one.new] or those
        best = min(telling, key=lambda one: len(shown(one.old)) + len(shown(one.new)))
        old = "nothing" if best.kind == "added" else _shown(best.old)
        new = "nothing" if best.kind == "removed" else _shown(best.new)
        if old == new:
            # Ids compare by what they stand for: the same digits may be the id of something else.
            new = "the id of something else"
        yield f"  {escape(best.action)}: {escape(best.path)}"
        yield f"      {escape(old)} → {escape(new)}"
        more = f", and {_count(len(those) - 1, 'more step')}" if len(those) > 1 else ""
        yield f"      [dim]{escape(best.scenario)} › {escape(best.step)}{more}[/]"
    left_out = len(groups) - _MOST
    if left_out > 0:
        yield f"  [dim]… and {left_out} more kinds of change (--json lists all)[/]"


def _cause(change: OutputChange) -> tuple[str, ...]:
    """What changes have in common that probably have one cause: the action, the place, the words."""
    words = _NUMBERS.sub("#", str(change.old)) if change.aspect == "error" else ""
    return change.action, change.aspect, _NUMBERS.sub("#", change.path), change.kind, words


def _name_lines(title: str, names: tuple[str, ...]) -> Iterator[str]:
    if names:
        yield escape(f"{title}: {', '.join(names)}")


def _quality_line(report: RegressionReport) -> str:
    if not report.dimension_changes and not report.quality_score_delta:
        return "Quality: no change"
    dimensions = ", ".join(f"{name} {delta:+.1f}" for name, delta in report.dimension_changes.items())
    return f"Quality: {report.quality_score_delta:+.1f} points ({dimensions})"


def _speed_line(report: RegressionReport) -> str:
    if not report.timing:
        return "Speed: no action could be compared"
    significant = sum(action.is_significant for action in report.timing)
    actions = _count(len(report.timing), "action")
    if not significant:
        return f"Speed: no significant change in {actions}"
    latency = f", latency {report.latency_change_pct:+.0f}% over all" if report.latency_change_pct else ""
    return f"Speed: {significant} of {actions} changed significantly{latency}"


def _duration(milliseconds: float) -> str:
    return f"{milliseconds:.2f} ms" if milliseconds >= 1 else f"{milliseconds * 1000:.1f} µs"


def _shown(value: object) -> str:
    text = shown(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
