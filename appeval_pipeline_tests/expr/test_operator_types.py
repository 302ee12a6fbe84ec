"""Strict typing: every operator on every pair of the six types, from the rules of the language alone."""

from __future__ import annotations

from itertools import product

import pytest

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr import compile_expression

SAMPLES: dict[str, object] = {
    "null": None,
    "boolean": True,
    "number": 6,
    "string": "s",
    "array": [1],
    "object": {"a": 1},
}
LITERALS = {
    "null": "null",
    "boolean": "true",
    "number": "6",
    "string": "'s'",
    "array": "[1]",
    "object": "{a: 1}",
}
VERBS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}
VERBS |= dict.fromkeys(("<", "<=", ">", ">="), "compare")
ACCEPTED = {operator: {("number", "number")} for operator in VERBS}
for operator in ("+", "<", "<=", ">", ">="):
    ACCEPTED[operator] = {("number", "number"), ("string", "string")}
RESULTS: dict[tuple[str, str], object] = {
    ("+", "number"): 12, ("+", "string"): "ss", ("-", "number"): 0, ("*", "number"): 36, ("/", "number"): 1,
    ("<", "number"): False, ("<=", "number"): True, (">", "number"): False, (">=", "number"): True,
    ("<", "string"): False, ("<=", "string"): True, (">", "string"): False, (">=", "string"): True,
}  # fmt: skip
PAIRS = list(product(SAMPLES, SAMPLES))
SPELLINGS = ("variables", "literals", "variable and literal", "literal and variable")


def evaluate(operator: str, left: str, right: str, spelling: str) -> object:
    """``left operator right`` for samples of two types; how they are written must make no difference."""
    a = LITERALS[left] if spelling.startswith("literal") else "x"
    b = LITERALS[right] if spelling.endswith("literal") or spelling == "literals" else "y"
    return compile_expression(f"{a} {operator} {b}").evaluate({"x": SAMPLES[left], "y": SAMPLES[right]})


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("operator", VERBS)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_arithmetic_and_order_take_only_their_types(
    operator: str, left: str, right: str, spelling: str
) -> None:
    if (left, right) in ACCEPTED[operator]:
        value = evaluate(operator, left, right, spelling)
        expected = RESULTS[operator, left]
        assert (type(value), value) == (type(expected), expected)
        return
    with pytest.raises(ExpressionError) as caught:
        evaluate(operator, left, right, spelling)
    assert caught.value.message == f"Cannot {VERBS[operator]} {left} and {right}"


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_equality_takes_anything_and_different_types_are_unequal(
    left: str, right: str, spelling: str
) -> None:
    assert evaluate("==", left, right, spelling) is (left == right)
    assert evaluate("!=", left, right, spelling) is (left != right)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("operator", "going_on"), [("&&", True), ("||", False)])
@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_logic_needs_booleans(operator: str, going_on: bool, left: str, right: str, spelling: str) -> None:
    if left != "boolean":
        wrong = left
    elif going_on and right != "boolean":
        wrong = right
    else:
        # The samples are true: `true && true`, or `true || anything`, which is not looked at.
        assert evaluate(operator, left, right, spelling) is True
        return
    with pytest.raises(ExpressionError) as caught:
        evaluate(operator, left, right, spelling)
    assert caught.value.message == f"Expected boolean, got {wrong}"


@pytest.mark.parametrize("kind", [kind for kind in SAMPLES if kind != "boolean"])
@pytest.mark.parametrize("operator", ["&&", "||"])
def test_the_right_side_is_checked_where_it_decides(operator: str, kind: str) -> None:
    first = "true" if operator == "&&" else "false"
    for right in (LITERALS[kind], "x"):
        with pytest.raises(ExpressionError, match=f"^column .*Expected boolean, got {kind}$"):
            compile_expression(f"{first} {operator} {right}").evaluate({"x": SAMPLES[kind]})


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("written", ["literal", "variable"])
def test_signs_take_only_their_type(kind: str, written: str) -> None:
    operand = LITERALS[kind] if written == "literal" else "x"
    for operator, wanted, result, message in (
        ("!", "boolean", False, f"Expected boolean, got {kind}"),
        ("-", "number", -6, f"Cannot negate {kind}"),
    ):
        expression = compile_expression(f"{operator}{operand}")
        if kind == wanted:
            assert expression.evaluate({"x": SAMPLES[kind]}) == result
        else:
            with pytest.raises(ExpressionError) as caught:
                expression.evaluate({"x": SAMPLES[kind]})
            assert caught.value.message == message


@pytest.mark.parametrize("base", SAMPLES)
def test_a_field_is_read_from_objects_and_null_only(base: str) -> None:
    for operand in (LITERALS[base], "x"):
        expression = compile_expression(f"({operand}).a")
        if base in ("object", "null"):
            assert expression.evaluate({"x": SAMPLES[base]}) == (1 if base == "object" else None)
        else:
            with pytest.raises(ExpressionError, match=f"Cannot read 'a' of {base}"):
                expression.evaluate({"x": SAMPLES[base]})


@pytest.mark.parametrize(("base", "key"), PAIRS)
def test_an_index_fits_its_container(base: str, key: str) -> None:
    for container, index in ((LITERALS[base], LITERALS[key]), ("x", "y")):
        expression = compile_expression(f"({container})[{index}]")
        variables = {"x": SAMPLES[base], "y": SAMPLES[key]}
        if base == "null" or (base, key) == ("object", "string"):
            assert expression.evaluate(variables) is None
            continue
        with pytest.raises(ExpressionError) as caught:
            expression.evaluate(variables)
        if (base, key) == ("array", "number"):
            assert caught.value.message == "Index 6 out of range"
        elif base in ("array", "object"):
            assert caught.value.message == f"Cannot index {base} with {key}"
        else:
            assert caught.value.message == f"Cannot index {base}"
