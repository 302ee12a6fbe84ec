"""Where in a definition's own text the coverage gaps lie.

The text is the author's file where it is still the one that was evaluated; else it is made from the stored
definition, which says the same without comments and with the keys in another order.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from appeval_pipeline.store.export.report.model import Excerpt, Gap, Line

CONTEXT_LINES = 3
"""Shown before and after each place."""
MAX_LINES = 160
"""Of one definition that are shown."""
MAX_FILE_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class StoredSource:
    """What the store knows of a definition's text."""

    file_path: str | None
    file_sha256: str | None
    definition: str | None


def find_excerpt(source: StoredSource, gaps: Sequence[Gap], data_dir: Path | None) -> Excerpt | None:
    """The parts of the definition where ``gaps`` lie; None where there is no text or no gap in it."""
    from appeval_pipeline.appdef.documents import DocumentError, read_document
    from appeval_pipeline.appdef.loading import find_key

    authors = _authors_text(source, data_dir)
    text = authors if authors is not None else _stored_text(source)
    if text is None or not gaps:
        return None
    try:
        document = read_document(text if "\n" in text else f"{text}\n")
    except DocumentError:
        return None
    # By line alone: names and list places do not compare with each other.
    places = sorted(((line, key) for key, line in document.lines.items()), key=lambda place: place[0])
    kinds: dict[int, str] = {}
    notes: dict[int, list[str]] = defaultdict(list)
    for gap in gaps:
        key = find_key(document.data, f"actions.{gap.location}")
        first = document.lines.get(key)
        if first is None:
            continue
        after = next((line for line, other in places if line > first and other[: len(key)] != key), None)
        last = after - 1 if after else len(text.splitlines())
        if gap.kind == "branch":
            # What decides is the condition; a loop has none.
            last = document.lines.get((*key, "condition"), first)
            notes[last].append(gap.message)
        else:
            notes[first].append(gap.message)
        for line in range(first, last + 1):
            if gap.kind != "branch" or line not in kinds:
                kinds[line] = gap.kind
    if not notes:
        return None
    pieces, left_out = _pieces(text.splitlines(), kinds, notes)
    return Excerpt(source.file_path or "", authors is not None, pieces, left_out)


def _authors_text(source: StoredSource, data_dir: Path | None) -> str | None:
    """The file as text, if it is the very one that was evaluated."""
    if data_dir is None or not source.file_path or source.file_path.endswith(".json"):
        return None
    path = data_dir / source.file_path
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return None
        content = path.read_bytes()
        text = content.decode("utf-8-sig")
    except (OSError, ValueError):
        return None
    return text if hashlib.sha256(content).hexdigest() == source.file_sha256 else None


def _stored_text(source: StoredSource) -> str | None:
    import yaml

    if source.definition is None:
        return None
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    made = yaml.dump(
        json.loads(source.definition), Dumper=dumper, sort_keys=False, allow_unicode=True, width=100
    )
    return str(made)


def _pieces(
    lines: Sequence[str], kinds: dict[int, str], notes: dict[int, list[str]]
) -> tuple[tuple[tuple[Line, ...], ...], int]:
    """The marked lines with those around them, and how many of them are left out."""
    near = sorted(
        {
            number
            for marked in kinds
            for number in range(marked - CONTEXT_LINES, marked + CONTEXT_LINES + 1)
            if 1 <= number <= len(lines)
        }
    )
    pieces: list[list[Line]] = []
    for number in near[:MAX_LINES]:
        line = Line(number, lines[number - 1], kinds.get(number, ""), tuple(notes.get(number, ())))
        if pieces and pieces[-1][-1].number == number - 1:
            pieces[-1].append(line)
        else:
            pieces.append([line])
    return tuple(map(tuple, pieces)), max(0, len(near) - MAX_LINES)
