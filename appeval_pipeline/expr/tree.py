"""The syntax tree of an expression: frozen, comparable, without positions in comparisons.

A run of operators of one precedence is one `Chain`, and a run of ``.x`` and ``[i]`` one `Path`, so a
tree is only as deep as the text is nested, and walking it never exhausts the stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal as OneOf

UnaryOperator = OneOf["!", "-"]
BinaryOperator = OneOf["||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"]


def _column() -> int:
    return field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, string, boolean or null."""

    value: int | float | str | bool | None
    column: int = _column()


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str
    column: int = _column()


@dataclass(frozen=True, slots=True)
class ArrayLiteral:
    items: tuple[Expression, ...]
    column: int = _column()


@dataclass(frozen=True, slots=True)
class ObjectLiteral:
    entries: tuple[tuple[str, Expression], ...]
    column: int = _column()


@dataclass(frozen=True, slots=True)
class Field:
    """The step ``.name`` of a path."""

    name: str
    column: int = _column()


@dataclass(frozen=True, slots=True)
class Index:
    """The step ``[index]`` of a path."""

    index: Expression
    column: int = _column()


Step = Field | Index


@dataclass(frozen=True, slots=True)
class Path:
    """A base and at least one step; the base is never a path itself."""

    base: Expression
    steps: tuple[Step, ...]
    column: int = _column()


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple[Expression, ...]
    column: int = _column()


@dataclass(frozen=True, slots=True)
class Unary:
    operator: UnaryOperator
    operand: Expression
    column: int = _column()


@dataclass(frozen=True, slots=True)
class Chain:
    """``operands[0] operators[0] operands[1] …``, all of one precedence, grouped from the left."""

    operators: tuple[BinaryOperator, ...]
    operands: tuple[Expression, ...]
    columns: tuple[int, ...] = field(default=(), compare=False, repr=False)

    @property
    def column(self) -> int:
        return self.operands[0].column


Expression = Literal | Name | ArrayLiteral | ObjectLiteral | Path | Call | Unary | Chain


def children(node: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside ``node``, in the order of the text."""
    match node:
        case Literal() | Name():
            return ()
        case ArrayLiteral(items):
            return items
        case ObjectLiteral(entries):
            return tuple(value for _, value in entries)
        case Path(base, steps):
            return (base, *(step.index for step in steps if isinstance(step, Index)))
        case Call(_, arguments):
            return arguments
        case Unary(_, operand):
            return (operand,)
        case Chain(_, operands):
            return operands


def walk(node: Expression) -> Iterator[Expression]:
    """``node`` and everything inside it, outer before inner."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(reversed(children(current)))


def nesting(node: Expression) -> int:
    """How many operators, paths, calls and literals with parts stand inside one another."""
    deepest = 0
    pending = [(node, 0)]
    while pending:
        current, depth = pending.pop()
        if not isinstance(current, Literal | Name):
            depth += 1
            deepest = max(deepest, depth)
        pending.extend((child, depth) for child in children(current))
    return deepest


def names(node: Expression) -> Iterator[Name]:
    """Every variable that ``node`` refers to, in the order of the text."""
    return (inner for inner in walk(node) if isinstance(inner, Name))


def calls(node: Expression) -> Iterator[Call]:
    """Every function call in ``node``, outer before inner."""
    return (inner for inner in walk(node) if isinstance(inner, Call))


def operation_count(node: Expression) -> int:
    """How many operators, steps, calls and parts ``node`` has: the work of evaluating all of it."""
    count = 0
    for inner in walk(node):
        match inner:
            case Chain(operators):
                count += len(operators)
            case Path(_, steps):
                count += len(steps)
            case Unary():
                count += 1
            case Call() | ArrayLiteral() | ObjectLiteral():
                count += 1 + len(children(inner))
            case _:
                pass
    return count
