"""The cases of one parameter, each with the value that meets it, written down by hand."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.appdef.schema import ParamSpec
from appeval_pipeline.evaluation.edge_cases.derivation import MISSING, UNFOUND, value_cases

NULL_AND_TYPE = {
    "string": [("null", None, True), ("wrong_type", 1, False)],
    "number": [("null", None, True), ("wrong_type", "1", False)],
    "array": [("null", None, True), ("wrong_type", {}, False)],
}


def of(**spec: Any) -> list[tuple[str, Any, bool]]:
    """Kind, value and whether it is accepted of all cases but null and wrong type."""
    cases = [(case.kind, case.value, case.is_valid) for case in value_cases("p", ParamSpec(**spec))]
    assert [case for case in NULL_AND_TYPE[spec["type"]] if case in cases] == cases[:2]
    return cases[2:]


def test_missing_and_null_are_refused_where_the_parameter_is_required() -> None:
    cases = value_cases("p", ParamSpec(type="boolean", required=True))
    assert [(case.kind, case.value, case.is_valid) for case in cases] == [
        ("required_missing", MISSING, False),
        ("null", None, False),
        ("wrong_type", "true", False),
    ]


def test_a_default_stands_in_for_what_is_required() -> None:
    cases = value_cases("p", ParamSpec(type="boolean", required=True, default=True))
    assert [(case.kind, case.is_valid) for case in cases[:2]] == [
        ("required_missing", True),
        ("null", True),
    ]


def test_whole_bounds_are_missed_by_one() -> None:
    assert of(type="number", min_value=3, max_value=8) == [
        ("below_min", 2, False),
        ("at_min", 3, True),
        ("above_min", 4, True),
        ("below_max", 7, True),
        ("at_max", 8, True),
        ("above_max", 9, False),
    ]


def test_other_bounds_are_missed_by_a_hundredth() -> None:
    assert of(type="number", min_value=0.5, max_value=2.0) == [
        ("below_min", 0.49, False),
        ("at_min", 0.5, True),
        ("above_min", 0.51, True),
        ("below_max", 1.0, True),
        ("at_max", 2.0, True),
        ("above_max", 3.0, False),
    ]


def test_what_two_bounds_say_of_one_value_is_one_case() -> None:
    assert of(type="number", min_value=1, max_value=2) == [
        ("below_min", 0, False),
        ("at_min", 1, True),
        ("above_min", 2, True),
        ("above_max", 3, False),
    ]


def test_nothing_lies_inside_of_bounds_that_are_equal() -> None:
    assert of(type="number", min_value=4, max_value=4) == [
        ("below_min", 3, False),
        ("at_min", 4, True),
        ("above_max", 5, False),
    ]


def test_beside_a_bound_so_large_that_one_makes_no_difference_there_is_nothing() -> None:
    assert of(type="number", max_value=1e300) == [("at_max", 1e300, True)]


def test_an_integer_that_the_language_does_not_have_is_no_case() -> None:
    assert of(type="number", min_value=-(2**63)) == [
        ("at_min", -(2**63), True),
        ("above_min", 1 - 2**63, True),
    ]


def test_lengths_of_a_text() -> None:
    assert of(type="string", min_length=2, max_length=5) == [
        ("below_min_length", "a", False),
        ("at_min_length", "aa", True),
        ("above_min_length", "aaa", True),
        ("below_max_length", "aaaa", True),
        ("at_max_length", "aaaaa", True),
        ("above_max_length", "aaaaaa", False),
        ("empty_string", "", False),
        ("over_long_string", "a" * 11, False),
    ]


def test_the_empty_text_is_one_case_however_it_is_come_to() -> None:
    assert of(type="string", min_length=1) == [
        ("below_min_length", "", False),
        ("at_min_length", "a", True),
        ("above_min_length", "aa", True),
    ]
    assert of(type="string", min_length=0) == [
        ("at_min_length", "", True),
        ("above_min_length", "a", True),
    ]
    assert of(type="string") == [("empty_string", "", True)]


def test_lengths_of_an_array() -> None:
    assert of(type="array", min_length=1, max_length=2) == [
        ("below_min_length", [], False),
        ("at_min_length", ["a"], True),
        ("above_min_length", ["a", "a"], True),
        ("above_max_length", ["a", "a", "a"], False),
    ]


def test_texts_of_the_right_length_fit_the_pattern_too() -> None:
    assert of(type="string", pattern="^T[0-9]{1,3}$", max_length=4) == [
        ("below_max_length", "T11", True),
        ("at_max_length", "T111", True),
        ("above_max_length", "aaaaa", False),
        ("empty_string", "", False),
        ("over_long_string", "a" * 9, False),
        ("pattern_violation", "T?", False),
    ]


def test_a_length_that_no_text_of_the_pattern_was_found_for_has_no_value() -> None:
    cases = of(type="string", pattern="^ab$", min_length=1)
    assert ("at_min_length", UNFOUND, True) in cases
    assert ("above_min_length", "ab", True) in cases


def test_an_enum_leaves_only_its_own_values_and_what_it_does_not_have() -> None:
    assert of(type="string", enum=["low", "high"], max_length=4) == [
        ("below_max_length", "low", True),
        ("at_max_length", "high", True),
        ("above_max_length", "aaaaa", False),
        ("empty_string", "", False),
        ("over_long_string", "a" * 9, False),
        ("enum_violation", "?", False),
    ]
    assert of(type="number", enum=[1, 5], min_value=1) == [
        ("below_min", 0, False),
        ("at_min", 1, True),
        ("enum_violation", 1.5, False),
    ]


@pytest.mark.parametrize(
    ("value", "met"),
    [
        (2, {"below_min"}),
        (2.0, {"below_min"}),
        (3, {"at_min"}),
        (3 + 1e-10, {"at_min"}),
        (3.01, set()),
        (4, {"above_min"}),
        (None, {"null"}),
        ("3", {"wrong_type"}),
        (True, {"wrong_type"}),
        (10**400, set()),
        (MISSING, {"required_missing"}),
    ],
)
def test_a_value_meets_the_cases_that_it_is(value: object, met: set[str]) -> None:
    spec = ParamSpec(type="number", required=True, min_value=3)
    assert {case.kind for case in value_cases("p", spec) if case.meets(spec, value)} == met


@pytest.mark.parametrize(
    ("value", "met"),
    [
        ("", {"empty_string"}),
        ("aB", {"pattern_violation"}),
        ("ab", set()),
        ("abc", {"at_max_length"}),
        ("ABCD", {"above_max_length", "over_long_string"}),
        ("ABCDE", {"over_long_string"}),
    ],
)
def test_a_text_meets_the_cases_that_it_is(value: str, met: set[str]) -> None:
    spec = ParamSpec(type="string", pattern="^[a-z]+$", max_length=3, enum=["ab", "abc"])
    kinds = {case.kind for case in value_cases("p", spec) if case.meets(spec, value)}
    assert kinds - {"below_max_length"} == met
