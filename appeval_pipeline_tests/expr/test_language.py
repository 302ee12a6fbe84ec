"""The expression language, case by case: values, errors, syntax errors, interpolation."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr import compile_expression, interpolate, parse
from appeval_pipeline_tests.expr.case_files import grouped_cases, read

Case = dict[str, Any]


def exactly(value: object) -> object:
    """``value`` with the type of each number shown, as ``1 == 1.0 == True`` in Python."""
    if isinstance(value, list):
        return [exactly(item) for item in value]
    if isinstance(value, dict):
        return {key: exactly(item) for key, item in value.items()}
    return (type(value).__name__, value)


@pytest.mark.parametrize("case", grouped_cases("values"))
def test_expression_has_the_value(case: Case) -> None:
    value = compile_expression(case["expr"]).evaluate(case.get("with", {}))
    assert exactly(value) == exactly(case["is"])


@pytest.mark.parametrize("case", grouped_cases("errors"))
def test_expression_fails_with_message_and_column(case: Case) -> None:
    with pytest.raises(ExpressionError) as caught:
        compile_expression(case["expr"]).evaluate(case.get("with", {}))
    assert (caught.value.message, caught.value.column) == (case["error"], case["column"])


@pytest.mark.parametrize("case", [pytest.param(case, id=case["expr"]) for case in read("syntax")])
def test_syntax_error_names_the_text_the_column_and_what_was_expected(case: Case) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(case["expr"])
    message = caught.value.message
    place, _, rest = message.partition(": expected ")
    assert place == f"Syntax error in '{case['expr']}' at column {case['column']}"
    assert caught.value.column == case["column"]
    assert case["expected"] in rest
    assert case.get("found", "") in rest
    assert "line" not in place


def test_error_shows_a_long_text_shortened() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse("1 + " * 200)
    assert len(caught.value.message) < 200
    assert caught.value.column == 801


@pytest.mark.parametrize("case", [pytest.param(case, id=case["text"]) for case in read("interpolation")])
def test_placeholders_are_filled_in(case: Case) -> None:
    variables = case.get("with", {})
    if "error" not in case:
        assert interpolate(case["text"], variables) == case["is"]
        return
    with pytest.raises(ExpressionError) as caught:
        interpolate(case["text"], variables)
    assert (caught.value.message, caught.value.column) == (case["error"], case["column"])


def test_names_are_checked_when_compiled_where_they_are_given() -> None:
    assert compile_expression("params.a", names={"params"}).evaluate({"params": {"a": 1}}) == 1
    with pytest.raises(ExpressionError, match="Variable 'agent' is not defined") as caught:
        compile_expression("params.a + agent.b", names={"params"})
    assert caught.value.column == 12


@pytest.mark.parametrize("text", ["foo(1)", "false && foo()", "len()"])
def test_calls_are_checked_when_compiled(text: str) -> None:
    with pytest.raises(ExpressionError):
        compile_expression(text)


def test_evaluation_changes_no_variable_and_gives_what_nothing_else_holds() -> None:
    variables: dict[str, Any] = {"x": {"list": [1, [2]]}}
    value: Any = compile_expression("{all: x, first: x.list, made: [x.list]}").evaluate(variables)
    assert value == {"all": {"list": [1, [2]]}, "first": [1, [2]], "made": [[1, [2]]]}
    value["all"]["list"][1].append(3)
    value["first"].append(4)
    value["made"][0].append(5)
    assert variables == {"x": {"list": [1, [2]]}}


def test_literals_are_made_anew_by_each_evaluation() -> None:
    compiled = compile_expression("{a: [1]}")
    first: Any = compiled.evaluate({})
    first["a"].append(2)
    assert compiled.evaluate({}) == {"a": [1]}
