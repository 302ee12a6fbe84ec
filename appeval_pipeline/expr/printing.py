"""Syntax tree to text: the shortest spelling that parses back to the same tree."""

from __future__ import annotations

import json
import re
from typing import Final

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
)

_LEVEL: Final = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6,
}  # fmt: skip
_UNARY_LEVEL: Final = 7
_PATH_LEVEL: Final = 8
_PRIMARY_LEVEL: Final = 9
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def print_expression(node: Expression) -> str:
    """The text of ``node``; ``parse`` of it gives an equal tree."""
    match node:
        case Literal(value):
            return print_literal(value)
        case Name(name):
            return name
        case ArrayLiteral(items):
            return f"[{', '.join(map(print_expression, items))}]"
        case ObjectLiteral(entries):
            inner = ", ".join(f"{_key(key)}: {print_expression(value)}" for key, value in entries)
            return f"{{{inner}}}"
        case Call(function, arguments):
            return f"{function}({', '.join(map(print_expression, arguments))})"
        case Path(base, steps):
            return _inside(base, _PATH_LEVEL) + "".join(map(_step, steps))
        case Unary(operator, operand):
            return operator + _inside(operand, _UNARY_LEVEL)
        case Chain():
            return _chain(node)


def _chain(node: Chain) -> str:
    level = _LEVEL[node.operators[0]] + 1
    parts = [_inside(node.operands[0], level)]
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        parts += [operator, _inside(operand, level)]
    return " ".join(parts)


def print_literal(value: int | float | str | bool | None) -> str:
    """A scalar as an expression spells it; strings in single quotes."""
    if isinstance(value, str):
        body = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
        return f"'{body}'"
    if isinstance(value, float):
        return _decimal(value)
    return json.dumps(value)


def _decimal(value: float) -> str:
    """A float without an exponent, which the language does not have."""
    text = repr(value)
    if "e" not in text:
        return text
    digits = f"{value:.400f}".rstrip("0")
    return digits + "0" if digits.endswith(".") else digits


def _level(node: Expression) -> int:
    match node:
        case Chain(operators):
            return _LEVEL[operators[0]]
        case Unary():
            return _UNARY_LEVEL
        case Path():
            return _PATH_LEVEL
        case _:
            return _PRIMARY_LEVEL


def _inside(node: Expression, level: int) -> str:
    text = print_expression(node)
    return f"({text})" if _level(node) < level else text


def _key(key: str) -> str:
    return key if _NAME.fullmatch(key) else print_literal(key)


def _step(step: Step) -> str:
    match step:
        case Field(name):
            return f".{name}"
        case Index(index):
            return f"[{print_expression(index)}]"
