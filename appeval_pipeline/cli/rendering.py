"""Tables and colours, the same in every command."""

from __future__ import annotations

import json
from typing import Any, Final

from rich.console import Console
from rich.table import Table

_LEVEL_STYLES: Final = {"Excellent": "green", "Good": "green", "Acceptable": "yellow", "Needs Work": "red"}
_UNBOUNDED: Final = 10_000


def console(*, stderr: bool = False) -> Console:
    """A console as wide as the terminal; where the output is none, as wide as it takes."""
    made = Console(stderr=stderr, highlight=False)
    return made if made.is_terminal else Console(stderr=stderr, highlight=False, width=_UNBOUNDED)


def table(*columns: str, title: str | None = None, numbers: tuple[str, ...] = (), fold: bool = True) -> Table:
    """An empty table; columns named in ``numbers`` are aligned to the right.

    Args:
        fold: Break long cells over lines; else they end in an ellipsis where the terminal is too narrow.
    """
    made = Table(title=title, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        made.add_column(
            column,
            justify="right" if column in numbers else "left",
            overflow="fold" if fold else "ellipsis",
            no_wrap=not fold,
        )
    return made


def level(name: str | None) -> str:
    """A quality level in its colour."""
    return f"[{_LEVEL_STYLES[name]}]{name}[/]" if name in _LEVEL_STYLES else "-"


def print_json(value: Any) -> None:
    """JSON on stdout, and nothing else."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))
