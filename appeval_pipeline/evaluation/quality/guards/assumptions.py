"""From a condition that held, or did not, to facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from appeval_pipeline.appdef.schema import ActionDefinition, AppDefinition
from appeval_pipeline.evaluation.quality.guards.facts import (
    Differ,
    Fact,
    Facts,
    Holds,
    NotZero,
    OneOf,
    Present,
    Reads,
    Same,
    join,
)
from appeval_pipeline.evaluation.quality.guards.numbers import Numbers
from appeval_pipeline.evaluation.quality.guards.proofs import AtLeastZero
from appeval_pipeline.evaluation.quality.guards.terms import extend, place_of, reads_of, text_of
from appeval_pipeline.evaluation.quality.guards.types import Types
from appeval_pipeline.expr.tree import (
    ArrayLiteral,
    Call,
    Chain,
    Expression,
    Field,
    Index,
    Literal,
    Name,
    ObjectLiteral,
    Path,
    Unary,
)

_NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_MOST_CHOICES: Final = 8
_BUDGET: Final = 10_000
"""Conditions looked at in one action; beyond that nothing is learned, which only loses guards."""


class Assumptions:
    """Reads the conditions of one action."""

    def __init__(self, app: AppDefinition, action: ActionDefinition) -> None:
        self.numbers = Numbers(app, action)
        self.types = Types(app, action)
        self._left = _BUDGET
        self._required = {name for name, spec in action.parameters.items() if spec.required}

    def assume(self, facts: Facts | None, condition: Expression, truth: bool) -> Facts | None:
        """What is known once ``condition``, which is canonical, turned out to be ``truth``.

        None: it never does.
        """
        result = self._assume(facts, condition, truth)
        if result is None:
            return None
        reads = reads_of(condition)
        choices = [
            fact
            for fact in result.known
            if isinstance(fact, OneOf) and not reads.isdisjoint(fact.reads.values | fact.reads.presences)
        ]
        for choice in choices[-_MOST_CHOICES:]:
            if result is not None:
                result = self._some(result, choice.conditions, choice.truth)
        return result

    def _assume(self, facts: Facts | None, condition: Expression, truth: bool) -> Facts | None:
        self._left -= 1
        if facts is None or self._left < 0:
            return facts
        match condition:
            case Literal(bool() as value):
                return facts if value == truth else None
            case Unary("!", operand):
                return self._assume(facts, operand, not truth)
            case Chain(("&&", *_), operands):
                return self._all(facts, operands, True) if truth else self._some(facts, operands, False)
            case Chain(("||", *_), operands):
                return self._some(facts, operands, True) if truth else self._all(facts, operands, False)
            case Chain((operator,), (left, right)) if operator in _NEGATED:
                return self._compared(facts, operator if truth else _NEGATED[operator], left, right)
            case Call("contains", (container, value)):
                return _learn(facts, self._contained(container, value, truth))
            case Path() | Name():
                return _learn(facts, _is_boolean(condition, truth))
            case _:
                return facts

    def _all(self, facts: Facts | None, operands: tuple[Expression, ...], truth: bool) -> Facts | None:
        for operand in operands:
            facts = self._assume(facts, operand, truth)
        return facts

    def _some(self, facts: Facts, operands: tuple[Expression, ...], truth: bool) -> Facts | None:
        """One of the operands is ``truth``, those before it are not."""
        result: Facts | None = None
        before: Facts | None = facts
        possible = 0
        for operand in operands:
            so = self._assume(before, operand, truth)
            possible += so is not None
            result = join(result, so)
            before = self._assume(before, operand, not truth)
        if result is None or possible < 2 or len(operands) > _MOST_CHOICES:
            return result
        return result.adding((OneOf(operands, truth, Reads.of(operands)),))

    def _compared(self, facts: Facts, operator: str, left: Expression, right: Expression) -> Facts | None:
        if isinstance(left, Literal):
            left, right, operator = right, left, _FLIPPED[operator]
        if isinstance(right, Literal) and isinstance(right.value, bool):
            return self._equals_boolean(facts, operator, left, right.value)
        return _learn(facts, self._comparison(facts, operator, left, right))

    def _equals_boolean(self, facts: Facts, operator: str, left: Expression, value: bool) -> Facts | None:
        if operator == "==":
            return self._assume(facts, left, value)
        if operator == "!=" and not isinstance(left, Path | Name):
            return self._assume(facts, left, not value)
        return facts

    def _comparison(self, facts: Facts, operator: str, left: Expression, right: Expression) -> Iterator[Fact]:
        pair = frozenset((text_of(left), text_of(right)))
        reads = reads_of(left) | reads_of(right)
        if isinstance(right, Literal) and right.value is None:
            if operator == "!=":
                yield from present(left)
                yield Differ(pair, reads)
                return
            place = place_of(left)
            if place is not None and facts.is_present(place):
                yield Differ(pair, reads)
            yield Same(pair, reads)
            return
        difference = self.numbers.read(left).plus(self.numbers.read(right), -1)
        match operator:
            case "==":
                yield AtLeastZero(difference)
                yield AtLeastZero(difference.scaled(-1))
                if self.is_something(right):
                    yield from present(left)
                if self.is_something(left):
                    yield from present(right)
                yield Same(pair, reads)
            case "!=":
                yield NotZero(difference)
                yield Differ(pair, reads)
            case _:
                # Ordering null is an error, so whatever was compared is there.
                yield from _operands_present(left)
                yield from _operands_present(right)
                up = operator in (">", ">=")
                yield AtLeastZero(difference if up else difference.scaled(-1), operator in (">", "<"))

    def _contained(self, container: Expression, value: Expression, truth: bool) -> Iterator[Fact]:
        yield from present(container)
        if not truth:
            return
        yield Holds(
            text_of(container),
            text_of(value),
            place_of(container),
            reads_of(value) | _inner_reads(container),
        )
        if self.types.of(container) != "array":
            yield from present(extend(container, (Index(value),)))

    def is_something(self, node: Expression) -> bool:
        """Whether ``node``, if it has a value at all, is never null."""
        match node:
            case Literal(value):
                return value is not None
            case Path(Name("params"), (Field(name),)):
                return name in self._required
            case Path(Name("agent"), (Field("id"),)):
                return True
            case Unary() | Chain() | Call() | ArrayLiteral() | ObjectLiteral():
                return True
            case _:
                return False


def _learn(facts: Facts, new: Iterable[Fact]) -> Facts | None:
    """``facts`` and the ``new`` ones; None where they cannot hold together."""
    for fact in new:
        if facts.excludes(fact):
            return None
        facts = facts.adding((fact,))
    return facts


def _is_boolean(node: Expression, truth: bool) -> Iterator[Fact]:
    yield from present(node)
    yield Same(frozenset((text_of(node), "true" if truth else "false")), reads_of(node))


def present(node: Expression) -> Iterator[Fact]:
    """That the value of ``node`` is there, if it is a path."""
    place = place_of(node)
    if place is not None and len(place) > 1:
        yield Present(place, _inner_reads(node))


def _operands_present(node: Expression) -> Iterator[Fact]:
    match node:
        case Path():
            yield from present(node)
        case Unary("-", operand):
            yield from _operands_present(operand)
        case Chain((("+" | "-" | "*" | "/"), *_), operands):
            for operand in operands:
                yield from _operands_present(operand)
        case Call(("len" | "abs" | "round" | "min" | "max"), arguments):
            for argument in arguments:
                yield from _operands_present(argument)
        case _:
            return


def _inner_reads(node: Expression) -> frozenset[tuple[str, ...]]:
    place = place_of(node)
    return frozenset(read for read in reads_of(node) if read != place)
