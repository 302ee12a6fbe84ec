"""Parameters that an action accepts are found from what it says of them."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.appdef.schema import ActionDefinition, ParamSpec
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.edge_cases.examples import (
    MAX_CANDIDATES,
    candidate_parameters,
    candidate_values,
    example_parameters,
)
from appeval_pipeline.evaluation.edge_cases.texts import matching_texts
from appeval_pipeline_tests.data.shipped import ENTRIES, app_of, key


def action(**parameters: dict[str, Any]) -> ActionDefinition:
    return load_app(
        {
            "app_id": "app",
            "name": "App",
            "category": "custom",
            "actions": [{"name": "act", "parameters": parameters, "logic": []}],
        }
    ).actions[0]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, {}),
        ({"p": {"type": "number"}}, {}),
        ({"p": {"type": "number", "required": True, "default": 3}}, {}),
        ({"p": {"type": "number", "required": True}}, {"p": 1}),
        ({"p": {"type": "number", "required": True, "minValue": 7.5}}, {"p": 7.5}),
        ({"p": {"type": "number", "required": True, "maxValue": -3}}, {"p": -3}),
        ({"p": {"type": "number", "required": True, "enum": [4, 6]}}, {"p": 4}),
        ({"p": {"type": "boolean", "required": True}}, {"p": True}),
        ({"p": {"type": "object", "required": True}}, {"p": {}}),
        ({"p": {"type": "array", "required": True}}, {"p": []}),
        ({"p": {"type": "array", "required": True, "minLength": 2}}, {"p": ["a", "a"]}),
        ({"p": {"type": "string", "required": True}}, {"p": "a"}),
        ({"p": {"type": "string", "required": True, "minLength": 3}}, {"p": "aaa"}),
        ({"p": {"type": "string", "required": True, "pattern": "^T[1-9]$"}}, {"p": "T1"}),
        ({"p": {"type": "string", "required": True, "pattern": "^x+$", "minLength": 4}}, {"p": "xxxx"}),
        (
            {
                "low": {"type": "number", "required": True},
                "high": {"type": "number", "required": True, "minValue": 5},
            },
            {"low": 1, "high": 5},
        ),
    ],
)
def test_an_example_is_the_required_parameters(parameters: dict[str, Any], expected: dict[str, Any]) -> None:
    assert example_parameters(action(**parameters)) == expected


def test_agents_come_first_where_a_text_is_asked_for() -> None:
    transfer = action(to={"type": "string", "required": True}, amount={"type": "number", "required": True})
    assert example_parameters(transfer, ["ann", "bob"]) == {"to": "ann", "amount": 1}
    assert {"to": "bob", "amount": 1} in candidate_parameters(transfer, ["ann", "bob"])


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "string", "required": True, "pattern": "^a$", "minLength": 2},
        {"type": "string", "required": True, "minLength": 10**12},
    ],
    ids=["no text fits", "too long to make"],
)
def test_there_is_no_example_where_no_value_is_accepted(spec: dict[str, Any]) -> None:
    assert example_parameters(action(p=spec)) is None
    assert list(candidate_parameters(action(p=spec))) == []


@pytest.mark.parametrize("entry", ENTRIES, ids=key)
def test_the_engine_accepts_every_candidate_of_the_shipped_apps(entry: CatalogueEntry) -> None:
    engine = Engine(app_of(entry))
    for definition in engine.app.actions:
        found = list(islice(candidate_parameters(definition, ["ann"]), 200))
        assert found
        for params in found:
            result = engine.execute("ann", definition.name, params, engine.initial_state(["ann"]))
            assert result.error_kind != "parameters", result.error


def test_candidates_differ_and_are_limited() -> None:
    spec = ParamSpec(type="string", enum=[f"v{number}" for number in range(1000)])
    values = candidate_values("p", spec)
    assert len(values) == len(set(values)) == MAX_CANDIDATES
    assert values[:3] == [None, "v0", "v1"]


@pytest.mark.parametrize(
    ("pattern", "length", "expected"),
    [
        ("^T[1-9][0-9]{0,5}$", None, ["T1"]),
        ("^T[1-9][0-9]{0,5}$", 7, ["T111111"]),
        ("^T[1-9][0-9]{0,5}$", 8, []),
        (r"^\d{4}-\d{2}-\d{2}$", None, ["1111-11-11"]),
        (r"[^@]+@[^@]+\.com", None, ["a@a.com"]),
        ("^(?:USD|EUR|GBP)$", None, ["USD", "EUR", "GBP"]),
        (r"^\(\$\)$", None, ["($)"]),
        ("^[[:upper:]]{2,}?x?$", 5, ["AAAAA"]),
        ("z", 3, ["zaa", "aaz"]),
        (r"^\p{Greek}+$", None, []),
    ],
)
def test_texts_are_made_from_patterns(pattern: str, length: int | None, expected: list[str]) -> None:
    assert list(matching_texts(pattern, length)) == expected


def test_a_pattern_of_huge_repetitions_makes_no_huge_text() -> None:
    assert all(len(text) < 20_000 for text in matching_texts("((a{10}){10}){10}b*", 10**9))
