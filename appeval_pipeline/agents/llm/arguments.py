"""JSON that a model wrote: bounded in size and depth, and without what JSON does not have."""

from __future__ import annotations

import json
import math
from typing import Any, Final

MOST_CHARACTERS: Final = 100_000
DEEPEST: Final = 50
"""Lists and objects within each other."""


class NotAnObjectError(ValueError):
    """A text is no JSON object that can be used; says why, as a model may be told."""


def read_object(text: str) -> dict[str, Any]:
    """The JSON object that a text is.

    Raises:
        NotAnObjectError: It is none, or one that is too large, nested too deep, or has numbers or texts that
            cannot be handed on (NaN, 1e999, half of a surrogate pair).
    """
    if len(text) > MOST_CHARACTERS:
        raise NotAnObjectError(
            f"it has {len(text):,} characters; expected a JSON object of at most {MOST_CHARACTERS:,}"
        )
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise NotAnObjectError(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        raise NotAnObjectError(f"it is no JSON: {error.msg} at character {error.pos + 1}") from None
    except ValueError as error:  # a constant that JSON does not have, or an integer of thousands of digits
        raise NotAnObjectError(f"it is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise NotAnObjectError(f"it is {_KINDS[type(value)]}; expected a JSON object")
    _check(value)
    return value


def _check(value: dict[str, Any]) -> None:
    """Walk through a value without recursion."""
    left: list[tuple[Any, int]] = [(value, 1)]
    while left:
        part, depth = left.pop()
        if depth > DEEPEST and isinstance(part, dict | list):
            raise NotAnObjectError(_TOO_DEEP)
        match part:
            case dict():
                left.extend((key, depth) for key in part)
                left.extend((inner, depth + 1) for inner in part.values())
            case list():
                left.extend((inner, depth + 1) for inner in part)
            case str():
                _check_text(part)
            case int() | float():
                _check_number(part)
            case _:
                pass


def _check_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotAnObjectError("it has half of a surrogate pair, which is no text") from None


def _check_number(number: float) -> None:
    try:
        finite = math.isfinite(number)
    except OverflowError:
        finite = False
    if not finite:
        raise NotAnObjectError("it has a number that is too large")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


_TOO_DEEP: Final = f"it is nested too deep; expected at most {DEEPEST} lists and objects within each other"
_KINDS: Final = {list: "a list", str: "a text", int: "a number", float: "a number", bool: "a truth value"} | {
    type(None): "null"
}
