"""What differs between two values, path by path, generated ids standing for each other."""

from __future__ import annotations

import math
import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from appeval_pipeline.evaluation.regression.identifiers import Pairing, Shape
from appeval_pipeline.evaluation.scenarios.matching import TOLERANCE
from appeval_pipeline.expr.values import NUMBERS, equal
from appeval_pipeline.expr.writing import MISSING

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Difference:
    """What stands at ``path`` in the old and in the new value; MISSING where nothing does."""

    path: str
    old: object
    new: object


def same(old: object, new: object, pairing: Pairing) -> bool:
    """Whether the values are equal, as far as a scenario could tell; ids are paired only if they are."""
    return _Comparison(pairing).same(old, new)


def differences(old: object, new: object, path: str, pairing: Pairing) -> Iterator[Difference]:
    """Each place where the values differ.

    Arrays are aligned at what their beginnings and ends share: one element less is one difference.
    """
    return _Comparison(pairing).differences(old, new, path)


class _Comparison:
    """One comparison under way; it knows which containers differ, so that none is walked at every level."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self._different: set[tuple[int, int]] = set()

    def same(self, old: object, new: object) -> bool:
        mark = self._pairing.mark()
        if self._same(old, new):
            return True
        self._pairing.take_back(mark)
        return False

    def differences(self, old: object, new: object, path: str) -> Iterator[Difference]:
        if isinstance(old, dict) and isinstance(new, dict):
            partners = _partners(old, new, self._pairing)
            for key, value in old.items():
                partner = partners.get(key)
                other = MISSING if partner is None else new[partner]
                yield from self.differences(value, other, _inside(path, key))
            taken = set(partners.values())
            for key, value in new.items():
                if key not in taken:
                    yield Difference(_inside(path, key), MISSING, value)
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._of_arrays(old, new, path)
        elif old is MISSING or new is MISSING or not self.same(old, new):
            yield Difference(path, old, new)

    def _of_arrays(self, old: list[object], new: list[object], path: str) -> Iterator[Difference]:
        shorter = min(len(old), len(new))
        first = 0
        while first < shorter and self.same(old[first], new[first]):
            first += 1
        last = 0
        while last < shorter - first and self.same(old[-1 - last], new[-1 - last]):
            last += 1
        for index in range(first, max(len(old), len(new)) - last):
            left = old[index] if index < len(old) - last else MISSING
            right = new[index] if index < len(new) - last else MISSING
            yield from self.differences(left, right, f"{path}[{index}]")

    def _same(self, old: object, new: object) -> bool:
        if isinstance(old, dict | list) and type(old) is type(new):
            place = id(old), id(new)
            if place in self._different:
                return False
            if not (self._same_keys(old, new) if isinstance(old, dict) else self._same_items(old, new)):
                self._different.add(place)
                return False
            return True
        if isinstance(old, str) and isinstance(new, str):
            return self._pairing.same(old, new)
        if float in (type(old), type(new)) and {type(old), type(new)} <= NUMBERS:
            return math.isclose(old, new, rel_tol=0, abs_tol=TOLERANCE)  # type: ignore[arg-type]
        return old is not MISSING and new is not MISSING and equal(old, new)

    def _same_keys(self, old: dict[str, object], new: Any) -> bool:
        if len(old) != len(new):
            return False
        partners = _partners(old, new, self._pairing)
        return len(partners) == len(old) and all(
            map(self._same, old.values(), (new[partners[key]] for key in old))
        )

    def _same_items(self, old: list[object], new: Any) -> bool:
        return len(old) == len(new) and all(map(self._same, old, new))


def _partners(old: dict[str, object], new: dict[str, object], pairing: Pairing) -> dict[str, str]:
    """The key of ``new`` for each key of ``old`` that has one; ids among keys stand for each other."""
    partners: dict[str, str] = {}
    waiting: list[tuple[str, Shape]] = []
    for key in old:
        shape = pairing.shape(key)
        partner = key if shape is None else pairing.counterpart(key)
        if partner is None and shape is not None:
            waiting.append((key, shape))
        elif partner in new:
            partners[key] = partner
    if waiting:
        free: dict[Shape | None, deque[str]] = defaultdict(deque)
        for key in new:
            free[pairing.new_shape(key)].append(key)
        for key, shape in waiting:
            queue = free[shape]
            while queue and key not in partners:
                candidate = queue.popleft()
                if pairing.same(key, candidate):
                    partners[key] = candidate
    return partners


def _inside(path: str, key: str) -> str:
    if not path:
        return key
    return f"{path}.{key}" if _NAME.fullmatch(key) else f'{path}["{key}"]'
