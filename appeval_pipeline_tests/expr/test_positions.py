"""Value positions: which strings are expressions, which are text, and which are neither."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition, check_app
from appeval_pipeline.appdef.documents import read_document
from appeval_pipeline.appdef.loading import validate_document
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.compiled import check_template
from appeval_pipeline.expr.positions import Text, is_literal, read_value
from appeval_pipeline.expr.tree import Expression
from appeval_pipeline_tests.expr.case_files import read

CASES = read("value_positions")
SCOPE = {"params", "agent", "agents", "shared", "config", "entry"}


def checked(text: str) -> Expression | Text:
    meaning = read_value(text, SCOPE)
    if isinstance(meaning, Text):
        check_template(meaning.template, SCOPE)
    return meaning


@pytest.mark.parametrize("text", CASES["expressions"])
def test_a_string_that_refers_to_a_name_in_scope_is_an_expression(text: str) -> None:
    meaning = read_value(text, SCOPE)
    assert not isinstance(meaning, Text)
    assert not is_literal(meaning)


@pytest.mark.parametrize("text", CASES["literals"])
def test_a_string_that_is_a_literal_is_an_expression(text: str) -> None:
    meaning = read_value(text, SCOPE)
    assert not isinstance(meaning, Text)
    assert is_literal(meaning)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["text"]) for case in CASES["texts"]])
def test_any_other_string_is_text(case: dict[str, Any]) -> None:
    assert isinstance(checked(case["text"]), Text)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["text"]) for case in CASES["errors"]])
def test_a_mix_of_known_and_unknown_names_is_an_error(case: dict[str, Any]) -> None:
    with pytest.raises(ExpressionError) as caught:
        checked(case["text"])
    assert (caught.value.message, caught.value.column) == (case["error"], case["column"])


def test_a_loop_item_counts_only_where_it_is_in_scope() -> None:
    assert not isinstance(read_value("entry.price", SCOPE), Text)
    assert isinstance(read_value("entry.price", SCOPE - {"entry"}), Text)


def app_with_value(value: object) -> AppDefinition:
    logic = [
        {
            "type": "loop",
            "collection": "shared.items",
            "item": "entry",
            "body": [{"type": "return", "value": {"out": value}}],
        }
    ]
    parameters = {"to": {"type": "string"}, "amount": {"type": "number"}}
    action = {"name": "go", "description": "Go.", "logic": logic, "parameters": parameters}
    return validate_document(
        read_document(
            {
                "app_id": "an_app",
                "name": "App",
                "description": "An app.",
                "category": "custom",
                "actions": [action],
            }
        )
    )


AT = "actions.go.logic[0].body[0].value.out"


@pytest.mark.parametrize("case", [pytest.param(case, id=case["text"]) for case in CASES["texts"]])
def test_a_text_that_looks_like_an_expression_is_a_warning_that_names_both_readings(
    case: dict[str, Any],
) -> None:
    findings = [finding for finding in check_app(app_with_value(case["text"])) if finding.location == AT]
    assert [finding.severity for finding in findings] == (["warning"] if case["warns"] else [])
    for finding in findings:
        assert f"'{case['text']}' is taken as text" in finding.message
        assert "the expression" in finding.message


@pytest.mark.parametrize("case", [pytest.param(case, id=case["text"]) for case in CASES["errors"]])
def test_a_faulty_value_is_an_error_of_the_definition(case: dict[str, Any]) -> None:
    (finding,) = [f for f in check_app(app_with_value([{"in": case["text"]}])) if f.severity == "error"]
    assert finding.location == f"{AT}[0].in"
    assert finding.message.startswith(case["error"])
    assert f"column {case['column']}" in finding.message
