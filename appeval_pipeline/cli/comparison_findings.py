"""What of a comparison is worth telling, whatever it is told in: counted, grouped by cause, and cut short."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from appeval_pipeline.evaluation import RegressionReport
from appeval_pipeline.evaluation.regression import InterfaceChange, OutputChange
from appeval_pipeline.evaluation.scenarios.matching import shown

LONGEST: Final = 60
"""Characters of a value that are shown."""
_NUMBERS: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def breaks(report: RegressionReport) -> str:
    """What breaks, in a few words; empty if nothing does."""
    breaking = sum(change.severity == "breaking" for change in report.interface_changes)
    found = []
    if report.new_failures:
        found.append(f"{count(len(report.new_failures), 'scenario')} newly failing")
    if breaking:
        found.append(count(breaking, "breaking interface change"))
    return ", ".join(found)


def merged(changes: Iterable[InterfaceChange]) -> Iterator[str]:
    """The messages; what becomes of several results of an action is one."""

    def cause(change: InterfaceChange) -> tuple[str, str]:
        of_result = change.kind in ("result_added", "result_removed")
        return change.kind, change.location.rpartition(".")[0] if of_result else change.message

    for _, group in groupby(changes, key=cause):
        first, *rest = group
        yield ", ".join([first.message, *(f"'{change.location.rpartition('.')[2]}'" for change in rest)])


@dataclass(frozen=True, slots=True)
class OutputGroup:
    """Changes of output that probably have one cause.

    Attributes:
        best: The one that tells most.
        old, new: Its values, as they are shown.
        count: How many steps there are.
    """

    best: OutputChange
    old: str
    new: str
    count: int


def output_groups(report: RegressionReport) -> tuple[OutputGroup, ...]:
    """The changes of output, by cause."""
    groups: dict[tuple[str, ...], list[OutputChange]] = {}
    for change in report.output_changes:
        groups.setdefault(_cause(change), []).append(change)
    return tuple(map(_group, groups.values()))


def _group(changes: list[OutputChange]) -> OutputGroup:
    # A value says more than a null or an empty text does, and a short one is read faster.
    telling = [one for one in changes if one.old or one.new] or changes
    best = min(telling, key=lambda one: len(shown(one.old)) + len(shown(one.new)))
    old = "nothing" if best.kind == "added" else value(best.old)
    new = "nothing" if best.kind == "removed" else value(best.new)
    if old == new:
        # Ids compare by what they stand for: the same digits may be the id of something else.
        new = "the id of something else"
    return OutputGroup(best, old, new, len(changes))


def _cause(change: OutputChange) -> tuple[str, ...]:
    """What changes have in common that probably have one cause: the action, the place, the words."""
    words = _NUMBERS.sub("#", str(change.old)) if change.aspect == "error" else ""
    return change.action, change.aspect, _NUMBERS.sub("#", change.path), change.kind, words


def name_lists(report: RegressionReport) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Title and names of what else there is to say of scenarios."""
    for title, names in (
        ("Fixed", report.fixed_tests),
        ("Failing in both", report.still_failing),
        ("Not compared, as they do not apply to both", report.not_compared),
    ):
        if names:
            yield title, names


def quality_line(report: RegressionReport) -> str:
    if not report.dimension_changes and not report.quality_score_delta:
        return "Quality: no change"
    dimensions = ", ".join(f"{name} {delta:+.1f}" for name, delta in report.dimension_changes.items())
    return f"Quality: {report.quality_score_delta:+.1f} points ({dimensions})"


def speed_line(report: RegressionReport) -> str:
    if not report.timing:
        return "Speed: no action could be compared"
    significant = sum(action.is_significant for action in report.timing)
    actions = count(len(report.timing), "action")
    if not significant:
        return f"Speed: no significant change in {actions}"
    latency = f", latency {report.latency_change_pct:+.0f}% over all" if report.latency_change_pct else ""
    return f"Speed: {significant} of {actions} changed significantly{latency}"


TIMING_COLUMNS: Final = ("action", "old", "new", "ratio", "99.9% interval")


def timing_rows(report: RegressionReport) -> Iterator[tuple[str, ...]]:
    """A row for each action whose speed changed significantly; columns as in ``TIMING_COLUMNS``."""
    for action in report.timing:
        if action.is_significant:
            yield (
                action.action,
                _duration(action.old_median_ms),
                _duration(action.new_median_ms),
                f"{action.ratio:.2f}",
                f"{action.low:.2f} to {action.high:.2f}",
            )


def _duration(milliseconds: float) -> str:
    return f"{milliseconds:.2f} ms" if milliseconds >= 1 else f"{milliseconds * 1000:.1f} µs"


def value(anything: object) -> str:
    """A value as JSON, cut short."""
    text = shown(anything)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def count(number: int, noun: str) -> str:
    """``1 step``, ``2 steps``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
