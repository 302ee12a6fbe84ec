"""Static checks of an action's logic: every expression, text, target and block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, assert_never

from appeval_pipeline.appdef.schema import (
    ActionDefinition,
    AnyBlock,
    AppDefinition,
    BranchBlock,
    ErrorBlock,
    LoopBlock,
    NotifyBlock,
    ReturnBlock,
    UpdateBlock,
    ValidateBlock,
)
from appeval_pipeline.appdef.scopes import CONTEXT_NAMES, RESERVED_NAMES, arms, walk_blocks
from appeval_pipeline.appdef.targets import Missing, Target, find_field, parse_target
from appeval_pipeline.appdef.types import (
    ARRAY,
    BOOLEAN,
    NULL,
    NUMBER,
    OBJECT,
    STRING,
    UNKNOWN,
    Kinds,
    Scope,
    action_scope,
    describe,
    infer,
    item_type,
)
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.compiled import check_names, check_template, step_name
from appeval_pipeline.expr.limits import MAX_BLOCK_NESTING, MAX_VALUE_DEPTH
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.positions import Text, read_value
from appeval_pipeline.expr.printing import print_expression
from appeval_pipeline.expr.templates import Template, parse_template
from appeval_pipeline.expr.tree import Expression, Name, Path, walk
from appeval_pipeline.expr.values import type_name

Severity = Literal["error", "warning"]
Result = tuple[Severity, str, str]


def check_logic(app: AppDefinition, action: ActionDefinition) -> Iterator[Result]:
    """Everything wrong with the logic of ``action``: (severity, location, message)."""
    ended: set[str] = set()
    reported: set[str] = set()
    scopes: dict[str, Scope] = {f"{action.name}.logic": action_scope(app, action)}
    for placed in walk_blocks(action):
        if arms(placed.block) and placed.depth == MAX_BLOCK_NESTING:
            yield "error", placed.location, "Maximum nesting depth exceeded"
        if placed.arm in ended and placed.arm not in reported:
            yield "warning", placed.location, "Block is never reached: the one before it ends the action"
            reported.add(placed.arm)
        if _always_ends(placed.block):
            ended.add(placed.arm)
        scope = scopes[placed.arm]
        yield from _check_block(app, placed.block, placed.location, scope)
        for key, _ in arms(placed.block):
            scopes[f"{placed.id}.{key}"] = _inner_scope(placed.block, scope)
    if action.returns and not any(map(_always_ends, action.logic)):
        message = f"Action '{action.name}' declares what it returns, but can end without a return block"
        yield "warning", f"actions.{action.name}.returns", message


def _inner_scope(block: AnyBlock, scope: Scope) -> Scope:
    if not isinstance(block, LoopBlock):
        return scope
    try:
        collection = infer(parse(block.collection), scope, lambda message, column: None)
    except ExpressionError:
        collection = UNKNOWN
    return {**scope, block.item: item_type(collection)}


def _always_ends(block: AnyBlock) -> bool:
    """Whether nothing after ``block`` in its list can run."""
    match block:
        case ReturnBlock() | ErrorBlock():
            return True
        case BranchBlock(then=then, else_=otherwise):
            return any(map(_always_ends, then)) and any(map(_always_ends, otherwise or ()))
        case _:
            return False


def _check_block(app: AppDefinition, block: AnyBlock, at: str, scope: Scope) -> Iterator[Result]:
    match block:
        case ValidateBlock():
            yield from _expression(block.condition, f"{at}.condition", scope, _BOOLEAN)
            yield from _template(block.error_message, f"{at}.errorMessage", scope)
        case UpdateBlock():
            yield from _target(app, block, f"{at}.target", scope)
            yield from check_value(block.value, f"{at}.value", scope)
            yield from _operands(block, at, scope)
        case NotifyBlock():
            yield from _expression(block.to, f"{at}.to", scope, _AGENT)
            yield from _template(block.message, f"{at}.message", scope)
            yield from check_value(block.data, f"{at}.data", scope)
        case ReturnBlock():
            yield from check_value(block.value, f"{at}.value", scope)
        case ErrorBlock():
            yield from _template(block.message, f"{at}.message", scope)
        case BranchBlock():
            yield from _expression(block.condition, f"{at}.condition", scope, _BOOLEAN)
        case LoopBlock():
            yield from _expression(block.collection, f"{at}.collection", scope, _COLLECTION)
            if block.item in (*CONTEXT_NAMES, *RESERVED_NAMES):
                yield "error", f"{at}.item", f"A loop item cannot be called '{block.item}': the name is taken"
        case _:
            assert_never(block)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What an expression must be able to be, and the error's words if it cannot."""

    kinds: Kinds
    words: str


_BOOLEAN: Final = _Wanted(BOOLEAN, "Expected boolean, got {}")
_AGENT: Final = _Wanted(STRING, "Unknown agent {}")
_COLLECTION: Final = _Wanted(ARRAY | OBJECT, "Cannot loop over {}; expected array or object")


def _operands(block: UpdateBlock, at: str, scope: Scope) -> Iterator[Result]:
    """What an update's target and value must be for its operation ever to succeed."""
    try:
        target = infer(parse_target(block.target).tree, scope, _ignore).kinds
        value = _value_kinds(block.value, scope)
    except ExpressionError:
        return  # reported where it stands
    match block.operation:
        case "add" | "subtract" if not (target & NUMBER and value & NUMBER):
            left, right = describe(target & NUMBER or target), describe(value & NUMBER or value)
            yield "error", f"{at}.value", f"Cannot {block.operation} {left} and {right}"
        case "append" | "remove" if not target & ARRAY:
            preposition = "to" if block.operation == "append" else "from"
            message = f"Cannot {block.operation} {preposition} {describe(target)} '{block.target}'"
            yield "error", f"{at}.target", message
        case "merge" if not target & (OBJECT | NULL):
            yield "error", f"{at}.target", f"Cannot merge into {describe(target)} '{block.target}'"
        case "merge" if not value & OBJECT:
            message = f"Cannot merge {describe(value)} into '{block.target}'; expected an object"
            yield "error", f"{at}.value", message
        case _:
            pass


def _value_kinds(value: object, scope: Scope) -> Kinds:
    """The kinds of a value position."""
    if not isinstance(value, str):
        return frozenset({type_name(value)})
    meaning = read_value(value, scope.keys())
    return STRING if isinstance(meaning, Text) else infer(meaning, scope, _ignore).kinds


def _ignore(message: str, column: int) -> None:
    """Reported where the expression is checked."""


def _undeclared_parameters(tree: Expression, scope: Scope) -> Iterator[str]:
    """The parameters that ``tree`` names and the action does not have."""
    for node in walk(tree):
        if isinstance(node, Path) and node.base == Name("params"):
            name = step_name(node.steps[0])
            if name is not None and name not in scope["params"].properties:
                yield name


def _check_tree(
    tree: Expression, at: str, scope: Scope, wanted: _Wanted | None = None, offset: int = 0
) -> Iterator[Result]:
    """Names, calls and types of one expression; raises what `check_names` raises."""
    check_names(tree, scope.keys())
    found: list[Result] = []

    def report(message: str, column: int) -> None:
        found.append(("error", at, f"{message} (column {column + offset})"))

    kinds = infer(tree, scope, report).kinds
    yield from found
    for name in _undeclared_parameters(tree, scope):
        yield "warning", at, f"Parameter '{name}' is not declared; it is always null"
    if wanted is not None and not kinds & wanted.kinds:
        yield "error", at, wanted.words.format(describe(kinds))


def _shown(error: ExpressionError) -> str:
    if error.column is None or "column" in error.message:
        return error.message
    return f"{error.message} (column {error.column})"


def _expression(text: str, at: str, scope: Scope, wanted: _Wanted) -> Iterator[Result]:
    try:
        yield from _check_tree(parse(text), at, scope, wanted)
    except ExpressionError as error:
        yield "error", at, _shown(error)


def _template(text: str, at: str, scope: Scope) -> Iterator[Result]:
    try:
        yield from _check_template(parse_template(text), at, scope)
    except ExpressionError as error:
        yield "error", at, _shown(error)


def _check_template(template: Template, at: str, scope: Scope) -> Iterator[Result]:
    check_template(template, scope.keys())
    for part in template:
        if not isinstance(part, str):
            yield from _check_tree(part.expression, at, scope, offset=part.offset)


def check_value(value: object, at: str, scope: Scope, depth: int = 0) -> Iterator[Result]:
    """Check a value position: every string in it, at any depth that a value may have."""
    if isinstance(value, dict | list) and depth >= MAX_VALUE_DEPTH:
        yield "error", at, f"Value nests deeper than {MAX_VALUE_DEPTH} levels"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from check_value(item, f"{at}.{key}", scope, depth + 1)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from check_value(item, f"{at}[{index}]", scope, depth + 1)
    elif isinstance(value, str):
        try:
            meaning = read_value(value, scope.keys())
            if isinstance(meaning, Text):
                yield from _check_template(meaning.template, at, scope)
            else:
                yield from _check_tree(meaning, at, scope)
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


def _target(app: AppDefinition, block: UpdateBlock, at: str, scope: Scope) -> Iterator[Result]:
    try:
        target = parse_target(block.target)
        yield from _check_tree(target.tree, at, scope)
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
