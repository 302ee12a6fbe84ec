"""The places in an expression where it can fail, and whether what is known excludes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from appeval_pipeline.evaluation.quality.guards.assumptions import Assumptions
from appeval_pipeline.evaluation.quality.guards.facts import Facts
from appeval_pipeline.evaluation.quality.guards.terms import Place, canonical, extend, place_of, text_of
from appeval_pipeline.evaluation.quality.guards.types import Items
from appeval_pipeline.expr.tree import (
    BinaryOperator,
    Call,
    Chain,
    Expression,
    Field,
    Index,
    Name,
    Path,
    Unary,
    children,
)
from appeval_pipeline.expr.tree import Literal as Scalar

ModeKind = Literal["key", "subtraction", "division", "removal", "index", "parameter"]
EditKey = tuple[str | int, ...]
_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class FailureMode:
    """One way in which an action can fail where its logic does not say so.

    Attributes:
        action: The action's name.
        kind: What may go wrong: an absent key, a number below zero, a division by zero, the removal of
            what is not there, an index out of range, a parameter that may hold anything.
        location: The expression it is in, e.g. ``actions.transfer.logic[1].target``.
        subject: The expression that may fail, e.g. ``agents[params.to]``.
        description: What may go wrong, in words.
        guarded: Whether every path to it passes a guard that excludes it.
        guard: A condition that would exclude it; None where a constraint in the spec is better.
        block: The keys of the block in the definition.
    """

    action: str
    kind: ModeKind
    location: str
    subject: str
    description: str
    guarded: bool
    guard: str | None
    block: EditKey

    def to_dict(self) -> dict[str, object]:
        return {
            "action": self.action,
            "kind": self.kind,
            "location": self.location,
            "subject": self.subject,
            "description": self.description,
            "guarded": self.guarded,
        }


@dataclass(frozen=True, slots=True)
class Found:
    """A failure mode in an expression; ``tested`` is the place that the expression itself tests for."""

    kind: ModeKind
    subject: str
    description: str
    guarded: bool
    guard: Expression
    tested: Place | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """Where an expression stands: what is known there, and the loop items in scope."""

    assumptions: Assumptions
    facts: Facts
    items: Items

    def find(self, node: Expression) -> Iterator[Found]:
        """Every failure mode in ``node``, with what `&&` and `||` shield already known."""
        match node:
            case Chain(("&&" | "||" as operator, *_), operands):
                facts: Facts | None = self.facts
                for operand in operands:
                    if facts is None:
                        return
                    yield from replace(self, facts=facts).find(operand)
                    facts = self.assumptions.assume(facts, operand, operator == "&&")
            case Chain((operator, *_), operands) if operator in _COMPARISONS:
                for operand in operands:
                    yield from self._compared(operand, equality=operator in ("==", "!="))
            case Chain((("+" | "-"), *_)):
                yield from self._subtractions(node)
                yield from self._inside(node)
            case Chain((("*" | "/"), *_)):
                yield from self._divisions(node)
                yield from self._inside(node)
            case Call(("max" | "abs") as function, arguments):
                for argument in arguments:
                    clamped = function == "abs" or self._has_floor(arguments, argument)
                    is_difference = clamped and isinstance(argument, Chain)
                    yield from self._inside(argument) if is_difference else self.find(argument)
            case Path():
                yield from self.keys(node)
                yield from self._inside(node)
            case _:
                yield from self._inside(node)

    def _inside(self, node: Expression) -> Iterator[Found]:
        for inner in children(node):
            yield from self.find(inner)

    def _compared(self, operand: Expression, *, equality: bool) -> Iterator[Found]:
        """An operand of a comparison: a difference in it is tested, and null can be told from it."""
        match operand:
            case Chain((("+" | "-"), *_)):
                yield from self._inside(operand)
            case Path() if equality:
                yield from self.keys(operand, tested=True)
                yield from self._inside(operand)
            case _:
                yield from self.find(operand)

    def _has_floor(self, arguments: tuple[Expression, ...], argument: Expression) -> bool:
        lowers = (
            self.assumptions.numbers.read(other).lower() for other in arguments if other is not argument
        )
        return any(lower is not None and lower >= 0 for lower in lowers)

    # -- keys and indexes ------------------------------------------------------------------------

    def keys(self, path: Path, *, tested: bool = False, creates: bool = False) -> Iterator[Found]:
        """The caller's keys and indexes in ``path``.

        Args:
            tested: It is compared for equality, which takes null for an answer.
            creates: It is a target whose last key need not be there.
        """
        for position, step in enumerate(path.steps):
            if not isinstance(step, Index) or not self.items.from_caller(step.index):
                continue
            container = extend(path.base, path.steps[:position])
            subject = extend(path.base, path.steps[: position + 1])
            is_last = position == len(path.steps) - 1
            if self.is_index(container, step.index):
                yield self._index(container, step.index, subject)
            elif self._is_closed(container, step.index):
                continue
            elif not (is_last and (tested or (creates and container != Name("agents")))):
                yield self._key(path, subject, tested)

    def _key(self, path: Path, subject: Expression, tested: bool) -> Found:
        place = place_of(subject) or ()
        return Found(
            "key",
            text_of(subject),
            f"'{text_of(subject)}' may be absent: the caller chooses the key",
            self.facts.is_present(place),
            Chain(("!=",), (subject, Scalar(None))),
            place if tested else None,
        )

    def is_index(self, container: Expression, key: Expression) -> bool:
        """Whether ``key`` picks an element of an array, as far as the definition says."""
        if container == Name("agents"):
            return False
        key_type = self.assumptions.types.of(key)
        if key_type is not None:
            return key_type == "number"
        return self.assumptions.types.of(container) == "array"

    def _is_closed(self, container: Expression, key: Expression) -> bool:
        """Whether the key can only be one of the container's declared properties."""
        field = self.assumptions.types.field(container)
        match key:
            case Path(Name("params"), (Field(name),)) if field and field.properties is not None:
                spec = self.assumptions.types.action.parameters.get(name)
                declared = {inner.name for inner in field.properties}
                options = spec.enum if spec is not None else None
                return bool(options) and all(option in declared for option in options or ())
            case _:
                return False

    def _index(self, container: Expression, index: Expression, subject: Expression) -> Found:
        numbers = self.assumptions.numbers
        position, length = numbers.read(index), numbers.read(Call("len", (container,)))
        known = self.facts
        in_range = known.is_at_least_zero(length.plus(position, -1), strict=True) and (
            known.is_at_least_zero(position) or known.is_at_least_zero(length.plus(position))
        )
        guard = Chain(
            ("&&",),
            (
                Chain((">=",), (index, Scalar(0))),
                Chain(("<",), (index, Call("len", (container,)))),
            ),
        )
        return Found(
            "index",
            text_of(subject),
            f"'{text_of(index)}' may be out of range of '{text_of(container)}'",
            in_range,
            guard,
        )

    # -- numbers ---------------------------------------------------------------------------------

    def _subtractions(self, chain: Chain) -> Iterator[Found]:
        for position, operator in enumerate(chain.operators):
            if operator == "-":
                minuend = _prefix(chain, position)
                subtrahend = chain.operands[position + 1]
                if self._counts_state(minuend):
                    yield from self.subtraction(minuend, subtrahend)

    def _counts_state(self, node: Expression) -> bool:
        """Whether ``node`` is a number out of the state, or made of some."""
        match node:
            case Chain((("+" | "-" | "*" | "/"), *_), operands):
                return any(map(self._counts_state, operands))
            case Unary("-", operand):
                return self._counts_state(operand)
            case Call(("round" | "min" | "max" | "abs" | "num"), arguments):
                return any(map(self._counts_state, arguments))
            case _:
                return self.items.from_state(node)

    def subtraction(self, minuend: Expression, subtrahend: Expression) -> Iterator[Found]:
        """``minuend - subtrahend``, unless nothing is taken away."""
        numbers = self.assumptions.numbers
        taken = numbers.read(subtrahend)
        if taken.value is not None and taken.value <= 0:
            return
        text = text_of(_difference(minuend, subtrahend))
        yield Found(
            "subtraction",
            text,
            f"'{text}' may go below zero",
            self.facts.is_at_least_zero(numbers.read(minuend).plus(taken, -1)),
            Chain((">=",), (minuend, subtrahend)),
        )

    def _divisions(self, chain: Chain) -> Iterator[Found]:
        for operator, divisor in zip(chain.operators, chain.operands[1:], strict=True):
            if operator != "/":
                continue
            number = self.assumptions.numbers.read(divisor)
            if Facts().is_not_zero(number):
                continue
            yield Found(
                "division",
                text_of(divisor),
                f"'{text_of(divisor)}' may be zero",
                self.facts.is_not_zero(number),
                Chain(("!=",), (divisor, Scalar(0))),
            )

    # -- removal ---------------------------------------------------------------------------------

    def removal(self, target: Expression, value: Expression) -> Iterator[Found]:
        """``remove`` of ``value`` from ``target``, unless it is one of its own elements by position."""
        if isinstance(value, Path) and _is_element(value, target):
            return
        yield Found(
            "removal",
            f"{text_of(value)} in {text_of(target)}",
            f"'{text_of(value)}' may not be in '{text_of(target)}'",
            self.facts.is_held(text_of(target), text_of(value)),
            Call("contains", (target, value)),
        )

    def guard_of(self, found: Found) -> str:
        """A condition that excludes ``found``, which itself dereferences nothing that may be absent."""
        missing = dict.fromkeys(
            inner.guard
            for inner in self.find(found.guard)
            if inner.kind in ("key", "index") and not inner.guarded and inner.guard != found.guard
        )
        operands = tuple(_flat((*missing, found.guard)))
        operators: tuple[BinaryOperator, ...] = tuple("&&" for _ in operands[1:])
        return text_of(Chain(operators, operands) if operators else found.guard)


def _difference(minuend: Expression, subtrahend: Expression) -> Expression:
    match minuend:
        case Chain((("+" | "-"), *_) as operators, operands):
            return Chain((*operators, "-"), (*operands, subtrahend))
        case _:
            return Chain(("-",), (minuend, subtrahend))


def _flat(guards: tuple[Expression, ...]) -> Iterator[Expression]:
    for guard in guards:
        if isinstance(guard, Chain) and guard.operators[0] == "&&":
            yield from guard.operands
        else:
            yield guard


def _prefix(chain: Chain, position: int) -> Expression:
    """The operands of ``chain`` up to the one before ``operators[position]``."""
    if position == 0:
        return chain.operands[0]
    return Chain(chain.operators[:position], chain.operands[: position + 1])


def _is_element(value: Path, target: Expression) -> bool:
    return isinstance(value.steps[-1], Index) and extend(value.base, value.steps[:-1]) == canonical(target)
