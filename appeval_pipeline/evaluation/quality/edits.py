"""Changes to a definition, as data."""

from __future__ import annotations

import copy
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
    """A copy of ``document`` with ``edits`` made, one after another."""
    result: dict[str, Any] = copy.deepcopy(dict(document))
    for edit in edits:
        parent: Any = result
        for part in edit.key[:-1]:
            parent = parent.setdefault(part, {}) if isinstance(parent, dict) else parent[part]
        last: Any = edit.key[-1]
        match edit.operation:
            case "set":
                parent[last] = copy.deepcopy(edit.value)
            case "insert":
                parent.insert(last, copy.deepcopy(edit.value))
            case "remove":
                del parent[last]
            case "rename":
                pairs = [(edit.value if key == last else key, value) for key, value in parent.items()]
                parent.clear()
                parent.update(pairs)
    return result
