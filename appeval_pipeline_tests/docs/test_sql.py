"""`docs/sql.md`: every query is run by `appeval sql` on the shipped data, and answers what the page says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from appeval_pipeline.cli.sql import Format, sql
from appeval_pipeline_tests.docs.page import Fenced, read_page

PAGE = Path(__file__).parents[2] / "docs" / "sql.md"
EXAMPLE = "text example"
"""What the page shows of an answer that differs from machine to machine."""


@dataclass(frozen=True)
class Asked:
    """A query of the page, and what it shows of the answer."""

    text: str
    answer: tuple[str, ...]
    is_example: bool


def asked() -> Iterator[Asked]:
    blocks = [part for part in read_page(PAGE) if isinstance(part, Fenced)]
    for query, answer in pairwise(blocks):
        if query.kind == "sql":
            assert answer.kind in ("text", EXAMPLE), query.text
            yield Asked(query.text, lines_of(answer.text), answer.kind == EXAMPLE)


def lines_of(text: str) -> tuple[str, ...]:
    """The lines, without the space between columns, which depends on what else is in them."""
    return tuple(" ".join(line.split()) for line in text.splitlines())


QUERIES = tuple(asked())


def test_the_page_has_at_least_twenty_queries() -> None:
    assert len({query.text for query in QUERIES}) == len(QUERIES) >= 20


@pytest.mark.parametrize("query", QUERIES, ids=[str(number) for number in range(1, len(QUERIES) + 1)])
def test_the_answer_is_as_the_page_says(
    query: Asked, shipped_store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("APPEVAL_STORE", str(shipped_store))
    sql(query.text, Format.table)
    answer = lines_of(capsys.readouterr().out)
    assert answer[0] == query.answer[0]
    if query.is_example:
        assert len(answer) > 2
        return
    before, after = _around_ellipsis(query.answer)
    assert answer[: len(before)] == before
    assert answer[-len(after) :] == after


def _around_ellipsis(lines: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if "…" not in lines:
        return lines, lines
    cut = lines.index("…")
    return lines[:cut], lines[cut + 1 :]
