"""What differs between two definitions, place by place, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.store.canonical import canonical_json

_LONGEST: Final = 60
"""Characters of a value that are shown."""


@dataclass(frozen=True, slots=True)
class Change:
    """What stands at ``path`` in one definition and not in the other.

    Attributes:
        path: Such as ``actions.pay.parameters.amount.minValue``.
        what: ``added``, ``removed`` or ``changed``.
        old, new: The values; None where there is none.
    """

    path: str
    what: str
    old: object
    new: object

    def __str__(self) -> str:
        match self.what:
            case "added":
                return f"{self.path} added: {_shown(self.new)}"
            case "removed":
                return f"{self.path} removed: {_shown(self.old)}"
            case _:
                return f"{self.path}: {_shown(self.old)} → {_shown(self.new)}"


def definition_changes(old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[Change]:
    """Each place where two canonical definitions differ, their version numbers apart.

    Actions and state fields are told apart by name. Other lists are aligned at what their beginnings and
    ends share: one block less is one change.
    """
    yield from _of_mappings(
        {key: value for key, value in old.items() if key != "version"},
        {key: value for key, value in new.items() if key != "version"},
        "",
    )


def _changes(old: object, new: object, path: str) -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _of_mappings(old, new, f"{path}.")
    elif isinstance(old, list) and isinstance(new, list):
        old_names, new_names = _by_name(old), _by_name(new)
        if old_names is not None and new_names is not None:
            yield from _of_mappings(old_names, new_names, f"{path}.")
        else:
            yield from _of_lists(old, new, path)
    elif not _equal(old, new):
        yield Change(path, "changed", old, new)


def _of_mappings(old: Mapping[str, object], new: Mapping[str, object], prefix: str) -> Iterator[Change]:
    for key in (*old, *(key for key in new if key not in old)):
        path = f"{prefix}{key}"
        if key not in new:
            yield Change(path, "removed", old[key], None)
        elif key not in old:
            yield Change(path, "added", None, new[key])
        else:
            yield from _changes(old[key], new[key], path)


def _of_lists(old: Sequence[object], new: Sequence[object], path: str) -> Iterator[Change]:
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and _equal(old[first], new[first]):
        first += 1
    last = 0
    while last < shorter - first and _equal(old[-1 - last], new[-1 - last]):
        last += 1
    for index in range(first, max(len(old), len(new)) - last):
        place = f"{path}[{index}]"
        if index >= len(new) - last:
            yield Change(place, "removed", old[index], None)
        elif index >= len(old) - last:
            yield Change(place, "added", None, new[index])
        elif _type(old[index]) != _type(new[index]):
            yield Change(place, "changed", old[index], new[index])
        else:
            yield from _changes(old[index], new[index], place)


def _type(item: object) -> object:
    """The type of a block; blocks of two types have nothing in common."""
    return item.get("type") if isinstance(item, dict) else None


def _by_name(items: Sequence[object]) -> dict[str, object] | None:
    """The items by their names; None if any has none, or two have the same."""
    named: dict[str, object] = {
        str(item["name"]): item
        for item in items
        if isinstance(item, dict) and isinstance(item.get("name"), str)
    }
    return named if len(named) == len(items) else None


def _equal(old: object, new: object) -> bool:
    """JSON's equality: true is not 1."""
    return canonical_json(old) == canonical_json(new)


def _shown(value: object) -> str:
    text = canonical_json(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
