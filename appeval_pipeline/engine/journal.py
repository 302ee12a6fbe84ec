"""The undo journal: what an action changed, so that it can be taken back or looked past.

An entry is ``(container, key, old)``: put ``old`` back under ``key``, or take the key away where ``old``
is MISSING. Three marks in place of a key stand for the changes that are no assignment.
"""

from __future__ import annotations

from typing import Any, Final

from appeval_pipeline.expr.writing import MISSING


class _Mark:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


APPENDED: Final = _Mark("APPENDED")
"""An array got one more element at its end."""
REMOVED: Final = _Mark("REMOVED")
"""An array lost an element; old is (position, element)."""
REPLACED: Final = _Mark("REPLACED")
"""An object got new content; old is a shallow copy of what it held."""

Entry = tuple[Any, object, Any]
Journal = list[Entry]


def undo(journal: Journal) -> None:
    """Take back every change of ``journal``, the newest first."""
    for container, key, old in reversed(journal):
        if key is APPENDED:
            container.pop()
        elif key is REMOVED:
            container.insert(*old)
        elif key is REPLACED:
            container.clear()
            container.update(old)
        elif old is MISSING:
            del container[key]
        else:
            container[key] = old


class Version:
    """The state after some action.

    The newest version is the live state; each older one knows what was changed after it, and what came
    next. Nobody points backwards: versions that no result holds any more are freed.
    """

    __slots__ = ("changes", "next")

    def __init__(self) -> None:
        self.changes: Journal = []
        self.next: Version | None = None

    def advance(self, changes: Journal) -> Version:
        """The version after this one, which differs by ``changes``."""
        self.changes = changes
        self.next = Version()
        return self.next

    def rewind(self) -> None:
        """Be the newest version again, once the changes were taken back."""
        self.changes = []
        self.next = None


def copy_at(live: dict[str, Any], version: Version) -> dict[str, Any]:
    """A copy of the state as it was at ``version``, given the live state.

    Args:
        live: The state that the newest version stands for; not changed.
    """
    journals: list[Journal] = []
    current = version
    while current.next is not None:
        journals.append(current.changes)
        current = current.next
    copies: dict[int, Any] = {}
    state: dict[str, Any] = _copy(live, copies)
    for journal in reversed(journals):
        undo([(_copy(container, copies), key, _copy(old, copies)) for container, key, old in journal])
    return state


def _copy(value: Any, copies: dict[int, Any]) -> Any:
    """A deep copy in which what was one container stays one."""
    kind = type(value)
    if kind is dict or kind is list:
        known = copies.get(id(value))
        if known is not None:
            return known
        if kind is dict:
            made: Any = copies.setdefault(id(value), {})
            made.update((key, _copy(item, copies)) for key, item in value.items())
        else:
            made = copies.setdefault(id(value), [])
            made.extend(_copy(item, copies) for item in value)
        return made
    if kind is tuple:
        return tuple(_copy(item, copies) for item in value)
    return value
