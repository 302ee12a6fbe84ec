"""Tables that stay readable on a narrow terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

_ANY_WIDTH: Final = 10_000
_LEAST: Final = 14
"""Characters that a column of text needs to be folded well, unless its longest cell has less."""
_GAP: Final = 2


class FittingTable(Table):
    """A table in which no number and no word is cut into pieces.

    Where the terminal is wide enough it is an ordinary table. Where it is not, headings and texts are folded
    between words and columns move together. If that is not enough, each row becomes a paragraph: its first
    cell, and below it the others with their headings.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        most = Measurement.get(console, options.update(max_width=_ANY_WIDTH), self).maximum
        if most <= width:
            yield from super().__rich_console__(console, options)
            return
        columns = [_Sizes(console, column) for column in self.columns]
        for gap in (_GAP, 1):
            spare = width - gap * (len(columns) - 1) - sum(sizes.least for sizes in columns)
            if spare >= 0:
                self.padding = (0, 1, 0, gap - 1)
                for column, sizes in zip(self.columns, columns, strict=True):
                    more = min(spare, sizes.most - sizes.least)
                    column.width = sizes.least + more
                    spare -= more
                yield from super().__rich_console__(console, options)
                return
        yield from self._paragraphs(console, width)

    def _paragraphs(self, console: Console, width: int) -> Iterator[Text | Padding]:
        if self.title:
            yield _text(console, self.title)
        first, *others = self.columns
        headings = [_text(console, column.header).plain for column in others]
        for cells in zip(first.cells, *(column.cells for column in others), strict=True):
            title, *values = (_text(console, cell) for cell in cells)
            title.stylize("bold")
            title.overflow = "fold"
            yield title
            pairs = [
                Text.assemble((heading, "dim"), " " if heading else "", value)
                for heading, value in zip(headings, values, strict=True)
            ]
            for line in _lines(pairs, width - _GAP):
                yield Padding(line, (0, 0, 0, _GAP), expand=False)


class _Sizes:
    """How wide a column has to be, and how wide it can use to be, in characters."""

    def __init__(self, console: Console, column: Column) -> None:
        heading = _text(console, column.header)
        cells = [_text(console, cell) for cell in column.cells]
        longest = max((cell.cell_len for cell in cells), default=0)
        words = max(map(_longest_word, [heading, *cells]))
        enough = longest if column.justify == "right" else min(longest, _LEAST)
        self.least = max(words, enough)
        self.most = max(longest, heading.cell_len)


def _longest_word(text: Text) -> int:
    return max((Text(word).cell_len for word in text.plain.split()), default=0)


def _text(console: Console, cell: object) -> Text:
    """A heading or cell, which is markup or a text."""
    return cell.copy() if isinstance(cell, Text) else console.render_str(str(cell))


def _lines(pairs: Sequence[Text], width: int) -> Iterator[Text]:
    """As many pairs in a line as fit; one that is too long for a line has lines of its own."""
    line = Text(overflow="fold")
    for pair in pairs:
        if line and line.cell_len + _GAP + pair.cell_len > width:
            yield line
            line = Text(overflow="fold")
        line.append_text(Text(" " * _GAP if line else "")).append_text(pair)
    if line:
        yield line
