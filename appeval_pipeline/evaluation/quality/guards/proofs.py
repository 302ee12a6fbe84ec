"""Showing that a number is not below zero, from what is known of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from appeval_pipeline.evaluation.quality.guards.polynomials import Monomial, Polynomial

MOST_STEPS: Final = 3
_BUDGET: Final = 500


@dataclass(frozen=True, slots=True)
class AtLeastZero:
    """``polynomial >= 0``, or ``> 0`` where strict."""

    polynomial: Polynomial
    strict: bool = False


class Proof:
    """Shows ``number >= 0`` by taking away what is known to be ``>= 0``, ``depth`` times at most."""

    def __init__(self, known: Iterable[object], depth: int = MOST_STEPS) -> None:
        self._by_monomial: dict[Monomial, list[tuple[Fraction, AtLeastZero]]] = {}
        for fact in known:
            if isinstance(fact, AtLeastZero):
                for monomial, factor in fact.polynomial.terms:
                    self._by_monomial.setdefault(monomial, []).append((factor, fact))
        self._depth = depth
        self._left = _BUDGET

    def holds(self, number: Polynomial, strict: bool) -> bool:
        """Whether ``number >= 0``, or ``> 0`` where ``strict``; False also where no proof was found."""
        return self._holds(number, strict, self._depth)

    def _holds(self, number: Polynomial, strict: bool, depth: int) -> bool:
        lowest = number.lower()
        if lowest is not None and (lowest > 0 or (lowest == 0 and not strict)):
            return True
        if depth == 0 or not number.terms:
            return False
        terms = tuple(term for term in number.terms if term[0])
        for monomial, factor in terms:
            for rest in _relaxed(number, monomial, factor):
                if self._spend() and self._holds(rest, strict, depth - 1):
                    return True
        # Whatever has no bound has to go in any proof, so the first of them decides where to begin.
        for monomial, factor in number.unbounded()[:1] or terms:
            for theirs, fact in self._by_monomial.get(monomial, ()):
                if theirs * factor <= 0:
                    continue
                for usable in _readings(fact, number):
                    rest = number.plus(usable.polynomial, -factor / theirs)
                    needed = strict and not usable.strict
                    if self._spend() and self._holds(rest, needed, depth - 1):
                        return True
        return False

    def _spend(self) -> bool:
        self._left -= 1
        return self._left >= 0


def _readings(fact: AtLeastZero, number: Polynomial) -> Iterator[AtLeastZero]:
    """``fact``, and for a count that is more than n, that it is at least n + 1."""
    yield fact
    if fact.strict and _is_count(number) and _is_count(fact.polynomial):
        yield AtLeastZero(fact.polynomial.plus(Polynomial.constant(1), -1))


def _relaxed(number: Polynomial, monomial: Monomial, factor: Fraction) -> Iterator[Polynomial]:
    """Smaller numbers than ``number``: `min` is at most, `max` at least, each of its arguments."""
    if len(monomial) != 1:
        return
    atom = monomial[0]
    without = number.plus(Polynomial.atom(atom), -factor)
    for bound in atom.at_least if factor > 0 else atom.at_most:
        yield without.plus(bound, factor)


def _is_count(number: Polynomial) -> bool:
    """Whether it is one unknown plus or minus a whole number, as a count that goes up or down is."""
    unknown = [term for term in number.terms if term[0]]
    return len(unknown) == 1 and unknown[0][1] == 1 and number.factor(()).denominator == 1
