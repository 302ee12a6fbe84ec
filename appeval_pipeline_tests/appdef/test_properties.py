"""What the checks at load may say of an expression, held against what evaluating it does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings

from appeval_pipeline.appdef import AppDefinition, check_app, load_app
from appeval_pipeline.errors import DefinitionError, ExpressionError
from appeval_pipeline.expr import compile_expression, print_expression
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
    Unary,
    names,
    walk,
)
from appeval_pipeline_tests.expr.expressions import VARIABLES, expressions, well_typed

modestly = settings(max_examples=200, deadline=None, derandomize=True)
TYPES = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
PARAMETERS = {
    name: {"type": TYPES[type(value)], "required": True}
    for name, value in VARIABLES.items()
    if value is not None
}
PARAMETERS["nothing"] = {"type": "string"}


def as_parameters(node: Expression) -> Expression:
    """``node`` with each variable ``x`` as ``params.x``."""
    match node:
        case Name(name):
            return Path(Name("params"), (Field(name),))
        case Literal():
            return node
        case ArrayLiteral(items):
            return ArrayLiteral(tuple(map(as_parameters, items)))
        case ObjectLiteral(entries):
            return ObjectLiteral(tuple((key, as_parameters(value)) for key, value in entries))
        case Call(function, arguments):
            return Call(function, tuple(map(as_parameters, arguments)))
        case Unary(operator, operand):
            return Unary(operator, as_parameters(operand))
        case Chain(operators, operands):
            return Chain(operators, tuple(map(as_parameters, operands)))
        case Path(base, steps):
            inner = as_parameters(base)
            made = tuple(
                replace(step, index=as_parameters(step.index)) if isinstance(step, Index) else step
                for step in steps
            )
            return Path(inner.base, inner.steps + made) if isinstance(inner, Path) else Path(inner, made)


def load(text: str) -> AppDefinition:
    logic = [{"type": "validate", "condition": f"[{text}] != null", "errorMessage": "No."}]
    action: dict[str, Any] = {"name": "go", "parameters": PARAMETERS, "logic": logic}
    return load_app({"app_id": "app", "name": "App", "category": "custom", "actions": [action]})


@modestly
@given(well_typed)
def test_an_expression_that_can_be_evaluated_is_never_refused(tree: Expression) -> None:
    app = load(print_expression(as_parameters(tree)))
    assert not [finding for finding in check_app(app) if finding.severity == "error"]


@modestly
@given(expressions)
def test_an_expression_that_is_refused_cannot_be_evaluated(tree: Expression) -> None:
    # What a short circuit never looks at may be refused: it could never be evaluated.
    chains = [node for node in walk(tree) if isinstance(node, Chain)]
    assume(not any(chain.operators[0] in ("&&", "||") for chain in chains))
    assume(all(name.name in VARIABLES for name in names(tree)))
    text = print_expression(as_parameters(tree))
    try:
        load(text)
    except DefinitionError:
        compiled = compile_expression(text)
        with pytest.raises(ExpressionError):
            compiled.evaluate({"params": VARIABLES})
