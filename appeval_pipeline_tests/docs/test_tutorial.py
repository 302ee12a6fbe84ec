"""The pages that take an author by the hand, followed one after the other in one folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from appeval_pipeline_tests.docs.following import agrees, follow

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("write-an-app.md", "test-an-app.md", "compare-versions.md")


def test_an_author_gets_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APPEVAL_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    environment = {"NO_COLOR": "1", "COLUMNS": "120", "APPEVAL_AGENTS": "oracle"}
    assert [follow(DOCS / page, environment) for page in PAGES] == [6, 2, 3]


def test_an_ellipsis_stands_for_lines_and_for_the_end_of_one() -> None:
    assert agrees(["a", "b", "c"], ["a", "…", "c"])
    assert agrees(["a", "b 12 ms"], ["…", "b …"])
    assert not agrees(["a", "b", "c"], ["a", "c"])
    assert not agrees(["a", "b"], ["a"])
    assert not agrees(["a"], ["a", "b"])
