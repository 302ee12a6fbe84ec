"""What is known on every path that reaches a block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.evaluation.quality.guards.polynomials import Polynomial
from appeval_pipeline.evaluation.quality.guards.proofs import AtLeastZero, Proof
from appeval_pipeline.evaluation.quality.guards.terms import Place, place_of, reads_of
from appeval_pipeline.expr.tree import Chain, Expression, Literal, Path, Unary

_MOST_FACTS: Final = 250
OWN: Final[Place] = ("agents", "[agent.id]")
Texts = frozenset[str]


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
class Same:
    """Two expressions have one value."""

    texts: Texts
    reads: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Differ:
    """Two expressions have different values."""

    texts: Texts
    reads: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Reads:
    """What a condition reads: ``values``, and the places that it only asks whether they are null."""

    values: frozenset[Place]
    presences: frozenset[Place]

    @classmethod
    def of(cls, conditions: Iterable[Expression]) -> Reads:
        values: set[Place] = set()
        presences: set[Place] = set()
        pending = list(conditions)
        while pending:
            condition = pending.pop()
            match condition:
                case Chain((("&&" | "||"), *_), operands):
                    pending.extend(operands)
                case Unary("!", operand):
                    pending.append(operand)
                case Chain((("==" | "!="),), (Path() as path, Literal(None))) | Chain(
                    (("==" | "!="),), (Literal(None), Path() as path)
                ):
                    place = place_of(path)
                    values |= {read for read in reads_of(path) if read != place}
                    if place is not None:
                        presences.add(place)
                case _:
                    values |= reads_of(condition)
        return cls(frozenset(values), frozenset(presences))

    def without_variable(self, name: str) -> Reads:
        return Reads(
            frozenset(place for place in self.values if place[0] != name),
            frozenset(place for place in self.presences if place[0] != name),
        )

    def adding(self, values: frozenset[Place]) -> Reads:
        return Reads(self.values | values, self.presences)


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of the conditions is ``truth``."""

    conditions: tuple[Expression, ...]
    truth: bool
    reads: Reads


@dataclass(frozen=True, slots=True)
class Each:
    """``condition`` is ``truth`` of every element of ``collection``, called ``item`` in it."""

    collection: Expression
    item: str
    condition: Expression
    truth: bool
    reads: Reads


Fact = AtLeastZero | NotZero | Present | Holds | Same | Differ | OneOf | Each


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that hold together, in the order in which they came to be known."""

    known: tuple[Fact, ...] = ()

    def adding(self, facts: Iterable[Fact]) -> Facts:
        """With ``facts``; of too many, the oldest are forgotten, which only loses guards."""
        known = self.known
        for fact in facts:
            if fact not in known:
                known = (*known[-_MOST_FACTS:], fact)
        return Facts(known)

    def without_variable(self, name: str) -> Facts:
        """Those that say nothing of the variable ``name``."""
        return Facts(
            tuple(fact for fact in self.known if all(place[0] != name for place in reads_of_fact(fact)))
        )

    def same(self) -> frozenset[Texts]:
        return frozenset(fact.texts for fact in self.known if isinstance(fact, Same))

    def distinct(self) -> frozenset[Texts]:
        return frozenset(fact.texts for fact in self.known if isinstance(fact, Differ))

    def is_present(self, place: Place) -> bool:
        """Whether something is there: it was found at ``place``, or beneath it."""
        if len(place) == 1:
            return True
        same = self.same()
        found = (OWN, *(fact.place for fact in self.known if isinstance(fact, Present)))
        return any(_reaches(other, place, same) for other in found)

    def is_held(self, container: str, value: str) -> bool:
        same = self.same()
        return any(
            isinstance(fact, Holds)
            and fact.container == container
            and (fact.value == value or frozenset((fact.value, value)) in same)
            for fact in self.known
        )

    def is_at_least_zero(self, number: Polynomial, *, strict: bool = False) -> bool:
        return Proof(self.known).holds(number, strict)

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
            case Same(texts):
                return texts in self.same()
            case Differ(texts):
                return texts in self.distinct()
            case OneOf() | Each():
                return False

    def excludes(self, fact: Fact) -> bool:
        """Whether ``fact`` cannot hold beside these."""
        match fact:
            case AtLeastZero(polynomial, strict):
                return Proof(self.known, 1).holds(polynomial.scaled(-1), not strict)
            case NotZero(polynomial):
                proof = Proof(self.known, 1)
                return proof.holds(polynomial, False) and proof.holds(polynomial.scaled(-1), False)
            case Same(texts):
                return texts in self.distinct() or _opposite(texts) in self.same()
            case Differ(texts):
                return texts in self.same()
            case _:
                return False


def _opposite(texts: Texts) -> Texts | None:
    """For something that is true, that it is false, and the other way round."""
    for mine, other in (("true", "false"), ("false", "true")):
        if mine in texts:
            return texts - {mine} | {other}
    return None


def _reaches(found: Place, place: Place, same: frozenset[Texts]) -> bool:
    """Whether ``found`` is ``place``, or lies beneath it."""
    return len(found) >= len(place) and all(
        theirs == mine or frozenset((theirs[1:-1], mine[1:-1])) in same
        for theirs, mine in zip(found, place, strict=False)
    )


def join(one: Facts | None, other: Facts | None) -> Facts | None:
    """What is known where two paths meet: what both know. None is a path that never gets there."""
    if one is None or other is None:
        return one if other is None else other
    if one.known == other.known:
        return one
    # What neither path touched is one object in both, and so is quickly found.
    mine, theirs = set(map(id, one.known)), set(map(id, other.known))
    shared = tuple(fact for fact in one.known if id(fact) in theirs or other.implies(fact))
    return Facts(shared).adding(fact for fact in other.known if id(fact) not in mine and one.implies(fact))


def reads_of_fact(fact: Fact) -> frozenset[Place]:
    """Every place that ``fact`` is about."""
    match fact:
        case AtLeastZero(polynomial) | NotZero(polynomial):
            return frozenset(place for atom in polynomial.atoms() for place in atom.reads)
        case Present(place, keys):
            return keys | {place}
        case Holds(_, _, place, reads):
            return reads | {place} if place is not None else reads
        case Same(_, reads) | Differ(_, reads):
            return reads
        case OneOf() | Each():
            return fact.reads.values | fact.reads.presences
