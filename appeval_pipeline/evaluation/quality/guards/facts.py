"""What is known on every path that reaches a block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from appeval_pipeline.evaluation.quality.guards.polynomials import Atom, Polynomial
from appeval_pipeline.evaluation.quality.guards.terms import Place

_DEPTH: Final = 3
_BUDGET: Final = 500
OWN: Final[Place] = ("agents", "[agent.id]")


@dataclass(frozen=True, slots=True)
class AtLeastZero:
    """``polynomial >= 0``, or ``> 0`` where strict."""

    polynomial: Polynomial
    strict: bool = False


@dataclass(frozen=True, slots=True)
class NotZero:
    polynomial: Polynomial


@dataclass(frozen=True, slots=True)
class Present:
    """What stands at ``place`` is there and not null; ``keys`` are the places that pick it."""

    place: Place
    keys: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Holds:
    """The array, object or text at ``container`` holds ``value``."""

    container: str
    value: str
    place: Place | None
    reads: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Differ:
    """Two expressions have different values."""

    texts: frozenset[str]
    reads: frozenset[Place] = frozenset()


Fact = AtLeastZero | NotZero | Present | Holds | Differ


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that hold together, in the order in which they came to be known."""

    known: tuple[Fact, ...] = ()

    def adding(self, facts: Iterable[Fact]) -> Facts:
        return Facts(tuple(dict.fromkeys((*self.known, *facts))))

    def without_variable(self, name: str) -> Facts:
        """Those that say nothing of the variable ``name``."""
        return Facts(tuple(fact for fact in self.known if not any(p[0] == name for p in reads_of_fact(fact))))

    def distinct(self) -> frozenset[frozenset[str]]:
        return frozenset(fact.texts for fact in self.known if isinstance(fact, Differ))

    def is_present(self, place: Place) -> bool:
        """Whether something is there: it was found at ``place``, or beneath it."""
        if place == OWN or len(place) == 1:
            return True
        return any(isinstance(fact, Present) and fact.place[: len(place)] == place for fact in self.known)

    def is_held(self, container: str, value: str) -> bool:
        return any(
            isinstance(fact, Holds) and (fact.container, fact.value) == (container, value)
            for fact in self.known
        )

    def is_at_least_zero(self, number: Polynomial, *, strict: bool = False) -> bool:
        return _Proof(self.known).holds(number, strict, _DEPTH)

    def is_not_zero(self, number: Polynomial) -> bool:
        opposite = number.scaled(-1)
        return (
            any(isinstance(fact, NotZero) and fact.polynomial in (number, opposite) for fact in self.known)
            or self.is_at_least_zero(number, strict=True)
            or self.is_at_least_zero(opposite, strict=True)
        )

    def implies(self, fact: Fact) -> bool:
        if fact in self.known:
            return True
        match fact:
            case AtLeastZero(polynomial, strict):
                return self.is_at_least_zero(polynomial, strict=strict)
            case NotZero(polynomial):
                return self.is_not_zero(polynomial)
            case Present(place):
                return self.is_present(place)
            case Holds(container, value):
                return self.is_held(container, value)
            case Differ(texts):
                return texts in self.distinct()


def join(one: Facts | None, other: Facts | None) -> Facts | None:
    """What is known where two paths meet: what both know. None is a path that never gets there."""
    if one is None or other is None:
        return one if other is None else other
    if one.known == other.known:
        return one
    shared = [fact for fact in one.known if other.implies(fact)]
    return Facts(tuple(dict.fromkeys((*shared, *(fact for fact in other.known if one.implies(fact))))))


def reads_of_fact(fact: Fact) -> frozenset[Place]:
    """Every place that ``fact`` is about."""
    match fact:
        case AtLeastZero(polynomial) | NotZero(polynomial):
            return frozenset(place for atom in polynomial.atoms() for place in atom.reads)
        case Present(place, keys):
            return keys | {place}
        case Holds(_, _, place, reads):
            return reads | {place} if place is not None else reads
        case Differ(_, reads):
            return reads


class _Proof:
    """Shows ``number >= 0`` by taking away what is known to be ``>= 0``, a few times at most."""

    def __init__(self, known: Iterable[Fact]) -> None:
        self._facts = tuple(fact for fact in known if isinstance(fact, AtLeastZero))
        self._left = _BUDGET

    def holds(self, number: Polynomial, strict: bool, depth: int) -> bool:
        lowest = number.lower()
        if lowest is not None and (lowest > 0 or (lowest == 0 and not strict)):
            return True
        if depth == 0 or not number.terms:
            return False
        # Whatever has no bound has to go in any proof, so the first of them decides where to begin.
        terms = number.unbounded()[:1] or tuple(term for term in number.terms if term[0])
        for monomial, factor in terms:
            for fact in self._usable(number):
                theirs = fact.polynomial.factor(monomial)
                if theirs * factor <= 0:
                    continue
                if self._left <= 0:
                    return False
                self._left -= 1
                rest = number.plus(fact.polynomial, -factor / theirs)
                if self.holds(rest, strict and not fact.strict, depth - 1):
                    return True
            for rest in _relaxed(number, monomial, factor):
                if self.holds(rest, strict, depth - 1):
                    return True
        return False

    def _usable(self, number: Polynomial) -> Iterator[AtLeastZero]:
        yield from self._facts
        if _is_whole(number):
            for fact in self._facts:
                counted = _counted(fact)
                if counted is not None:
                    yield counted


def _relaxed(number: Polynomial, monomial: tuple[Atom, ...], factor: Fraction) -> Iterator[Polynomial]:
    """Smaller numbers than ``number``: `min` is at most, `max` at least, each of its arguments."""
    if len(monomial) != 1:
        return
    atom = monomial[0]
    without = number.plus(Polynomial.atom(atom), -factor)
    for bound in atom.at_least if factor > 0 else atom.at_most:
        yield without.plus(bound, factor)


def _is_whole(number: Polynomial) -> bool:
    """Whether it is one unknown plus or minus a whole number: a count that goes up or down."""
    unknown = [term for term in number.terms if term[0]]
    return len(unknown) == 1 and unknown[0][1] == 1 and number.factor(()).denominator == 1


def _counted(fact: AtLeastZero) -> AtLeastZero | None:
    """For a count, more than n is at least n + 1."""
    if not fact.strict or not _is_whole(fact.polynomial):
        return None
    return AtLeastZero(fact.polynomial.plus(Polynomial.constant(1), -1))
