"""The expressions of a block, by the key they stand under."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import assert_never

from pydantic import JsonValue

from appeval_pipeline.appdef.schema import (
    AnyBlock,
    BranchBlock,
    ErrorBlock,
    LoopBlock,
    NotifyBlock,
    ReturnBlock,
    UpdateBlock,
    ValidateBlock,
)
from appeval_pipeline.evaluation.quality.guards.terms import canonical
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.positions import Text, read_value
from appeval_pipeline.expr.templates import Template, parse_template
from appeval_pipeline.expr.tree import ArrayLiteral, Call, Expression, Literal, ObjectLiteral

TEXT_FUNCTION = "text"
"""A function of no name in the language: what stands in the placeholders of a text, put together."""


@lru_cache(maxsize=4096)
def expression(text: str) -> Expression:
    return canonical(parse(text))


@lru_cache(maxsize=4096)
def template(text: str) -> Expression:
    return _text(parse_template(text))


def value(given: JsonValue, scope: Collection[str]) -> Expression:
    """A value position as one expression: nested objects and arrays become literals."""
    match given:
        case str():
            return _value_text(given, frozenset(scope))
        case dict():
            return ObjectLiteral(tuple((key, value(inner, scope)) for key, inner in given.items()))
        case list():
            return ArrayLiteral(tuple(value(inner, scope) for inner in given))
        case _:
            return canonical(Literal(given))


@lru_cache(maxsize=4096)
def _value_text(given: str, scope: frozenset[str]) -> Expression:
    meaning = read_value(given, scope)
    return _text(meaning.template) if isinstance(meaning, Text) else canonical(meaning)


def _text(parts: Template) -> Expression:
    placeholders = tuple(canonical(part.expression) for part in parts if not isinstance(part, str))
    if placeholders:
        return Call(TEXT_FUNCTION, placeholders)
    return Literal("".join(part for part in parts if isinstance(part, str)))


def parts(block: AnyBlock, scope: Collection[str]) -> tuple[tuple[str, Expression], ...]:
    """Every expression of ``block`` itself, canonical, in the order in which they are evaluated."""
    match block:
        case ValidateBlock():
            return (
                ("condition", expression(block.condition)),
                ("errorMessage", template(block.error_message)),
            )
        case UpdateBlock():
            return (("target", expression(block.target)), ("value", value(block.value, scope)))
        case NotifyBlock():
            return (
                ("to", expression(block.to)),
                ("message", template(block.message)),
                ("data", value(block.data, scope)),
            )
        case ReturnBlock():
            return (("value", value(block.value, scope)),)
        case ErrorBlock():
            return (("message", template(block.message)),)
        case BranchBlock():
            return (("condition", expression(block.condition)),)
        case LoopBlock():
            return (("collection", expression(block.collection)),)
        case _:
            assert_never(block)
