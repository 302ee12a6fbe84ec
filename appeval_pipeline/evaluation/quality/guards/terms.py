"""Expressions in one spelling each, and the places in the state that they read.

`agents[agent.id]` is `agent`, `x["name"]` is `x.name`: two expressions that print alike read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from typing import Literal as OneOf

from appeval_pipeline.expr.printing import print_expression
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
    Step,
    Unary,
    children,
)

Place = tuple[str, ...]
"""A root and its steps, as texts: ``("agents", "[params.to]", ".balance")``.

`agent` is spelled ``("agents", "[agent.id]")``, so that it can be compared with other agents.
"""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WHOLE: Final = re.compile(r"\[[0-9]+\]")
_OWN_ID: Final = Path(Name("agent"), (Field("id"),))


def canonical(node: Expression) -> Expression:
    """``node`` in the one spelling that all expressions of its meaning share."""
    match node:
        case Literal() | Name():
            return node
        case ArrayLiteral(items):
            return ArrayLiteral(tuple(map(canonical, items)))
        case ObjectLiteral(entries):
            return ObjectLiteral(tuple((key, canonical(value)) for key, value in entries))
        case Call(function, arguments):
            return Call(function, tuple(map(canonical, arguments)))
        case Unary("-", Literal(int() | float() as value)) if not isinstance(value, bool):
            return Literal(-value)
        case Unary(operator, operand):
            return Unary(operator, canonical(operand))
        case Chain(operators, operands):
            return Chain(operators, tuple(map(canonical, operands)))
        case Path(base, steps):
            return extend(canonical(base), tuple(map(_step, steps)))


def _step(step: Step) -> Step:
    match step:
        case Index(Literal(str(name))) if _NAME.fullmatch(name):
            return Field(name)
        case Index(index):
            return Index(canonical(index))
        case Field(name):
            return Field(name)


def extend(base: Expression, steps: tuple[Step, ...]) -> Expression:
    """The path ``base`` and then ``steps``, which are canonical."""
    if isinstance(base, Path):
        return extend(base.base, base.steps + steps)
    if base == Name("agents") and steps and steps[0] == Index(_OWN_ID):
        base, steps = Name("agent"), steps[1:]
    return Path(base, steps) if steps else base


def with_variable(node: Expression, name: str, other: Name) -> Expression:
    """Canonical ``node`` with the variable ``other`` in the place of ``name``."""
    match node:
        case Name(given):
            return other if given == name else node
        case Literal():
            return node
        case ArrayLiteral(items):
            return ArrayLiteral(tuple(with_variable(item, name, other) for item in items))
        case ObjectLiteral(entries):
            return ObjectLiteral(tuple((key, with_variable(value, name, other)) for key, value in entries))
        case Call(function, arguments):
            return Call(function, tuple(with_variable(argument, name, other) for argument in arguments))
        case Unary(operator, operand):
            return Unary(operator, with_variable(operand, name, other))
        case Chain(operators, operands):
            return Chain(operators, tuple(with_variable(operand, name, other) for operand in operands))
        case Path(base, steps):
            changed = tuple(
                Index(with_variable(step.index, name, other)) if isinstance(step, Index) else step
                for step in steps
            )
            return Path(with_variable(base, name, other), changed)


def text_of(node: Expression) -> str:
    return print_expression(node)


def place_of(node: Expression) -> Place | None:
    """Where ``node`` reads, if it is a variable or a path from one."""
    match node:
        case Name("agent"):
            return ("agents", "[agent.id]")
        case Name(name):
            return (name,)
        case Path(Name() as base, steps):
            root = place_of(base)
            return (*(root or ()), *map(_step_text, steps))
        case _:
            return None


def _step_text(step: Step) -> str:
    return f".{step.name}" if isinstance(step, Field) else f"[{text_of(step.index)}]"


def reads_of(node: Expression) -> frozenset[Place]:
    """Every place that the value of ``node`` depends on, those that pick its keys included."""
    found: set[Place] = set()
    pending = [node]
    while pending:
        current = pending.pop()
        place = place_of(current)
        if place is not None and place != ("agents", "[agent.id]", ".id"):
            found.add(place)
        inner = children(current)
        pending.extend(inner[1:] if place is not None and inner else inner)
    return frozenset(found)


Overlap = OneOf["no", "maybe", "yes"]


def overlap(one: Place, other: Place, distinct: Iterable[frozenset[str]] = ()) -> Overlap:
    """Whether two places share storage: one is the other, or lies within it.

    ``distinct`` holds pairs of key texts that are known to differ. Different key expressions may pick
    the same element, different names never do.
    """
    result: Overlap = "yes"
    for mine, theirs in zip(one, other, strict=False):
        if mine == theirs:
            continue
        if mine[0] != "[" and theirs[0] != "[":
            return "no"
        if _WHOLE.fullmatch(mine) and _WHOLE.fullmatch(theirs):
            return "no"
        if frozenset((_key(mine), _key(theirs))) in distinct:
            return "no"
        result = "maybe"
    return result


def _key(step: str) -> str:
    return step[1:-1] if step[0] == "[" else repr(step[1:])
