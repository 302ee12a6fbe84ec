"""The limits of expressions, each at, below and above."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr import compile_expression, interpolate, parse
from appeval_pipeline.expr.limits import MAX_WORK, LimitExceeded, Meter
from appeval_pipeline_tests.timing import process_seconds

LEVELS = 64


def nested(opening: str, closing: str = "", inner: str = "1") -> Callable[[int], str]:
    return lambda levels: opening * levels + inner + closing * levels


NESTINGS = {
    "parentheses": nested("(", ")"),
    "arrays": nested("[", "]"),
    "objects": nested("{a: ", "}"),
    "calls": nested("abs(", ")"),
    "indexes": nested("x[", "]", "'a'"),
    "signs": nested("-"),
    "signs with spaces": nested("- "),
    "negations": nested("!", inner="true"),
    "sums on the right": nested("1 + (", ")"),
    "sums on the left": nested("(", " + 1)"),
    "conjunctions": nested("true && (", ")", "true"),
}


@pytest.mark.parametrize("kind", NESTINGS)
def test_64_levels_are_accepted_and_65_are_not(kind: str) -> None:
    for levels in (LEVELS - 1, LEVELS):
        assert compile_expression(NESTINGS[kind](levels)) is not None
    with pytest.raises(ExpressionError, match="Expression nests deeper than 64 levels"):
        parse(NESTINGS[kind](LEVELS + 1))


def test_the_deepest_expressions_evaluate() -> None:
    assert compile_expression(NESTINGS["parentheses"](LEVELS)).evaluate({}) == 1
    assert compile_expression(NESTINGS["signs"](LEVELS)).evaluate({}) == 1
    assert compile_expression(NESTINGS["sums on the right"](LEVELS)).evaluate({}) == LEVELS + 1
    assert compile_expression(NESTINGS["conjunctions"](LEVELS)).evaluate({}) is True


def test_length_alone_is_no_nesting() -> None:
    assert compile_expression("1" + " + 1" * 2_000).evaluate({}) == 2_001
    assert compile_expression("x" + ".a" * 2_000).evaluate({"x": None}) is None
    assert compile_expression("false" + " || false" * 1_000).evaluate({}) is False


def test_10000_characters_are_accepted_and_10001_are_not() -> None:
    for length in (9_999, 10_000):
        assert compile_expression("'" + "x" * (length - 2) + "'").evaluate({}) == "x" * (length - 2)
    with pytest.raises(ExpressionError, match="Expression is 10001 characters long; at most 10000"):
        parse("'" + "x" * 9_999 + "'")


def test_brackets_and_signs_in_strings_do_not_nest() -> None:
    assert compile_expression(f"'{'(' * 500}'").evaluate({}) == "(" * 500
    assert interpolate("${'" + "[" * 100 + "'}", {}) == "[" * 100


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "text",
    ["x + y", "str([x, y])", "upper(z)"],
)
def test_strings_longer_than_a_megabyte_are_errors(text: str) -> None:
    variables = {"x": "a" * MEGABYTE, "y": "b", "z": "ß" * 600_000}
    with pytest.raises(ExpressionError, match="String is longer than 1000000 characters"):
        compile_expression(text).evaluate(variables)


def test_strings_of_a_megabyte_are_accepted() -> None:
    variables = {"x": "a" * (MEGABYTE - 1), "y": "b"}
    assert len(str(compile_expression("x + y").evaluate(variables))) == MEGABYTE
    assert len(interpolate("${x}b", variables)) == MEGABYTE


def test_an_interpolated_text_beyond_a_megabyte_is_an_error() -> None:
    with pytest.raises(ExpressionError, match="String is longer than 1000000 characters"):
        interpolate("${x}bc", {"x": "a" * (MEGABYTE - 1)})


def test_arrays_of_100000_elements_are_accepted_and_more_are_not() -> None:
    identity = compile_expression("slice(x, 0)")
    for length in (99_999, 100_000):
        assert identity.evaluate({"x": [0] * length}) == [0] * length
    with pytest.raises(ExpressionError, match="Value holds more than 100000 elements"):
        identity.evaluate({"x": [0] * 100_001})


def test_a_value_may_nest_64_levels_and_no_more() -> None:
    value: object = 1
    for _ in range(63):
        value = [value]
    assert compile_expression("[x]").evaluate({"x": value}) == [value]
    with pytest.raises(ExpressionError, match="Value nests deeper than 64 levels"):
        compile_expression("[[x]]").evaluate({"x": value})


def test_work_up_to_a_million_units_is_accepted() -> None:
    meter = Meter()
    meter.checkpoint(MAX_WORK)
    with pytest.raises(LimitExceeded, match="Action budget exceeded") as caught:
        meter.checkpoint(MAX_WORK + 1)
    assert caught.value.deterministic


def test_charged_work_is_taken_off_the_budget() -> None:
    meter = Meter()
    meter.charge(MAX_WORK - 10)
    meter.checkpoint(10)
    with pytest.raises(LimitExceeded, match="Action budget exceeded"):
        meter.checkpoint(11)
    with pytest.raises(LimitExceeded, match="Action budget exceeded"):
        meter.charge(11)


def test_the_wall_clock_is_a_backstop_that_is_marked_as_not_deterministic() -> None:
    now = [100.0]
    meter = Meter(clock=lambda: now[0])
    meter.checkpoint(1)
    now[0] = 105.0
    meter.checkpoint(2)
    now[0] = 105.1
    with pytest.raises(LimitExceeded, match="Action time limit exceeded") as caught:
        meter.checkpoint(3)
    assert not caught.value.deterministic


def test_work_decides_before_the_clock_does() -> None:
    now = [100.0]
    meter = Meter(clock=lambda: now[0])
    meter.checkpoint(1)
    now[0] = 200.0
    with pytest.raises(LimitExceeded, match="Action budget exceeded"):
        meter.checkpoint(MAX_WORK + 1)


def test_evaluating_the_largest_expressions_is_quick() -> None:
    with process_seconds(2):
        for text in ("[" + "1," * 4_990 + "1]", "min(" + "1," * 4_990 + "1)", "1" + "+1" * 4_990):
            compile_expression(text).evaluate({})
