from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from appeval_pipeline.store.export.report.definition_source import StoredSource, find_excerpt
from appeval_pipeline.store.export.report.model import Excerpt, Gap

TEXT = """\
# a till
app_id: till
actions:
  - name: pay
    logic:
      - type: validate
        condition: params.amount > 0 # <script>
        errorMessage: No
      - type: branch
        condition: agent.rich
        then:
          - type: return
            value: 1
        else:
          - type: return
            value: 2
  - name: look
    logic: []
"""


def gap(kind: str, location: str) -> Gap:
    return Gap(kind, location, f"{location} is a gap", "Add a step")


def source(sha256: str = hashlib.sha256(TEXT.encode()).hexdigest()) -> StoredSource:
    stored = {"app_id": "till", "actions": [{"name": "pay"}, {"logic": [], "name": "look"}]}
    return StoredSource("apps/till/v1.yaml", sha256, json.dumps(stored))


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    (tmp_path / "apps" / "till").mkdir(parents=True)
    (tmp_path / "apps" / "till" / "v1.yaml").write_text(TEXT)
    return tmp_path


def marked(excerpt: Excerpt | None) -> dict[int, str]:
    assert excerpt is not None
    return {line.number: line.kind for piece in excerpt.pieces for line in piece if line.kind}


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        (gap("action", "look"), {17: "action", 18: "action"}),
        (gap("block", "pay.logic[1].else[0]"), {15: "block", 16: "block"}),
        (gap("branch", "pay.logic[0]"), {6: "branch", 7: "branch"}),
    ],
)
def test_the_lines_of_a_gap_are_marked_in_the_authors_file(
    data_dir: Path, found: Gap, lines: dict[int, str]
) -> None:
    excerpt = find_excerpt(source(), [found], data_dir)
    assert marked(excerpt) == lines
    assert excerpt is not None
    assert excerpt.is_authors
    assert excerpt.file == "apps/till/v1.yaml"


def test_a_gap_is_told_beside_the_condition_that_decides(data_dir: Path) -> None:
    excerpt = find_excerpt(source(), [gap("branch", "pay.logic[0]")], data_dir)
    assert excerpt is not None
    (piece,) = excerpt.pieces
    assert [line.number for line in piece] == list(range(3, 11))
    (noted,) = (line for line in piece if line.notes)
    assert noted.text == "        condition: params.amount > 0 # <script>"
    assert noted.notes == ("pay.logic[0] is a gap",)


def test_places_far_apart_are_pieces_of_their_own(data_dir: Path) -> None:
    excerpt = find_excerpt(source(), [gap("branch", "pay.logic[0]"), gap("action", "look")], data_dir)
    assert excerpt is not None
    assert [(piece[0].number, piece[-1].number) for piece in excerpt.pieces] == [(3, 10), (14, 18)]


@pytest.mark.parametrize("sha256", ["of another text", None])
def test_a_file_that_is_not_the_one_evaluated_is_not_shown(data_dir: Path, sha256: str | None) -> None:
    excerpt = find_excerpt(source(sha256 or "x"), [gap("action", "look")], data_dir if sha256 else None)
    assert excerpt is not None
    assert not excerpt.is_authors
    texts = [line.text for piece in excerpt.pieces for line in piece]
    assert texts == ["app_id: till", "actions:", "- name: pay", "- logic: []", "  name: look"]


def test_without_a_place_there_is_nothing_to_show(data_dir: Path) -> None:
    assert find_excerpt(source(), [], data_dir) is None
    assert find_excerpt(source(), [gap("action", "gone")], data_dir) is None
    assert find_excerpt(StoredSource(None, None, None), [gap("action", "look")], data_dir) is None
