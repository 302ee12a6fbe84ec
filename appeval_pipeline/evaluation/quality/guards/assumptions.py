"""From a condition that held, or did not, to facts."""

from __future__ import annotations

from collections.abc import Iterator

from appeval_pipeline.appdef.schema import ActionDefinition, AppDefinition
from appeval_pipeline.evaluation.quality.guards.facts import (
    AtLeastZero,
    Differ,
    Fact,
    Facts,
    Holds,
    NotZero,
    Present,
    join,
)
from appeval_pipeline.evaluation.quality.guards.numbers import Numbers
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
_OWN_ID = "agent.id"


class Assumptions:
    """Reads the conditions of one action."""

    def __init__(self, app: AppDefinition, action: ActionDefinition) -> None:
        self.numbers = Numbers(app, action)
        self.types = Types(app, action)
        self._required = {name for name, spec in action.parameters.items() if spec.required}

    def assume(self, facts: Facts | None, condition: Expression, truth: bool) -> Facts | None:
        """What is known once ``condition``, which is canonical, turned out to be ``truth``.

        None: it never does.
        """
        if facts is None:
            return None
        match condition:
            case Literal(bool() as value):
                return facts if value == truth else None
            case Unary("!", operand):
                return self.assume(facts, operand, not truth)
            case Chain(("&&", *_), operands):
                return self._all(facts, operands, True) if truth else self._some(facts, operands, False)
            case Chain(("||", *_), operands):
                return self._some(facts, operands, True) if truth else self._all(facts, operands, False)
            case Chain((operator,), (left, right)) if operator in _NEGATED:
                return self._compared(facts, operator if truth else _NEGATED[operator], left, right)
            case Call("contains", (container, value)):
                return facts.adding(self._contained(container, value, truth))
            case Path() | Name():
                return facts.adding(present(condition))
            case _:
                return facts

    def _all(self, facts: Facts | None, operands: tuple[Expression, ...], truth: bool) -> Facts | None:
        for operand in operands:
            facts = self.assume(facts, operand, truth)
        return facts

    def _some(self, facts: Facts, operands: tuple[Expression, ...], truth: bool) -> Facts | None:
        """One of the operands is ``truth``, those before it are not."""
        result: Facts | None = None
        before: Facts | None = facts
        for operand in operands:
            result = join(result, self.assume(before, operand, truth))
            before = self.assume(before, operand, not truth)
        return result

    def _compared(self, facts: Facts, operator: str, left: Expression, right: Expression) -> Facts | None:
        if isinstance(left, Literal):
            left, right, operator = right, left, _FLIPPED[operator]
        if isinstance(right, Literal) and isinstance(right.value, bool):
            return self._equals_boolean(facts, operator, left, right.value)
        return facts.adding(self._comparison(operator, left, right))

    def _equals_boolean(self, facts: Facts, operator: str, left: Expression, value: bool) -> Facts | None:
        if operator == "==":
            return self.assume(facts, left, value)
        if operator == "!=" and not isinstance(left, Path | Name):
            return self.assume(facts, left, not value)
        return facts

    def _comparison(self, operator: str, left: Expression, right: Expression) -> Iterator[Fact]:
        if isinstance(right, Literal) and right.value is None:
            if operator == "!=":
                yield from present(left)
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
                yield from _own_entry(left, right)
            case "!=":
                yield NotZero(difference)
                yield Differ(frozenset((text_of(left), text_of(right))), reads_of(left) | reads_of(right))
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


def _own_entry(left: Expression, right: Expression) -> Iterator[Fact]:
    """The caller's own entry, under another name for the caller's id."""
    for key, other in ((left, right), (right, left)):
        if text_of(other) == _OWN_ID and isinstance(key, Path | Name):
            yield from present(extend(Name("agents"), (Index(key),)))


def _inner_reads(node: Expression) -> frozenset[tuple[str, ...]]:
    place = place_of(node)
    return frozenset(read for read in reads_of(node) if read != place)
