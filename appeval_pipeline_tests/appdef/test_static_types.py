"""What can never be evaluated, given the declared types, is found at load; what may succeed is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from appeval_pipeline.appdef import check_app, load_app
from appeval_pipeline.errors import DefinitionError

CASES = yaml.safe_load((Path(__file__).parent / "cases" / "static_types.yaml").read_text(encoding="utf-8"))


def app_with(*logic: dict[str, Any], returns: dict[str, Any] | None = None) -> dict[str, Any]:
    action: dict[str, Any] = {
        "name": "act",
        "parameters": {
            "count": {"type": "number", "required": True},
            "note": {"type": "string"},
            "tags": {"type": "array", "required": True},
        },
        "logic": list(logic),
    }
    if returns is not None:
        action["returns"] = returns
    return {
        "app_id": "typed",
        "name": "Typed",
        "category": "custom",
        "state_schema": [
            {"name": "balance", "type": "number", "default": 0},
            {"name": "nick", "type": "string"},
            {"name": "history", "type": "array", "default": []},
            {"name": "profile", "type": "object", "properties": [{"name": "age", "type": "number"}]},
            {"name": "stock", "type": "object", "default": {}, "perAgent": False},
            {"name": "open", "type": "boolean", "default": True, "perAgent": False},
        ],
        "actions": [action],
    }


def validate(condition: str) -> dict[str, Any]:
    return {"type": "validate", "condition": condition, "errorMessage": "no"}


def update(case: dict[str, Any]) -> dict[str, Any]:
    return {"type": "update", **{key: case[key] for key in ("target", "operation", "value")}}


@pytest.mark.parametrize(("condition", "message"), CASES["conditions_rejected"])
def test_a_condition_that_can_never_hold_is_an_error(condition: str, message: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_app(app_with(validate(condition)))
    assert [(fault.location, fault.message) for fault in caught.value.faults] == [
        ("actions.act.logic[0].condition", message)
    ]


@pytest.mark.parametrize("condition", CASES["conditions_accepted"])
def test_a_condition_that_may_be_evaluated_is_accepted(condition: str) -> None:
    app = load_app(app_with(validate(condition)))
    assert not [finding for finding in check_app(app) if finding.severity == "error"]


@pytest.mark.parametrize(
    "case", CASES["updates_rejected"], ids=lambda case: f"{case['operation']} {case['target']}"
)
def test_an_update_that_can_never_succeed_is_an_error(case: dict[str, Any]) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_app(app_with(update(case)))
    assert (f"actions.act.logic[0].{case['key']}", case["message"]) in [
        (fault.location, fault.message) for fault in caught.value.faults
    ]


@pytest.mark.parametrize(
    "case", CASES["updates_accepted"], ids=lambda case: f"{case['operation']} {case['target']}"
)
def test_an_update_that_may_succeed_is_accepted(case: dict[str, Any]) -> None:
    app = load_app(app_with(update(case)))
    assert not [finding for finding in check_app(app) if finding.severity == "error"]


def test_messages_texts_and_loops_are_checked_too_and_all_at_once() -> None:
    logic = (
        {"type": "notify", "to": "params.count", "message": "n: ${params.count + params.note}"},
        {"type": "loop", "collection": "agent.balance", "item": "x", "body": []},
        {
            "type": "loop",
            "collection": "shared.stock",
            "item": "key",
            "body": [validate("key + 1 > 2"), {"type": "error", "message": "${-key}"}],
        },
        {"type": "return", "value": {"deep": [{"x": "agent.nick * 2"}], "text": "it is ${!agent.nick}"}},
    )
    with pytest.raises(DefinitionError) as caught:
        load_app(app_with(*logic))
    assert [
        (fault.location.removeprefix("actions.act.logic"), fault.message) for fault in caught.value.faults
    ] == [
        ("[0].to", "Unknown agent number"),
        ("[0].message", "Cannot add number and string (column 19)"),
        ("[1].collection", "Cannot loop over number; expected array or object"),
        ("[2].body[0].condition", "Cannot add string and number (column 5)"),
        ("[2].body[1].message", "Cannot negate string (column 3)"),
        ("[3].value.deep[0].x", "Cannot multiply string and number (column 12)"),
        ("[3].value.text", "Expected boolean, got string (column 9)"),
    ]


@pytest.mark.parametrize(
    ("logic", "complete"),
    [
        ([], False),
        ([{"type": "return", "value": {"a": 1}}], True),
        ([{"type": "error", "message": "no"}], True),
        ([{"type": "branch", "condition": "shared.open", "then": [{"type": "return", "value": {}}]}], False),
        (
            [
                {
                    "type": "branch",
                    "condition": "shared.open",
                    "then": [{"type": "return", "value": {}}],
                    "else": [{"type": "error", "message": "shut"}],
                }
            ],
            True,
        ),
        (
            [
                {
                    "type": "loop",
                    "collection": "params.tags",
                    "item": "tag",
                    "body": [{"type": "return", "value": {}}],
                }
            ],
            False,
        ),
    ],
)
def test_an_action_that_declares_returns_must_return_on_every_path(
    logic: list[dict[str, Any]], complete: bool
) -> None:
    findings = check_app(load_app(app_with(*logic, returns={"a": "number"})))
    found = [finding for finding in findings if finding.location == "actions.act.returns"]
    assert (not found) is complete
    assert all(finding.severity == "warning" for finding in found)


def test_blocks_after_the_end_of_an_action_are_reported() -> None:
    both = {
        "type": "branch",
        "condition": "shared.open",
        "then": [{"type": "return", "value": {}}, validate("true")],
        "else": [{"type": "error", "message": "shut"}],
    }
    findings = check_app(load_app(app_with(both, validate("true"), validate("true"))))
    assert [f.location for f in findings if "never reached" in f.message] == [
        "actions.act.logic[0].then[1]",
        "actions.act.logic[1]",
    ]


def test_a_parameter_that_the_action_does_not_declare_is_a_warning() -> None:
    findings = check_app(
        load_app(app_with({"type": "return", "value": {"a": "params.cuont", "b": "params['count']"}}))
    )
    assert [(f.location, f.message) for f in findings if "not declared" in f.message] == [
        ("actions.act.logic[0].value.a", "Parameter 'cuont' is not declared; it is always null")
    ]
