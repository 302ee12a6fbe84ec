"""Value positions: is a string an expression, or text?"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.compiled import check_names
from appeval_pipeline.expr.functions import FUNCTIONS
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.templates import Template, parse_template
from appeval_pipeline.expr.tree import (
    ArrayLiteral,
    Chain,
    Expression,
    Literal,
    Name,
    ObjectLiteral,
    Unary,
    calls,
    names,
)


@dataclass(frozen=True, slots=True)
class Text:
    """A string that is text. ``looks_like`` is set where it would also parse as an expression."""

    template: Template
    looks_like: Expression | None = None


def read_value(text: str, scope: Collection[str]) -> Expression | Text:
    """What a string in a value position means, with the names of ``scope`` known.

    It is an expression if it parses and either is a literal or refers to a name in scope (a built-in
    counts where it is called); else it is text. ``agent-service``, a known name minus or divided by an
    unknown bare one, is text.

    Raises:
        ExpressionError: An expression that mixes known and unknown names, or a broken placeholder.
    """
    try:
        tree = parse(text)
    except ExpressionError:
        return Text(parse_template(text))
    if is_literal(tree):
        return tree
    known = any(name.name in scope for name in names(tree)) or any(
        call.function in FUNCTIONS for call in calls(tree)
    )
    if not known or _is_hyphenated(tree, scope):
        return Text(parse_template(text), tree)
    check_names(tree, scope)
    return tree


def is_literal(tree: Expression) -> bool:
    """Whether ``tree`` is a literal: a scalar, a signed number, or arrays and objects of literals."""
    match tree:
        case Literal():
            return True
        case Unary("-", Literal(int() | float() as value)):
            return not isinstance(value, bool)
        case ArrayLiteral(items):
            return all(is_literal(item) for item in items)
        case ObjectLiteral(entries):
            return all(is_literal(value) for _, value in entries)
        case _:
            return False


def _is_hyphenated(tree: Expression, scope: Collection[str]) -> bool:
    """Whether ``tree`` is a known name and words joined by ``-`` or ``/``, one of them unknown."""
    match tree:
        case Chain(operators, (Name(first), *rest)) if set(operators) <= {"-"} or set(operators) <= {"/"}:
            bare = first in scope and all(isinstance(operand, Name | Literal) for operand in rest)
            return bare and any(isinstance(word, Name) and word.name not in scope for word in rest)
        case _:
            return False
