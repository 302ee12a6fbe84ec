"""What the operators do when the compiled code's fast path does not apply, and their errors."""

from __future__ import annotations

import math
from typing import NoReturn

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.limits import MAX_NUMBER, MAX_STRING_LENGTH, TEXT_UNIT, Meter
from appeval_pipeline.expr.values import NUMBERS, charge_text, equal, too_long, type_name


def _in_range(value: int | float) -> int | float:
    if type(value) is int:
        if -MAX_NUMBER <= value <= MAX_NUMBER:
            return value
    elif math.isfinite(value):
        return value
    raise ExpressionError("Number out of range")


def _cannot(verb: str, left: object, right: object) -> NoReturn:
    raise ExpressionError(f"Cannot {verb} {type_name(left)} and {type_name(right)}")


def add(left: object, right: object, meter: Meter) -> object:
    """``left + right``: two numbers or two strings."""
    if type(left) is str and type(right) is str:
        length = len(left) + len(right)
        if length > MAX_STRING_LENGTH:
            raise too_long()
        meter.charge(length // TEXT_UNIT)
        return left + right
    return add_numbers(left, right)


def add_numbers(left: object, right: object) -> int | float:
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _in_range(left + right)  # type: ignore[operator]
    _cannot("add", left, right)


def subtract(left: object, right: object) -> int | float:
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _in_range(left - right)  # type: ignore[operator]
    _cannot("subtract", left, right)


def multiply(left: object, right: object) -> int | float:
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return _in_range(left * right)  # type: ignore[operator]
    _cannot("multiply", left, right)


def divide(left: object, right: object) -> int | float:
    """``left / right``: an integer where two integers divide evenly, else a float."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        if right == 0:
            raise ExpressionError("Division by zero")
        if type(left) is int and type(right) is int and left % right == 0:
            return _in_range(left // right)
        return _in_range(left / right)  # type: ignore[operator]
    _cannot("divide", left, right)


def negate(value: object) -> int | float:
    if type(value) in NUMBERS:
        return -value  # type: ignore[operator, no-any-return]
    raise ExpressionError(f"Cannot negate {type_name(value)}")


def check_ordered(left: object, right: object, meter: Meter) -> None:
    """Fail unless the two can be ordered: two numbers or two strings."""
    if type(left) in NUMBERS and type(right) in NUMBERS:
        return
    if type(left) is str and type(right) is str:
        charge_text(meter, left, right)
        return
    _cannot("compare", left, right)


def less(left: object, right: object, meter: Meter) -> bool:
    check_ordered(left, right, meter)
    return left < right  # type: ignore[operator, no-any-return]


def less_equal(left: object, right: object, meter: Meter) -> bool:
    check_ordered(left, right, meter)
    return left <= right  # type: ignore[operator, no-any-return]


def greater(left: object, right: object, meter: Meter) -> bool:
    check_ordered(left, right, meter)
    return left > right  # type: ignore[operator, no-any-return]


def greater_equal(left: object, right: object, meter: Meter) -> bool:
    check_ordered(left, right, meter)
    return left >= right  # type: ignore[operator, no-any-return]


def unequal(left: object, right: object, meter: Meter) -> bool:
    return not equal(left, right, meter)


def expected_boolean(value: object) -> NoReturn:
    raise ExpressionError(f"Expected boolean, got {type_name(value)}")


def negation(value: object) -> bool:
    """``!value``."""
    if value is True:
        return False
    if value is False:
        return True
    expected_boolean(value)


def field(value: object, name: str) -> object:
    """``value.name``: null for a missing field and for any field of null."""
    if type(value) is dict:
        return value.get(name)
    if value is None:
        return None
    raise ExpressionError(f"Cannot read '{name}' of {type_name(value)}")


def index(value: object, key: object) -> object:
    """``value[key]``: an array's element, negative from the end, or an object's value, null if absent."""
    if value is None:
        return None
    if type(value) is list:
        if type(key) is int:
            if -len(value) <= key < len(value):
                return value[key]
            raise ExpressionError(f"Index {key} out of range")
        if type(key) is float and key.is_integer():
            return index(value, int(key))
        raise ExpressionError(f"Cannot index array with {_index_kind(key)}")
    if type(value) is dict:
        if type(key) is str:
            return value.get(key)
        raise ExpressionError(f"Cannot index object with {type_name(key)}")
    raise ExpressionError(f"Cannot index {type_name(value)}")


def _index_kind(key: object) -> str:
    return f"the fraction {key!r}" if type(key) is float else type_name(key)


def undefined(name: str) -> NoReturn:
    raise ExpressionError(f"Variable '{name}' is not defined")
