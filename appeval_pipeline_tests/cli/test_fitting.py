"""Tables on terminals of any width: nothing is cut off, and no number or word is cut into pieces."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape

from appeval_pipeline.cli.rendering import table

ROWS = (
    ("Another one's count", "0%", "0%–79%", "1,234.5", "none that is worth telling of"),
    ("B", "7%", "-", "2", ""),
)
HEADINGS = ("task", "reached", "95% interval", "actions", "a remark")


def printed(
    width: int, headings: tuple[str, ...] = HEADINGS, rows: tuple[tuple[str, ...], ...] = ROWS
) -> list[str]:
    made = table(*map(escape, headings), numbers=headings[1:4])
    for row in rows:
        made.add_row(*map(escape, row))
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=True, no_color=True, emoji=False, color_system=None).print(
        made
    )
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_wide_terminal_has_one_line_a_row() -> None:
    assert printed(200) == [
        "task                 reached  95% interval  actions  a remark",
        "Another one's count       0%        0%–79%  1,234.5  none that is worth telling of",
        "B                         7%             -        2",
    ]


def test_a_narrower_one_folds_headings_and_texts_between_words() -> None:
    assert printed(60) == [
        "                                95%",
        "task              reached  interval  actions  a remark",
        "Another one's          0%    0%–79%  1,234.5  none that is",
        "count                                         worth telling",
        "                                              of",
        "B                      7%         -        2",
    ]


def test_a_very_narrow_one_has_a_paragraph_a_row() -> None:
    assert printed(40) == [
        "Another one's count",
        "  reached 0%  95% interval 0%–79%",
        "  actions 1,234.5",
        "  a remark none that is worth telling of",
        "B",
        "  reached 7%  95% interval -  actions 2",
        "  a remark",
    ]


# Rich shows a backslash at the end of a text twice.
WORDS = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P"), exclude_characters="\\"), min_size=1, max_size=9
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)


@given(
    st.integers(20, 130),
    st.lists(st.tuples(TEXTS, WORDS, WORDS, WORDS, TEXTS), min_size=1, max_size=4).map(tuple),
)
def test_every_word_is_there_whole_and_no_line_is_too_long(
    width: int, rows: tuple[tuple[str, ...], ...]
) -> None:
    lines = printed(width, rows=rows)
    assert max(map(cell_len, lines)) <= width
    shown = " ".join(lines).split()
    for word in " ".join(cell for row in rows for cell in row).split():
        assert word in shown


@pytest.mark.parametrize("width", [10, 25])
def test_a_word_that_is_longer_than_the_terminal_is_folded(width: int) -> None:
    lines = printed(width, rows=(("x" * 30, "1", "2", "3", "y" * 30),))
    assert max(map(len, lines)) <= width
    assert "".join(lines).count("x") == "".join(lines).count("y") - "".join(HEADINGS).count("y") == 30
