"""Generated ids: which texts hold them, and which of one run stands for which of another.

Two runs hand out the same ids in the same order, so that one more call of ``generate_id()`` shifts all that
follow. Ids are therefore compared by order of first appearance: where an id of one run first stands in the
place of an id of the other, the two are paired, and stay so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from appeval_pipeline.engine import Access, ExecutionContext

_SHORTEST: Final = 8
"""Digits of an id from which on its beginning is told from chance: one text in 2^32 would be by chance."""
_DIGITS: Final = re.compile(r"[0-9a-fA-F]{8,}")


class RecordingContext(ExecutionContext):
    """Hands out the ids that every context of its seed does, and remembers them.

    Attributes:
        issued: The ids handed out so far, in order.
        by_beginning: The same, by their first 8 digits.
    """

    __slots__ = ("by_beginning", "issued")

    def __init__(self, seed: int, roles: Mapping[str, Access | str]) -> None:
        super().__init__(seed=seed, roles=roles)
        self.issued: list[str] = []
        self.by_beginning: dict[str, str] = {}
        draw = self._bits

        def recorded(count: int) -> int:
            bits = draw(count)
            made = f"{bits:016x}"
            self.issued.append(made)
            self.by_beginning[made[:_SHORTEST]] = made
            return bits

        # The engine draws the bits itself: an overridden `next_id` would not be asked.
        self._bits = recorded


class Mention(NamedTuple):
    """An id in a text: whole, or its first ``length`` digits, in capitals or not."""

    id: str
    length: int
    capitals: bool


Shape = tuple[object, ...]
"""A text with its ids left out."""


def split_at_ids(text: str, by_beginning: Mapping[str, str]) -> list[str | Mention]:
    """``text`` as the ids in it and what stands between them."""
    parts: list[str | Mention] = []
    done = 0
    for digits in _DIGITS.finditer(text) if by_beginning else ():
        start = digits.start()
        while start + _SHORTEST <= digits.end():
            found = by_beginning.get(text[start : start + _SHORTEST].lower())
            if found is None:
                start += 1
                continue
            length = _agreement(found, text[start : min(digits.end(), start + len(found))].lower())
            shown = text[start : start + length]
            parts += [text[done:start], Mention(found, length, shown != shown.lower())]
            start = done = start + length
    return [*parts, text[done:]]


def _shape(parts: list[str | Mention]) -> Shape | None:
    if len(parts) == 1:
        return None
    return tuple(part[1:] if isinstance(part, Mention) else part for part in parts)


def _agreement(left: str, right: str) -> int:
    return next(
        (index for index, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )


class Pairing:
    """Which id of the new run stands for which of the old one.

    Args:
        old: The ids that may stand in the old run's values, by their first 8 digits; it may grow.
        new: Those of the new run's.
        shared: Ids that are the same one in both.
    """

    def __init__(self, old: Mapping[str, str], new: Mapping[str, str], shared: Iterable[str] = ()) -> None:
        self._old = old
        self._new = new
        self._new_of = {name: name for name in shared}
        self._old_of = dict(self._new_of)
        self._trail: list[str] = []

    def same(self, old: str, new: str) -> bool:
        """Whether the texts are equal but for ids that stand for each other; new pairs are kept if so."""
        left, right = split_at_ids(old, self._old), split_at_ids(new, self._new)
        if len(left) != len(right):
            return False
        mark = self.mark()
        for a, b in zip(left, right, strict=True):
            if isinstance(a, Mention) and isinstance(b, Mention):
                fits = a[1:] == b[1:] and self._pair(a.id, b.id)
            else:
                fits = a == b
            if not fits:
                self.take_back(mark)
                return False
        return True

    def shape(self, old: str) -> Shape | None:
        """What a text of the old run has between its ids; None if it has no id."""
        return _shape(split_at_ids(old, self._old))

    def new_shape(self, new: str) -> Shape | None:
        """What a text of the new run has between its ids; None if each of these has its partner already."""
        parts = split_at_ids(new, self._new)
        ids = (part.id for part in parts if isinstance(part, Mention))
        return None if all(name in self._old_of for name in ids) else _shape(parts)

    def counterpart(self, old: str) -> str | None:
        """The text of the new run that ``old`` stands for; None where an id in it has no partner yet."""
        made = []
        for part in split_at_ids(old, self._old):
            if isinstance(part, Mention):
                partner = self._new_of.get(part.id)
                if partner is None:
                    return None
                shown = partner[: part.length]
                made.append(shown.upper() if part.capitals else shown)
            else:
                made.append(part)
        return "".join(made)

    def mark(self) -> int:
        """Where the pairs made from now on can be taken back to."""
        return len(self._trail)

    def take_back(self, mark: int) -> None:
        """Forget the pairs made since ``mark``."""
        while len(self._trail) > mark:
            old = self._trail.pop()
            del self._old_of[self._new_of.pop(old)]

    def _pair(self, old: str, new: str) -> bool:
        known, taken = self._new_of.get(old), self._old_of.get(new)
        if known is None and taken is None:
            self._new_of[old] = new
            self._old_of[new] = old
            self._trail.append(old)
            return True
        return known == new
