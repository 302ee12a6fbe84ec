"""Tables and colours, the same in every command."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from appeval_pipeline.cli.fitting import FittingTable

_LEVEL_STYLES: Final = {"Excellent": "green", "Good": "green", "Acceptable": "yellow", "Needs Work": "red"}
_UNBOUNDED: Final = 10_000
_INVISIBLE: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What steers a terminal, or turns the direction of writing; line ends do not count."""


class _SafeConsole(Console):
    """Prints texts, which are untrusted, without what would steer the terminal."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            text, style, control = segment
            if control is None and _INVISIBLE.search(text):
                yield Segment(visible(text), style)
            else:
                yield segment


def visible(text: str) -> str:
    """``text`` without what would steer a terminal or turn the direction of writing."""
    return _INVISIBLE.sub("", text)


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal; where the output is none, as wide as it takes."""
    made = _SafeConsole(stderr=stderr, highlight=False, emoji=False)
    if made.is_terminal:
        return made
    return _SafeConsole(stderr=stderr, highlight=False, emoji=False, width=_UNBOUNDED)


def table(*columns: str, title: str | None = None, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table; columns named in ``numbers`` are aligned to the right, and never broken over lines."""
    made = FittingTable(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        made.add_column(
            column,
            justify="right" if column in numbers else "left",
            overflow="fold",
        )
    return made


def level(name: str | None) -> str:
    """A quality level in its colour."""
    return f"[{_LEVEL_STYLES[name]}]{name}[/]" if name in _LEVEL_STYLES else "-"


def percent(share: float | None) -> str:
    """A percentage without decimals, which says 100% only where nothing is missing."""
    return "-" if share is None else f"{math.floor(share)}%"


def print_json(value: Any) -> None:
    """JSON on stdout, and nothing else; in ASCII where the output is not UTF-8."""
    ascii_only = (sys.stdout.encoding or "").lower() not in ("utf-8", "utf8")
    print(json.dumps(value, indent=2, ensure_ascii=ascii_only, default=str))
