"""However much there is to run, the work is bounded, and the report says where it ended."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.errors import StateError
from appeval_pipeline.evaluation import edge_cases
from appeval_pipeline_tests.evaluation.edge_cases.apps import app_of, update, validate
from appeval_pipeline_tests.timing import process_seconds

BOUNDED = {"type": "number", "required": True, "minValue": 1, "maxValue": 9}
LOOP = {"type": "loop", "collection": "shared.many", "item": "one"}
MANY = {"name": "many", "type": "array", "default": [1] * 900, "perAgent": False}
LARGE = {"name": "large", "type": "string", "default": "x" * 900_000, "perAgent": False}


@pytest.mark.parametrize(
    ("logic", "parameters", "state"),
    [
        ([], {f"p{number}": BOUNDED for number in range(2000)}, []),
        ([], {f"p{number}": {**BOUNDED, "required": False} for number in range(3000)}, []),
        (
            [{**LOOP, "body": [{**LOOP, "item": "two", "body": [validate("one == two")]}]}],
            {"p": BOUNDED},
            [MANY],
        ),
        ([validate("shared.large != str(params.p)")], {"p": BOUNDED}, [LARGE]),
        ([validate("len(params.p) < 5")], {"p": {"type": "string", "maxLength": 10**12}}, []),
        ([validate("params.p != ''")], {"p": {"type": "string", "pattern": "((a{10}){10}){10}"}}, []),
        ([update("agent.x", "set", "params.p / 0")], {"p": BOUNDED}, []),
        ([], {"p": {"type": "string", "enum": [f"v{number}" for number in range(5000)]}}, []),
    ],
    ids=["required", "optional", "loops", "large state", "lengths", "pattern", "fails", "enum"],
)
def test_nothing_stalls(logic: list[Any], parameters: dict[str, Any], state: list[Any]) -> None:
    app = app_of(logic, parameters, state_schema=state)
    with process_seconds(10):
        report = edge_cases(app)
    assert report.cases[0].kind == "unknown_action"


def test_a_report_says_that_it_is_capped() -> None:
    report = edge_cases(app_of([], {f"p{number}": BOUNDED for number in range(2000)}))
    assert report.capped
    assert not edge_cases(app_of([], {f"p{number}": BOUNDED for number in range(20)})).capped


def test_there_are_as_many_agents_as_the_state_has_room_for() -> None:
    field = {"name": "own", "type": "string", "default": "x" * 600_000}
    report = edge_cases(app_of([validate("len(agent.own) < 5")], state_schema=[field]))
    # Unknown action, agent and parameter; the failing arm.
    assert [case.outcome for case in report.cases] == [
        "unknown_action",
        "unknown_agent",
        "parameters",
        "validation",
    ]


def test_an_app_whose_state_has_no_room_for_an_agent_has_no_report() -> None:
    field = {"name": "own", "type": "string", "default": "x" * 1_000_000}
    with pytest.raises(StateError, match="initial state with one agent has 10000"):
        edge_cases(app_of([], state_schema=[field]))


def test_lengths_that_no_value_is_made_for_are_listed_not_counted() -> None:
    report = edge_cases(app_of([], {"p": {"type": "string", "maxLength": 10**12}}))
    assert [(case.kind, case.parameter) for case in report.unsolved] == [
        ("below_max_length", "p"),
        ("at_max_length", "p"),
        ("above_max_length", "p"),
        ("over_long_string", "p"),
    ]
    assert report.edge_case_robustness == 100
