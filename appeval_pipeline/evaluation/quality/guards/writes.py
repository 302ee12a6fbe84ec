"""What is still known after an update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from appeval_pipeline.appdef.schema import Operation
from appeval_pipeline.evaluation.quality.guards.assumptions import Assumptions, present
from appeval_pipeline.evaluation.quality.guards.facts import (
    Differ,
    Each,
    Fact,
    Facts,
    Holds,
    NotZero,
    OneOf,
    Present,
    Reads,
    Same,
)
from appeval_pipeline.evaluation.quality.guards.polynomials import Atom, Polynomial
from appeval_pipeline.evaluation.quality.guards.proofs import AtLeastZero
from appeval_pipeline.evaluation.quality.guards.terms import (
    Place,
    overlap,
    place_of,
    reads_of,
    text_of,
)
from appeval_pipeline.expr.tree import Expression, Path


@dataclass(frozen=True, slots=True)
class Write:
    """An update, canonical."""

    target: Expression
    operation: Operation
    value: Expression
    place: Place

    @classmethod
    def of(cls, target: Expression, operation: Operation, value: Expression) -> Write:
        return cls(target, operation, value, place_of(target) or ())


def after_write(facts: Facts, write: Write, assumptions: Assumptions) -> Facts:
    """What of ``facts`` holds after ``write``, and what it brings."""
    effect = _Effect(facts, write, assumptions)
    kept = tuple(after for fact in facts.known if (after := effect.after(fact)) is not None)
    return Facts(kept).adding(_brought(write, assumptions))


def surviving(facts: Facts, write: Write, assumptions: Assumptions) -> Facts:
    """What of ``facts`` holds however often ``write`` is done, none to many times."""
    effect = _Effect(facts, write, assumptions)
    return Facts(tuple(fact for fact in facts.known if effect.after(fact) == fact))


class _Effect:
    def __init__(self, facts: Facts, write: Write, assumptions: Assumptions) -> None:
        self._facts = facts
        self._write = write
        self._distinct = facts.distinct()
        self._numbers = assumptions.numbers
        self._is_something = assumptions.is_something(write.value)
        self._shift = self._find_shift()

    def _find_shift(self) -> Polynomial | None:
        """The number that the write adds to its target, where it does no more than that."""
        write = self._write
        if write.operation not in ("add", "subtract", "set"):
            return None
        value = self._numbers.read(write.value)
        if write.operation == "set":
            value = value.plus(self._numbers.read(write.target), -1)
        elif write.operation == "subtract":
            value = value.scaled(-1)
        return None if self._touches(value) else value

    def _touches(self, number: Polynomial) -> bool:
        return any(self._overlaps(place) for atom in number.atoms() for place in atom.reads)

    def _overlaps(self, place: Place) -> bool:
        return overlap(self._write.place, place, self._distinct) != "no"

    def after(self, fact: Fact) -> Fact | None:
        """What ``fact`` has become, or None if it may no longer hold."""
        match fact:
            case AtLeastZero(polynomial, strict):
                changed = self._number(polynomial)
                if changed is None and self._only_grows(polynomial):
                    return fact
                return None if changed is None else AtLeastZero(changed, strict)
            case NotZero(polynomial):
                changed = self._number(polynomial)
                return None if changed is None else NotZero(changed)
            case Present(place, keys):
                return None if any(map(self._overlaps, keys)) or self._may_empty(place) else fact
            case Holds(_, _, place, reads):
                return None if any(map(self._overlaps, reads)) or self._may_take_from(place) else fact
            case Same(_, reads) | Differ(_, reads):
                return None if any(map(self._overlaps, reads)) else fact
            case OneOf() | Each():
                return None if self.may_change(fact.reads) else fact

    def may_change(self, reads: Reads) -> bool:
        """Whether a condition that reads these may have another answer after the write."""
        depth = len(self._write.place)
        return any(map(self._overlaps, reads.values)) or any(
            depth <= len(place) and self._overlaps(place) for place in reads.presences
        )

    def _number(self, polynomial: Polynomial) -> Polynomial | None:
        """``polynomial`` in terms of the new values, or None if it cannot be said."""
        touched = [atom for atom in polynomial.atoms() if any(map(self._overlaps, atom.reads))]
        if not touched:
            return polynomial
        target = self._numbers.read(self._write.target)
        if self._shift is None or any(Polynomial.atom(atom) != target for atom in touched):
            return None
        atom = touched[0]
        if any(self._overlaps(place) for place in atom.reads if place != atom.place):
            return None
        return polynomial.replaced(atom, target.plus(self._shift, -1))

    def _only_grows(self, polynomial: Polynomial) -> bool:
        """Whether the write can only make ``polynomial`` greater, whichever elements it meets."""
        if self._shift is None or self._write.operation == "set":
            return False
        for sign in (1, -1):
            if self._facts.is_at_least_zero(self._shift.scaled(sign)):
                return all(
                    len(monomial) == 1 and factor * sign > 0 and self._is_plain(monomial[0])
                    for monomial, factor in polynomial.terms
                    if any(self._overlaps(place) for atom in monomial for place in atom.reads)
                )
        return False

    def _is_plain(self, atom: Atom) -> bool:
        """Whether the write meets ``atom`` as a number, not in the keys that pick it."""
        return (
            atom.place is not None
            and len(atom.place) == len(self._write.place)
            and not any(self._overlaps(place) for place in atom.reads if place != atom.place)
        )

    def _may_empty(self, place: Place) -> bool:
        """Whether the write may leave nothing at ``place``."""
        written = self._write.place
        if not self._overlaps(place) or len(written) > len(place):
            return False
        if len(written) == len(place):
            return self._write.operation == "set" and not self._is_something
        return True

    def _may_take_from(self, container: Place | None) -> bool:
        if container is None or not self._overlaps(container):
            return False
        return not (self._write.operation == "append" and len(self._write.place) == len(container))


def _brought(write: Write, assumptions: Assumptions) -> Iterator[Fact]:
    """What is known of the target now."""
    keys = reads_of(write.target) - {write.place}
    if any(overlap(write.place, place) != "no" for place in keys):
        return  # the write may have changed which element its target names
    reads_itself = any(overlap(write.place, place) != "no" for place in reads_of(write.value))
    match write.operation:
        case "set":
            if assumptions.is_something(write.value):
                yield from present(write.target)
            if not reads_itself and isinstance(write.target, Path):
                numbers = assumptions.numbers
                difference = numbers.read(write.target).plus(numbers.read(write.value), -1)
                yield AtLeastZero(difference)
                yield AtLeastZero(difference.scaled(-1))
        case "append":
            yield from present(write.target)
            if not reads_itself:
                yield Holds(
                    text_of(write.target), text_of(write.value), write.place, reads_of(write.value) | keys
                )
        case "add" | "subtract" | "remove" | "merge":
            yield from present(write.target)


def holds_element(target: Expression, item: Expression) -> Fact:
    """That ``item``, which a loop took from ``target``, is in it."""
    place = place_of(target)
    keys = frozenset(read for read in reads_of(target) if read != place)
    return Holds(text_of(target), text_of(item), place, reads_of(item) | keys)
