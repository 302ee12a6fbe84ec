"""The built-in functions: what each takes, gives and does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final
from typing import Literal as OneOf

from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.context import ExecutionContext
from appeval_pipeline.expr.limits import MAX_NUMBER, MAX_STRING_LENGTH, TEXT_UNIT, Meter
from appeval_pipeline.expr.operators import check_ordered
from appeval_pipeline.expr.values import NUMBERS, equal, show, too_long, type_name

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_WIDE: Final = Context(prec=400)
"""Enough digits for every finite float written out."""


@dataclass(frozen=True, slots=True)
class Function:
    """A built-in.

    ``needs`` says what is passed before the arguments: nothing, the work meter, or the execution
    context; ``gives`` is the static type of the result, None where it depends on the arguments.
    """

    name: str
    fewest: int
    most: int | None
    call: Callable[..., object]
    needs: OneOf["nothing", "meter", "context"] = "nothing"
    gives: OneOf["string", "number", "boolean"] | None = None

    def accepts(self, count: int) -> bool:
        return self.fewest <= count and (self.most is None or count <= self.most)

    @property
    def arity(self) -> str:
        """E.g. ``1 argument``, ``1 to 2 arguments``, ``at least 1 argument``."""
        if self.most is None:
            return f"at least {self.fewest} argument{'s' * (self.fewest != 1)}"
        if self.fewest == self.most:
            return f"{self.fewest} argument{'s' * (self.fewest != 1)}"
        return f"{self.fewest} to {self.most} arguments"


def check_call(name: str, count: int, column: int | None = None) -> Function:
    """The function ``name``, checked to take ``count`` arguments.

    Raises:
        ExpressionError: There is no such function, or it takes another number of arguments.
    """
    function = FUNCTIONS.get(name)
    if function is None:
        raise ExpressionError(f"Unknown function '{name}'", column=column)
    if not function.accepts(count):
        raise ExpressionError(f"Function '{name}' expects {function.arity}, got {count}", column=column)
    return function


def _refuse(name: str, accepted: str, value: object) -> ExpressionError:
    return ExpressionError(f"Function '{name}' expects {accepted}, got {type_name(value)}")


def length(value: object) -> int:
    if type(value) is str or type(value) is list or type(value) is dict:
        return len(value)
    raise _refuse("len", "array, string or object", value)


def _contains(meter: Meter, container: object, wanted: object) -> bool:
    if type(container) is list:
        meter.charge(len(container))
        return any(equal(item, wanted, meter) for item in container)
    if type(container) is str or type(container) is dict:
        if type(wanted) is not str:
            raise ExpressionError(
                f"Function 'contains' looks for a string in a {type_name(container)}, got {type_name(wanted)}"
            )
        if type(container) is str:
            meter.charge(len(container) // TEXT_UNIT)
        return wanted in container
    raise _refuse("contains", "array, string or object", container)


def _text(name: str, value: object, meter: Meter) -> str:
    if type(value) is not str:
        raise _refuse(name, "string", value)
    meter.charge(len(value) // TEXT_UNIT)
    return value


def _bounded(text: str) -> str:
    if len(text) > MAX_STRING_LENGTH:
        raise too_long()
    return text


def _lower(meter: Meter, value: object) -> str:
    return _bounded(_text("lower", value, meter).lower())


def _upper(meter: Meter, value: object) -> str:
    return _bounded(_text("upper", value, meter).upper())


def _trim(meter: Meter, value: object) -> str:
    return _text("trim", value, meter).strip()


def _number(name: str, value: object) -> int | float:
    if type(value) is int or type(value) is float:
        return value
    raise _refuse(name, "number", value)


def _round(value: object, decimals: object = 0) -> int | float:
    """Round half away from zero, on the number as it prints."""
    number = _number("round", value)
    places = _whole(decimals)
    if places is None or not 0 <= places <= 15:
        raise ExpressionError("Function 'round' expects 0 to 15 decimals")
    if type(number) is int:
        return number
    rounded = Decimal(repr(number)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, _WIDE)
    if places:
        return float(rounded)
    whole = int(rounded)
    if not -MAX_NUMBER <= whole <= MAX_NUMBER:
        raise ExpressionError("Number out of range")
    return whole


def _least(meter: Meter, *values: object) -> object:
    return _extreme("min", values, meter)


def _greatest(meter: Meter, *values: object) -> object:
    return _extreme("max", values, meter)


def _extreme(name: OneOf["min", "max"], values: tuple[object, ...], meter: Meter) -> object:
    best = values[0]
    check_ordered(best, best, meter)
    for value in values[1:]:
        check_ordered(best, value, meter)
        if (value < best) if name == "min" else (value > best):  # type: ignore[operator]
            best = value
    return best


def _abs(value: object) -> int | float:
    return abs(_number("abs", value))


def _whole(value: object) -> int | None:
    """``value`` as an integer, also where it is written ``2.0``; None if it is none."""
    if type(value) is float and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def _slice(meter: Meter, value: object, start: object, end: object = None) -> object:
    first, last = _whole(start), _whole(end)
    if first is None or (last is None and end is not None):
        raise _refuse("slice", "integer bounds", start if first is None else end)
    if type(value) is str or type(value) is list:
        meter.charge(len(value) // TEXT_UNIT)
        return value[first:last]
    raise _refuse("slice", "array or string", value)


def _str(meter: Meter, value: object) -> str:
    return show(value, meter)


def _num(value: object) -> int | float:
    if type(value) in NUMBERS:
        return value  # type: ignore[return-value]
    if type(value) is str and len(value) <= 400:
        text = value.strip()
        match = _NUMBER.fullmatch(text)
        if match:
            number = json.loads(text)
            if abs(number) <= MAX_NUMBER or (type(number) is float and abs(number) != float("inf")):
                return number  # type: ignore[no-any-return]
            raise ExpressionError("Number out of range")
    shown = f"'{value[:60]}'" if type(value) is str else type_name(value)
    raise ExpressionError(f"Cannot convert {shown} to number")


def _bool(value: object) -> bool:
    if type(value) is bool:
        return value
    if type(value) in NUMBERS:
        return value != 0
    if value == "true":
        return True
    if value == "false":
        return False
    shown = f"'{value[:60]}'" if type(value) is str else type_name(value)
    raise ExpressionError(f"Cannot convert {shown} to boolean")


FUNCTIONS: Final[dict[str, Function]] = {
    function.name: function
    for function in (
        Function("generate_id", 0, 0, ExecutionContext.next_id, "context", "string"),
        Function("timestamp", 0, 0, ExecutionContext.timestamp, "context", "string"),
        Function("now", 0, 0, ExecutionContext.now, "context", "number"),
        Function("len", 1, 1, length, gives="number"),
        Function("contains", 2, 2, _contains, "meter", "boolean"),
        Function("lower", 1, 1, _lower, "meter", "string"),
        Function("upper", 1, 1, _upper, "meter", "string"),
        Function("trim", 1, 1, _trim, "meter", "string"),
        Function("round", 1, 2, _round, gives="number"),
        Function("min", 1, None, _least, "meter"),
        Function("max", 1, None, _greatest, "meter"),
        Function("abs", 1, 1, _abs, gives="number"),
        Function("slice", 2, 3, _slice, "meter"),
        Function("str", 1, 1, _str, "meter", "string"),
        Function("num", 1, 1, _num, gives="number"),
        Function("bool", 1, 1, _bool, gives="boolean"),
    )
}
