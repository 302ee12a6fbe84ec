"""What differs between two values, path by path, generated ids standing for each other."""

from __future__ import annotations

import math
import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Final

from appeval_pipeline.evaluation.regression.identifiers import Pairing, Shape
from appeval_pipeline.evaluation.scenarios.matching import TOLERANCE
from appeval_pipeline.expr.values import equal
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
    mark = pairing.mark()
    if _same(old, new, pairing):
        return True
    pairing.take_back(mark)
    return False


def differences(old: object, new: object, path: str, pairing: Pairing) -> Iterator[Difference]:
    """Each place where the values differ.

    Arrays are aligned at what their beginnings and ends share: one element less is one difference.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        partners = _partners(old, new, pairing)
        for key, value in old.items():
            partner = partners.get(key)
            inner = f"{path}{_step(key)}" if path else key
            yield from differences(value, MISSING if partner is None else new[partner], inner, pairing)
        taken = set(partners.values())
        for key, value in new.items():
            if key not in taken:
                yield Difference(f"{path}{_step(key)}" if path else key, MISSING, value)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _of_arrays(old, new, path, pairing)
    elif old is MISSING or new is MISSING or not same(old, new, pairing):
        yield Difference(path, old, new)


def _of_arrays(old: list[object], new: list[object], path: str, pairing: Pairing) -> Iterator[Difference]:
    shorter = min(len(old), len(new))
    first = 0
    while first < shorter and same(old[first], new[first], pairing):
        first += 1
    last = 0
    while last < shorter - first and same(old[-1 - last], new[-1 - last], pairing):
        last += 1
    for index in range(first, max(len(old), len(new)) - last):
        left = old[index] if index < len(old) - last else MISSING
        right = new[index] if index < len(new) - last else MISSING
        yield from differences(left, right, f"{path}[{index}]", pairing)


def _same(old: object, new: object, pairing: Pairing) -> bool:
    if isinstance(old, dict) and isinstance(new, dict):
        if len(old) != len(new):
            return False
        partners = _partners(old, new, pairing)
        for key, value in old.items():
            partner = partners.get(key)
            if partner is None or not _same(value, new[partner], pairing):
                return False
        return True
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return False
        return all(map(_same, old, new, repeat(pairing)))
    if isinstance(old, str) and isinstance(new, str):
        return pairing.same(old, new)
    if isinstance(old, float) and isinstance(new, int | float) and not isinstance(new, bool):
        return math.isclose(old, new, rel_tol=0, abs_tol=TOLERANCE)
    if isinstance(new, float) and isinstance(old, int) and not isinstance(old, bool):
        return math.isclose(old, new, rel_tol=0, abs_tol=TOLERANCE)
    return old is not MISSING and new is not MISSING and equal(old, new)


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


def _step(key: str) -> str:
    return f".{key}" if _NAME.fullmatch(key) else f'["{key}"]'
