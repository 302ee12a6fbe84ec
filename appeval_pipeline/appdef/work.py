"""How much work a block is: itself, and the operations of its own expressions and texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import assert_never

from appeval_pipeline.appdef.schema import (
    ActionDefinition,
    AnyBlock,
    BranchBlock,
    ErrorBlock,
    LoopBlock,
    NotifyBlock,
    ReturnBlock,
    UpdateBlock,
    ValidateBlock,
)
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.positions import Text, read_value
from appeval_pipeline.expr.templates import Template, parse_template
from appeval_pipeline.expr.tree import operation_count


def block_work(block: AnyBlock, scope: Collection[str]) -> int:
    """1 for ``block`` and 1 for each operation of its own, not of blocks inside it.

    Raises:
        ExpressionError: One of its expressions or texts cannot be read.
    """
    match block:
        case ValidateBlock() | BranchBlock():
            # A failing validation ends the action: its message counts for nothing.
            return 1 + operation_count(parse(block.condition))
        case UpdateBlock():
            return 1 + operation_count(parse(block.target)) + _value_work(block.value, scope)
        case NotifyBlock():
            own = operation_count(parse(block.to)) + _template_work(parse_template(block.message))
            return 1 + own + _value_work(block.data, scope)
        case ReturnBlock():
            return 1 + _value_work(block.value, scope)
        case ErrorBlock():
            return 1 + _template_work(parse_template(block.message))
        case LoopBlock():
            return 1 + operation_count(parse(block.collection))
        case _:
            assert_never(block)


def action_work(action: ActionDefinition) -> int:
    """The work of every block of ``action`` once; blocks that cannot be read count as 1."""
    total = 0
    for placed in walk_blocks(action):
        try:
            total += block_work(placed.block, placed.scope)
        except ExpressionError:
            total += 1
    return total


def logic_length(action: ActionDefinition) -> int:
    """The characters of all expressions and texts of ``action``."""
    return sum(len(text) for placed in walk_blocks(action) for text in _texts(placed.block))


def _texts(block: AnyBlock) -> Iterator[str]:
    match block:
        case ValidateBlock():
            yield from (block.condition, block.error_message)
        case UpdateBlock():
            yield block.target
            yield from _strings(block.value)
        case NotifyBlock():
            yield from (block.to, block.message)
            yield from _strings(block.data)
        case ReturnBlock():
            yield from _strings(block.value)
        case ErrorBlock():
            yield block.message
        case BranchBlock():
            yield block.condition
        case LoopBlock():
            yield block.collection
        case _:
            assert_never(block)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item)


def _template_work(template: Template) -> int:
    return sum(1 + operation_count(part.expression) for part in template if not isinstance(part, str))


def _value_work(value: object, scope: Collection[str]) -> int:
    if isinstance(value, dict):
        return sum(1 + _value_work(item, scope) for item in value.values())
    if isinstance(value, list):
        return sum(1 + _value_work(item, scope) for item in value)
    if isinstance(value, str):
        meaning = read_value(value, scope)
        return _template_work(meaning.template) if isinstance(meaning, Text) else operation_count(meaning)
    return 0
