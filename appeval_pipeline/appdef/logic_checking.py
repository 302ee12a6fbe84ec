"""Static checks of an action's logic: every expression, text, target and block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, assert_never

from appeval_pipeline.appdef.schema import (
    ActionDefinition,
    AppDefinition,
    BranchBlock,
    ErrorBlock,
    LoopBlock,
    NotifyBlock,
    ReturnBlock,
    UpdateBlock,
    ValidateBlock,
)
from appeval_pipeline.appdef.scopes import CONTEXT_NAMES, RESERVED_NAMES, PlacedBlock, arms, walk_blocks
from appeval_pipeline.appdef.targets import Missing, Target, find_field, parse_target
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.compiled import check_names, check_template, step_name
from appeval_pipeline.expr.limits import MAX_BLOCK_NESTING
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.positions import Text, read_value
from appeval_pipeline.expr.printing import print_expression
from appeval_pipeline.expr.templates import parse_template

Severity = Literal["error", "warning"]
Result = tuple[Severity, str, str]


def check_logic(app: AppDefinition, action: ActionDefinition) -> Iterator[Result]:
    """Everything wrong with the logic of ``action``: (severity, location, message)."""
    ended: set[str] = set()
    for placed in walk_blocks(action):
        if placed.depth + bool(arms(placed.block)) > MAX_BLOCK_NESTING:
            yield "error", placed.location, "Maximum nesting depth exceeded"
        if placed.arm in ended:
            yield "warning", placed.location, "Block is never reached: the one before it ends the action"
            ended.discard(placed.arm)
        if _always_ends(placed.block):
            ended.add(placed.arm)
        yield from _check_block(app, placed)


def _always_ends(block: object) -> bool:
    """Whether nothing after ``block`` in its list can run."""
    match block:
        case ReturnBlock() | ErrorBlock():
            return True
        case BranchBlock(then=then, else_=otherwise):
            return any(map(_always_ends, then)) and any(map(_always_ends, otherwise or ()))
        case _:
            return False


def _check_block(app: AppDefinition, placed: PlacedBlock) -> Iterator[Result]:
    block, at, scope = placed.block, placed.location, placed.scope
    match block:
        case ValidateBlock():
            yield from _expression(block.condition, f"{at}.condition", scope)
            yield from _template(block.error_message, f"{at}.errorMessage", scope)
        case UpdateBlock():
            yield from _target(app, block, f"{at}.target", scope)
            yield from check_value(block.value, f"{at}.value", scope)
        case NotifyBlock():
            yield from _expression(block.to, f"{at}.to", scope)
            yield from _template(block.message, f"{at}.message", scope)
            yield from check_value(block.data, f"{at}.data", scope)
        case ReturnBlock():
            yield from check_value(block.value, f"{at}.value", scope)
        case ErrorBlock():
            yield from _template(block.message, f"{at}.message", scope)
        case BranchBlock():
            yield from _expression(block.condition, f"{at}.condition", scope)
        case LoopBlock():
            yield from _expression(block.collection, f"{at}.collection", scope)
            if block.item in (*CONTEXT_NAMES, *RESERVED_NAMES):
                yield "error", f"{at}.item", f"A loop item cannot be called '{block.item}': the name is taken"
        case _:
            assert_never(block)


def _shown(error: ExpressionError) -> str:
    if error.column is None or "column" in error.message:
        return error.message
    return f"{error.message} (column {error.column})"


def _expression(text: str, at: str, scope: frozenset[str]) -> Iterator[Result]:
    try:
        check_names(parse(text), scope)
    except ExpressionError as error:
        yield "error", at, _shown(error)


def _template(text: str, at: str, scope: frozenset[str]) -> Iterator[Result]:
    try:
        check_template(parse_template(text), scope)
    except ExpressionError as error:
        yield "error", at, _shown(error)


def check_value(value: object, at: str, scope: frozenset[str]) -> Iterator[Result]:
    """Check a value position: every string in it, at any depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from check_value(item, f"{at}.{key}", scope)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from check_value(item, f"{at}[{index}]", scope)
    elif isinstance(value, str):
        try:
            meaning = read_value(value, scope)
            if isinstance(meaning, Text):
                check_template(meaning.template, scope)
        except ExpressionError as error:
            yield "error", at, _shown(error)
            return
        if isinstance(meaning, Text) and meaning.looks_like is not None and not value.isidentifier():
            expression = print_expression(meaning.looks_like)
            yield (
                "warning",
                at,
                f"'{value}' is taken as text; it could also be read as the expression {expression}. "
                f"Write \"'{value}'\" for the text",
            )


def _target(app: AppDefinition, block: UpdateBlock, at: str, scope: frozenset[str]) -> Iterator[Result]:
    try:
        target = parse_target(block.target)
        check_names(target.tree, scope)
    except ExpressionError as error:
        yield "error", at, _shown(error)
        return
    if not target.steps and block.operation not in ("set", "merge"):
        yield "error", at, f"Cannot {block.operation} to the whole state '{target.text}'; name a field"
    if _is_virtual_id(target):
        yield "error", at, "Cannot update 'id': it is the agent's id"
        return
    field = find_field(app, target)
    if isinstance(field, Missing):
        known = ", ".join(field.known) or "none"
        yield "error", at, f"'{field.name}' is not in {field.place}; declared there: {known}"


def _is_virtual_id(target: Target) -> bool:
    return target.root != "shared" and len(target.steps) == 1 and step_name(target.steps[0]) == "id"
