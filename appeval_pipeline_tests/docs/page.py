"""A Markdown page, taken apart into its fenced blocks and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

_SPAN = re.compile(r"``\s?(.+?)\s?``|`([^`]+)`")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Fenced:
    """A fenced block: the word after the fence (``yaml``, ``pycon``, …) and what is inside."""

    kind: str
    text: str


@dataclass(frozen=True)
class Table:
    """A table: its header, and a mapping from header to cell for each row."""

    header: tuple[str, ...]
    rows: tuple[dict[str, str], ...]


def read_page(path: Path) -> list[Fenced | Table]:
    """The fenced blocks and tables of a page, in order."""
    return list(_parts(path.read_text(encoding="utf-8")))


def _parts(text: str) -> Iterator[Fenced | Table]:
    for position, piece in enumerate(re.split(r"^```", text, flags=re.MULTILINE)):
        if position % 2:
            kind, _, inside = piece.partition("\n")
            yield Fenced(kind, inside)
            continue
        for is_table, lines in groupby(piece.splitlines(), key=lambda line: line.startswith("|")):
            if is_table:
                header, _, *rows = map(_cells, lines)
                yield Table(tuple(header), tuple(dict(zip(header, row, strict=True)) for row in rows))


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line)[1:-1]]


def codes(cell: str) -> list[str]:
    """What stands in backticks in ``cell``."""
    return [double or single for double, single in _SPAN.findall(cell)]


def code(cell: str) -> str:
    """What stands in backticks in ``cell``; empty if nothing does."""
    return next(iter(codes(cell)), "")
