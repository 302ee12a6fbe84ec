"""Texts with ``${expression}`` in them: taken apart, and put together with values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.limits import MAX_EXPRESSION_LENGTH, MAX_STRING_LENGTH, TEXT_UNIT, Meter
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.tree import Expression
from appeval_pipeline.expr.values import too_long

_MARK: Final = re.compile(r"\$\$\{|\$\$|\$\{")
# An unclosed string runs to the end: were it no token, looking for one would begin anew at every quote.
_INSIDE: Final = re.compile(r"""[{}]|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One ``${expression}``; its columns count from ``offset`` characters into the whole text."""

    expression: Expression
    offset: int


Template = tuple[str | Placeholder, ...]


def parse_template(text: str) -> Template:
    """Take an interpolated text apart; ``$$`` is a dollar sign, in ``$${…}`` one before the value.

    Raises:
        ExpressionError: A ``${`` is not closed, or what is in it is no expression.
    """
    parts: list[str | Placeholder] = []
    plain: list[str] = []
    position = 0
    for _ in range(len(text) + 1):
        mark = _MARK.search(text, position)
        if mark is None:
            break
        plain.append(text[position : mark.start()])
        if mark.group().startswith("$$"):
            plain.append("$")
        if mark.group() == "$$":
            position = mark.end()
            continue
        end = _closing(text, mark.end())
        if any(plain):
            parts.append("".join(plain))
        plain = []
        parts.append(Placeholder(_parse_inside(text, mark.end(), end), mark.end()))
        position = end + 1
    plain.append(text[position:])
    if any(plain) or not parts:
        parts.append("".join(plain))
    return tuple(parts)


def _closing(text: str, start: int) -> int:
    depth = 0
    for token in _INSIDE.finditer(text, start, start + MAX_EXPRESSION_LENGTH + 1):
        if token.group() == "{":
            depth += 1
        elif token.group() == "}":
            if depth == 0:
                return token.start()
            depth -= 1
    raise ExpressionError(f"'${{' at column {start - 1} is not closed by '}}'", column=start - 1)


def _parse_inside(text: str, start: int, end: int) -> Expression:
    try:
        return parse(text[start:end])
    except ExpressionError as error:
        column = start + (error.column or 1)
        raise ExpressionError(error.message, column=column) from None


def concat(meter: Meter, *parts: str) -> str:
    """The parts, one after another."""
    length = sum(map(len, parts))
    if length > MAX_STRING_LENGTH:
        raise too_long()
    meter.charge(length // TEXT_UNIT)
    return "".join(parts)
