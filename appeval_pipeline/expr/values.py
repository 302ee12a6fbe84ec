"""The values of the language: plain JSON types, compared, copied, measured and shown.

null, boolean, number, string, array and object are Python's None, bool, int or float, str, list and dict.
Nothing here looks at any other Python type but to refuse it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence, Sized
from itertools import repeat
from json.encoder import encode_basestring
from typing import Final

import orjson

from appeval_pipeline.errors import ExpressionError, StateError
from appeval_pipeline.expr.limits import (
    MAX_ARRAY_LENGTH,
    MAX_INPUT_CHARACTERS,
    MAX_INPUT_DEPTH,
    MAX_INPUT_VALUES,
    MAX_NUMBER,
    MAX_STRING_LENGTH,
    MAX_VALUE_DEPTH,
    TEXT_UNIT,
    LimitExceeded,
    Meter,
)

Scalar = None | bool | int | float | str
# A recursive alias would make every narrowing in the hot paths a cast; containers hold objects.
Value = Scalar | list[object] | dict[str, object]

SCALARS: Final = frozenset({type(None), bool, int, float, str})
NUMBERS: Final = frozenset({int, float})
_TYPE_NAMES: Final[dict[type, str]] = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def type_name(value: object) -> str:
    """The name of the value's type: null, boolean, number, string, array or object."""
    name = _TYPE_NAMES.get(type(value))
    if name is None:
        raise ExpressionError(f"Unsupported value of Python type '{type(value).__name__}'")
    return name


LONG: Final = 1_000
"""Characters from which comparing a text is work worth counting."""


def charge_text(meter: Meter | None, left: str, right: str) -> None:
    """Count the work of comparing two texts."""
    shorter = min(len(left), len(right))
    if meter is not None and shorter > LONG:
        meter.charge(shorter // TEXT_UNIT)


def equal(left: object, right: object, meter: Meter | None = None, depth: int = 0) -> bool:
    """Deep equality: values of different types are unequal, numbers compare by value."""
    kind = type(left)
    if kind is list or kind is dict:
        if type(right) is not kind or len(left) != len(right):  # type: ignore[arg-type]
            return False
        if depth > MAX_INPUT_DEPTH:
            raise LimitExceeded(f"Value nests deeper than {MAX_INPUT_DEPTH} levels")
        if meter is not None:
            meter.charge(len(right))
        deeper = depth + 1
        if kind is list:
            return all(map(equal, left, right, repeat(meter), repeat(deeper)))  # type: ignore[call-overload]
        if meter is not None:
            meter.charge(sum(len(key) for key in right if type(key) is str) // TEXT_UNIT)
        if left.keys() != right.keys():  # type: ignore[attr-defined, union-attr, unused-ignore]
            return False
        return all(equal(value, right[key], meter, deeper) for key, value in left.items())  # type: ignore[attr-defined]
    if kind is str and type(right) is str:
        charge_text(meter, left, right)  # type: ignore[arg-type]
        return left == right
    if kind in SCALARS and (type(right) is kind or (kind in NUMBERS and type(right) in NUMBERS)):
        return left == right
    type_name(left), type_name(right)
    return False


def _key_length(key: object) -> int:
    if type(key) is not str:
        raise ExpressionError(f"An object's keys must be strings, got {key!r:.60}")
    return len(key)


class _Copier:
    """Copies one value, counting nodes and characters against the limits of made values."""

    __slots__ = ("characters", "meter", "nodes")

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.nodes = 0
        self.characters = 0

    def read(self, characters: int) -> None:
        self.characters += characters
        if self.characters > MAX_STRING_LENGTH:
            raise LimitExceeded(f"Value holds more than {MAX_STRING_LENGTH} characters")
        if characters > TEXT_UNIT:
            self.meter.charge(characters // TEXT_UNIT)

    def copy(self, value: object, depth: int) -> object:
        kind = type(value)
        if kind is str:
            self.read(len(value))  # type: ignore[arg-type]
            return value
        if kind in SCALARS:
            return value
        if depth >= MAX_VALUE_DEPTH:
            raise LimitExceeded(f"Value nests deeper than {MAX_VALUE_DEPTH} levels")
        if kind is list or kind is dict:
            size = len(value)  # type: ignore[arg-type]
            self.nodes += size
            self.meter.charge(size)
            if self.nodes > MAX_ARRAY_LENGTH:
                raise LimitExceeded(f"Value holds more than {MAX_ARRAY_LENGTH} elements")
            if kind is list:
                return [self.copy(item, depth + 1) for item in value]  # type: ignore[attr-defined]
            self.read(sum(map(_key_length, value)))  # type: ignore[call-overload]
            return {key: self.copy(item, depth + 1) for key, item in value.items()}  # type: ignore[attr-defined]
        type_name(value)
        return value


def copy_made(value: object, meter: Meter) -> object:
    """A copy of a value that an action made, held to the limits of made values."""
    return _Copier(meter).copy(value, 0)


def copy_plain(value: object) -> object:
    """A deep copy of a value known to be plain JSON."""
    kind = type(value)
    if kind is dict:
        return {key: item if type(item) in SCALARS else copy_plain(item) for key, item in value.items()}  # type: ignore[attr-defined]
    if kind is list:
        return [item if type(item) in SCALARS else copy_plain(item) for item in value]  # type: ignore[attr-defined]
    return value


def copy_input(value: object, what: str = "value") -> object:
    """A deep copy of a value from outside, checked to be plain, finite JSON of bounded depth.

    Mappings become dicts, tuples lists; the message of an error starts with ``what`` and the path.

    Raises:
        StateError: Not plain JSON, a number that is not finite or beyond ±2^63, nested deeper than 200
            levels (or cyclic, which is the same), or more than 500,000 values or 4,000,000 characters
            (shared ones each time).
    """
    try:
        return _copy_input(value, 0, _Allowance())
    except _Refused as refused:
        place = "".join(reversed(refused.place))
        raise StateError(f"{what}{place if len(place) <= 200 else place[:200] + '…'}: {refused}") from None


class _Refused(Exception):
    """A value from outside is not plain JSON; ``place`` is its path, innermost step first."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.place: list[str] = []


class _Allowance:
    """How many values and characters an input may still hold."""

    __slots__ = ("characters", "values")

    def __init__(self) -> None:
        self.values = MAX_INPUT_VALUES
        self.characters = MAX_INPUT_CHARACTERS

    def enter(self, container: Sized, depth: int) -> None:
        """Count a container's values and levels."""
        if depth >= MAX_INPUT_DEPTH:
            raise _Refused(f"nests deeper than {MAX_INPUT_DEPTH} levels")
        self.values -= len(container)
        if self.values < 0:
            raise _Refused(f"holds more than {MAX_INPUT_VALUES} values")

    def read(self, characters: int) -> None:
        """Count the characters of a container's own texts."""
        self.characters -= characters
        if self.characters < 0:
            raise _Refused(f"holds more than {MAX_INPUT_CHARACTERS} characters")


def _copy_input(value: object, depth: int, left: _Allowance) -> object:
    kind = type(value)
    if kind is str:
        left.read(len(value))  # type: ignore[arg-type]
        return value
    if value is None or kind is bool:
        return value
    if kind is int:
        if not -MAX_NUMBER <= value <= MAX_NUMBER:  # type: ignore[operator]
            raise _Refused("number out of range (±2^63)")
        return value
    if kind is float:
        if not math.isfinite(value):  # type: ignore[arg-type]
            raise _Refused(f"{value} is no JSON number")
        return value
    if kind is list or kind is tuple:
        return _copy_items(value, depth, left)  # type: ignore[arg-type]
    if kind is dict or isinstance(value, Mapping):
        return _copy_fields(value, depth, left)  # type: ignore[arg-type]
    raise _Refused(f"a value of Python type '{kind.__name__}' is not plain JSON")


def _copy_items(value: Sequence[object], depth: int, left: _Allowance) -> list[object]:
    left.enter(value, depth)
    items: list[object] = []
    characters = 0
    try:
        for item in value:
            kind = type(item)
            if kind is str:
                characters += len(item)  # type: ignore[arg-type]
                items.append(item)
            elif kind is int and -MAX_NUMBER <= item <= MAX_NUMBER:  # type: ignore[operator]
                items.append(item)
            else:
                items.append(_copy_input(item, depth + 1, left))
    except _Refused as refused:
        refused.place.append(f"[{len(items)}]")
        raise
    left.read(characters)
    return items


def _copy_fields(value: Mapping[object, object], depth: int, left: _Allowance) -> dict[str, object]:
    left.enter(value, depth)
    fields: dict[str, object] = {}
    characters = 0
    key: object = None
    try:
        for key, item in value.items():
            if type(key) is not str:
                raise _Refused(f"has the key {key!r:.60}; keys must be strings")
            characters += len(key)
            if type(item) is str:
                characters += len(item)
                fields[key] = item
            else:
                fields[key] = _copy_input(item, depth + 1, left)
    except _Refused as refused:
        if type(key) is str:
            refused.place.append(f".{key}")
        raise
    left.read(characters)
    return fields


def json_size(value: object) -> int:
    """Bytes of ``value``, plain JSON of bounded size, as compact JSON in UTF-8."""
    try:
        return len(orjson.dumps(value))
    except TypeError:
        # Half of a surrogate pair, or an integer of 2^63: no UTF-8, and no 64 bits.
        return len(
            json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
        )


def show_number(value: int | float) -> str:
    """A number without a needless ``.0``."""
    if type(value) is float and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return repr(value)


def show(value: object, meter: Meter) -> str:
    """A value as interpolation and ``str`` print it: strings bare, containers as compact JSON."""
    if type(value) is str:
        return value
    parts: list[str] = []
    _show(value, parts, meter, 0)
    text = "".join(parts)
    if len(text) > MAX_STRING_LENGTH:
        raise too_long()
    meter.charge(len(text) // TEXT_UNIT)
    return text


def _show(value: object, parts: list[str], meter: Meter, depth: int) -> int:
    """Append the JSON of ``value`` to ``parts``; the number of characters appended."""
    kind = type(value)
    if kind is list or kind is dict:
        if depth > MAX_INPUT_DEPTH:
            raise LimitExceeded(f"Value nests deeper than {MAX_INPUT_DEPTH} levels")
        meter.charge(len(value))  # type: ignore[arg-type]
        length = 2
        parts.append("[" if kind is list else "{")
        for position, item in enumerate(value):  # type: ignore[arg-type, var-annotated]
            if position:
                parts.append(",")
            if kind is dict:
                if type(item) is not str:
                    raise ExpressionError(f"Keys must be strings, got {item!r:.60}")
                key = encode_basestring(item)
                parts += (key, ":")
                length += len(key) + 1
                item = value[item]  # type: ignore[index]
            length += _show(item, parts, meter, depth + 1) + 1
            if length > MAX_STRING_LENGTH:
                raise too_long()
        parts.append("]" if kind is list else "}")
        return length
    if kind is str:
        text = encode_basestring(value)  # type: ignore[arg-type]
    elif value is None:
        text = "null"
    elif kind is bool:
        text = "true" if value else "false"
    elif kind in NUMBERS:
        text = show_number(value)  # type: ignore[arg-type]
    else:
        type_name(value)
        raise AssertionError
    parts.append(text)
    return len(text)


def too_long() -> LimitExceeded:
    return LimitExceeded(f"String is longer than {MAX_STRING_LENGTH} characters")
