"""Numbers as polynomials over what cannot be taken apart: `agent.balance - 2 * params.amount`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from appeval_pipeline.evaluation.quality.guards.terms import Place

_MOST_TERMS: Final = 32


@dataclass(frozen=True, slots=True, eq=False)
class Atom:
    """A part of a number that is not taken apart, with what is known of it at all times.

    Attributes:
        text: Its canonical spelling; within one action, two atoms are one if their texts are.
        place: Where it reads, if it is a plain path.
        reads: Every place it depends on.
        lower, upper: Bounds that hold always, from a parameter's spec or the function it is.
        at_most, at_least: Numbers that it never goes beyond: the arguments of `min` and of `max`.
    """

    text: str
    place: Place | None
    reads: frozenset[Place]
    lower: Fraction | None = None
    upper: Fraction | None = None
    at_most: tuple[Polynomial, ...] = ()
    at_least: tuple[Polynomial, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


Monomial = tuple[Atom, ...]


def _order(monomial: Monomial) -> tuple[str, ...]:
    return tuple(atom.text for atom in monomial)


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of products; ``terms`` are in the order of their texts and have no zero coefficient."""

    terms: tuple[tuple[Monomial, Fraction], ...]

    @classmethod
    def of(cls, terms: Mapping[Monomial, Fraction]) -> Polynomial:
        kept = ((monomial, factor) for monomial, factor in terms.items() if factor)
        return cls(tuple(sorted(kept, key=lambda term: _order(term[0]))))

    @classmethod
    def constant(cls, value: Fraction | int) -> Polynomial:
        return cls.of({(): Fraction(value)})

    @classmethod
    def atom(cls, atom: Atom) -> Polynomial:
        return cls.of({(atom,): Fraction(1)})

    @property
    def value(self) -> Fraction | None:
        """The number that it is, if it is one."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    def factor(self, monomial: Monomial) -> Fraction:
        return next((factor for mine, factor in self.terms if mine == monomial), Fraction(0))

    def atoms(self) -> Iterator[Atom]:
        return (atom for monomial, _ in self.terms for atom in monomial)

    def plus(self, other: Polynomial, times: Fraction | int = 1) -> Polynomial:
        """``self + times * other``."""
        sums = dict(self.terms)
        for monomial, factor in other.terms:
            sums[monomial] = sums.get(monomial, Fraction(0)) + factor * times
        return Polynomial.of(sums)

    def scaled(self, times: Fraction | int) -> Polynomial:
        return Polynomial.of({monomial: factor * times for monomial, factor in self.terms})

    def times(self, other: Polynomial) -> Polynomial | None:
        """The product, or None if it has too many terms to be worth writing out."""
        if len(self.terms) * len(other.terms) > _MOST_TERMS:
            return None
        products: dict[Monomial, Fraction] = {}
        for mine, my_factor in self.terms:
            for theirs, their_factor in other.terms:
                if len(mine) + len(theirs) > _MOST_TERMS:
                    return None
                monomial = tuple(sorted((*mine, *theirs), key=lambda atom: atom.text))
                products[monomial] = products.get(monomial, Fraction(0)) + my_factor * their_factor
        return Polynomial.of(products)

    def replaced(self, atom: Atom, by: Polynomial) -> Polynomial | None:
        """With ``by`` in the place of ``atom``, or None if that has too many terms."""
        result = Polynomial(())
        for monomial, factor in self.terms:
            product = Polynomial.constant(factor)
            for part in monomial:
                step = product.times(by if part == atom else Polynomial.atom(part))
                if step is None:
                    return None
                product = step
            result = result.plus(product)
        return result

    def lower(self) -> Fraction | None:
        """The greatest number known to be at most this one, from the bounds of its atoms alone."""
        total = Fraction(0)
        for monomial, factor in self.terms:
            bound = _lowest(monomial, factor)
            if bound is None:
                return None
            total += bound
        return total

    def unbounded(self) -> tuple[tuple[Monomial, Fraction], ...]:
        """The terms that keep it from having a lower bound."""
        return tuple(term for term in self.terms if _lowest(*term) is None)


def _lowest(monomial: Monomial, factor: Fraction) -> Fraction | None:
    """The least value of ``factor * monomial``."""
    product = factor
    for atom in monomial:
        bound = atom.lower if factor > 0 else atom.upper
        alone = len(monomial) == 1
        if bound is None or not (alone or (atom.lower is not None and atom.lower >= 0)):
            return None
        product *= bound
    return product
