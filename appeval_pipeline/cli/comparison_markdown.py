"""A comparison of two versions in GitHub's Markdown: the summary of a pull request.

Names, messages and values are anybody's texts. They stand in code spans: no links, no mentions, no
HTML. The whole stays below the 65,536 characters that a comment may have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from appeval_pipeline.cli import comparison_findings as findings
from appeval_pipeline.cli.rendering import visible
from appeval_pipeline.evaluation import RegressionReport
from appeval_pipeline.evaluation.regression import VersionFailure

_MOST: Final = 15
"""Scenarios, changes of a severity, kinds of output, names, actions: so many of each are told."""
_MOST_VALUES: Final = 6
"""Of one step."""
_LONGEST: Final = 100
"""Characters of a name or a message."""
_ESCAPED_BAR: Final = "\\|"
_BACKTICKS: Final = re.compile("`+")


def markdown(report: RegressionReport) -> str:
    """The report; ends in a line break."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: RegressionReport) -> Iterator[str]:
    yield from _verdict(report)
    if report.failures:
        yield from ("", "#### What held and fails now", "")
        yield from _failures(report)
    if report.interface_changes:
        yield from ("", "#### Interface", "")
        yield from _interface(report)
    if report.output_changes:
        yield ""
        yield from _outputs(report)
    yield ""
    for title, names in findings.name_lists(report):
        more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        yield f"- {title}: {', '.join(map(_code, names[:_MOST]))}{more}"
    yield f"- {findings.quality_line(report)}"
    yield f"- {findings.speed_line(report)}"
    rows = [(_code(action), *cells) for action, *cells in findings.timing_rows(report)]
    if rows:
        yield ""
        yield from _table(findings.TIMING_COLUMNS, rows[:_MOST])
        yield from _left_out(len(rows), "action")


def _verdict(report: RegressionReport) -> Iterator[str]:
    name = f"{_code(report.app_id)} {report.old_version} → {report.new_version}"
    if report.is_empty:
        yield f"### ✅ {name}: no change"
    elif found := findings.breaks(report):
        yield from (f"### ❌ {name}: breaking", "", f"{found}.")
    else:
        yield from (f"### ✅ {name}: compatible", "", "No scenario newly fails, the interface holds.")


def _failures(report: RegressionReport) -> Iterator[str]:
    scenarios = [tuple(group) for _, group in groupby(report.failures, key=lambda one: one.scenario)]
    rows = [row for failures in scenarios[:_MOST] for row in _failure_rows(failures)]
    yield from _table(("scenario", "step", "what", "expected", "got"), rows)
    yield from _left_out(len(scenarios), "scenario")


def _failure_rows(failures: Sequence[VersionFailure]) -> Iterator[tuple[str, ...]]:
    """The first failure of a scenario; those after it mostly follow from it."""
    first, rest = failures[0], failures[1:]
    action = f" ({_code(first.action)})" if first.action else ""
    place = (_code(first.scenario), f"{_code(first.step)}{action}")
    if first.action is None or "success" in first.expected:
        yield (*place, _code(first.error), "", "")
    else:
        for path, expected in list(first.expected.items())[:_MOST_VALUES]:
            actual = _code(findings.value(first.actual[path])) if path in first.actual else "nothing"
            yield (*place, _code(path), _code(findings.value(expected)), actual)
            place = ("", "")
        if len(first.expected) > _MOST_VALUES:
            yield ("", "", f"and {len(first.expected) - _MOST_VALUES} more in this step", "", "")
    if rest:
        yield ("", "", f"and {findings.count(len(rest), 'failure')} after it in this scenario", "", "")


def _interface(report: RegressionReport) -> Iterator[str]:
    rows = []
    for severity, group in groupby(report.interface_changes, key=lambda change: change.severity):
        those = list(findings.merged(group))
        label = f"**{severity}**" if severity == "breaking" else severity
        rows += [(label, _code(message)) for message in those[:_MOST]]
        if len(those) > _MOST:
            rows.append((label, f"and {len(those) - _MOST} more"))
    yield from _table(("", "change"), rows)


def _outputs(report: RegressionReport) -> Iterator[str]:
    groups = findings.output_groups(report)
    kinds = findings.count(len(groups), "kind") + " of change"
    yield f"<details><summary>Other output where the scenarios hold: {kinds}</summary>"
    yield ""
    rows = [
        (
            _code(group.best.action),
            _code(group.best.path),
            _code(group.old),
            _code(group.new),
            f"{_code(group.best.scenario)} › {_code(group.best.step)}"
            + (f", and {findings.count(group.count - 1, 'more step')}" if group.count > 1 else ""),
        )
        for group in groups[:_MOST]
    ]
    columns = ("action", "what", f"version {report.old_version}", f"version {report.new_version}", "where")
    yield from _table(columns, rows)
    yield from _left_out(len(groups), "kind")
    yield from ("", "</details>")


def _left_out(number: int, noun: str) -> Iterator[str]:
    if number > _MOST:
        yield from ("", f"… and {findings.count(number - _MOST, f'more {noun}')}; `--format json` lists all.")


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield "|---" * len(columns) + "|"
    for row in rows:
        # A row is cut into cells before code is looked for, even in code.
        yield f"| {' | '.join(cell.replace('|', _ESCAPED_BAR) for cell in row)} |"


def _code(text: str) -> str:
    """``text`` on one line, in a code span."""
    line = " ".join(visible(text).split()) or " "
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    fence = "`" * (max(map(len, _BACKTICKS.findall(line)), default=0) + 1)
    space = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{space}{line}{space}{fence}"
