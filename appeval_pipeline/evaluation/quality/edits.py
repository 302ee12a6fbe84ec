"""Changes to a definition, as data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

EditKey = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to a definition's document, whose keys are spelled as the language spells them.

    ``set`` gives the key a value, ``insert`` puts one into a list before the index that the key ends
    in, ``remove`` takes the key out, ``rename`` gives it the name ``value`` at the same place.
    """

    operation: Literal["set", "insert", "remove", "rename"]
    key: EditKey
    value: Any = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that could be better: where, what to do about it, and the edits that do it."""

    location: str
    message: str
    edits: tuple[Edit, ...]


def apply_edits(document: Mapping[str, Any], edits: Iterable[Edit]) -> dict[str, Any]:
    """``document`` with ``edits`` made, one after another; shares with it what they do not touch."""
    result = dict(document)
    for edit in edits:
        result = _edited(result, edit, edit.key)
    return result


def _edited(container: Any, edit: Edit, key: EditKey) -> Any:
    """A copy of ``container`` with the edit made at ``key`` in it."""
    step: Any = key[0]
    if edit.operation == "rename" and len(key) == 1:
        return {edit.value if name == step else name: value for name, value in container.items()}
    copy = list(container) if isinstance(container, list) else dict(container)
    if len(key) > 1:
        inner = copy.get(step, {}) if isinstance(copy, dict) else copy[step]
        copy[step] = _edited(inner, edit, key[1:])
    elif edit.operation == "remove":
        del copy[step]
    elif edit.operation == "insert" and isinstance(copy, list):
        copy.insert(step, edit.value)
    else:
        copy[step] = edit.value
    return copy
