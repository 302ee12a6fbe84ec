"""Comparing what was expected with what came, with matchers where a value is not known ahead."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from appeval_pipeline.appdef.parameters import compile_pattern, pattern_mismatch
from appeval_pipeline.expr.values import equal, type_name
from appeval_pipeline.expr.writing import MISSING

TOLERANCE: Final = 1e-9
"""Numbers that differ by no more than this match."""
APPROXIMATION: Final = 1e-6
"""Relative tolerance of ``$approx`` where none is given."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One difference: where, what was expected and what came (MISSING if nothing did)."""

    path: str
    expected: object
    actual: object
    reason: str


def mismatches(expected: object, actual: object, path: str) -> Iterator[Mismatch]:
    """Every difference between the two.

    An object's listed keys must match, deeply, and others are free; arrays match whole; numbers match
    within 1e-9; an object whose keys start with ``$`` is a matcher.
    """
    if is_matcher(expected):
        for name, argument in expected.items():  # type: ignore[attr-defined]
            if not MATCHERS[name](argument, actual):
                yield Mismatch(
                    path, expected, actual, f"{path} is {shown(actual)}, expected {name} {shown(argument)}"
                )
    elif actual is MISSING:
        yield Mismatch(path, expected, actual, f"{path} is missing, expected {shown(expected)}")
    elif isinstance(expected, dict) and isinstance(actual, dict):
        for key, value in expected.items():
            yield from mismatches(value, actual.get(key, MISSING), f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            reason = f"{path} has {len(actual)} elements, expected {len(expected)}"
            yield Mismatch(path, expected, actual, reason)
        else:
            for index, (wanted, got) in enumerate(zip(expected, actual, strict=True)):
                yield from mismatches(wanted, got, f"{path}[{index}]")
    elif not _same(expected, actual):
        yield Mismatch(path, expected, actual, f"{path} is {shown(actual)}, expected {shown(expected)}")


def is_matcher(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and all(key.startswith("$") for key in value)


def check_matchers(value: object, path: str) -> Iterator[tuple[str, str]]:
    """What is wrong with the matchers in an expectation: (path, message)."""
    if isinstance(value, dict):
        dollars = [key for key in value if key.startswith("$")]
        if dollars and len(dollars) < len(value):
            yield path, "An object holds either matchers ($…) or keys, not both"
        for key, item in value.items():
            if key in dollars:
                yield from _check_matcher(key, item, path)
            else:
                yield from check_matchers(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from check_matchers(item, f"{path}[{index}]")


def _check_matcher(name: str, argument: object, path: str) -> Iterator[tuple[str, str]]:
    if name not in MATCHERS:
        yield path, f"Unknown matcher '{name}'; accepted: {', '.join(MATCHERS)}"
        return
    accepted = _ARGUMENTS[name]
    if not accepted.test(argument):
        why = _why_no_pattern(argument) if name == "$regex" else ""
        yield path, f"Matcher {name} expects {accepted.description}, got {shown(argument)}{why}"


def shown(value: object) -> str:
    """A value in a message, shortened."""
    if value is MISSING:
        return "missing"
    text = repr(value) if isinstance(value, str) else _json(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(expected: object, actual: object) -> bool:
    if _is_number(expected) and _is_number(actual):
        return math.isclose(expected, actual, rel_tol=0, abs_tol=TOLERANCE)  # type: ignore[arg-type]
    return equal(expected, actual)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[object, object], bool]:
    def matches(bound: object, actual: object) -> bool:
        comparable = (_is_number(bound) and _is_number(actual)) or (
            isinstance(bound, str) and isinstance(actual, str)
        )
        return comparable and compare(actual, bound)

    return matches


def _approx(argument: object, actual: object) -> bool:
    if not _is_number(actual):
        return False
    if isinstance(argument, list):
        return math.isclose(argument[0], actual, rel_tol=0, abs_tol=argument[1])  # type: ignore[arg-type]
    return math.isclose(argument, actual, rel_tol=APPROXIMATION, abs_tol=APPROXIMATION)  # type: ignore[arg-type]


def _regex(pattern: object, actual: object) -> bool:
    return isinstance(actual, str) and pattern_mismatch(str(pattern), actual) is None


def _in(options: object, actual: object) -> bool:
    assert isinstance(options, list)
    return actual is not MISSING and any(_same(option, actual) for option in options)


MATCHERS: Final[Mapping[str, Callable[[object, object], bool]]] = {
    "$type": lambda name, actual: actual is not MISSING and type_name(actual) == name,
    "$exists": lambda wanted, actual: (actual is not MISSING) is wanted,
    "$regex": _regex,
    "$gt": _ordered(lambda a, b: a > b),
    "$gte": _ordered(lambda a, b: a >= b),
    "$lt": _ordered(lambda a, b: a < b),
    "$lte": _ordered(lambda a, b: a <= b),
    "$approx": _approx,
    "$in": _in,
}


@dataclass(frozen=True, slots=True)
class _Argument:
    description: str
    test: Callable[[object], bool]


def _is_pattern(value: object) -> bool:
    return isinstance(value, str) and not _why_no_pattern(value)


def _why_no_pattern(value: object) -> str:
    """What the regular expressions of the language do not accept in ``value``; empty if they accept it."""
    try:
        compile_pattern(str(value))
    except ValueError as error:
        return f": {error}"
    return ""


def _is_tolerant(value: object) -> bool:
    """Whether ``value`` is a number and a tolerance of zero or more."""
    return isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and value[1] >= 0


def _are_options(value: object) -> bool:
    return isinstance(value, list) and bool(value) and not any(map(is_matcher, value))


_TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
_BOUND: Final = _Argument("a number or a string", lambda value: _is_number(value) or isinstance(value, str))
_ARGUMENTS: Final[Mapping[str, _Argument]] = {
    "$type": _Argument(f"one of {', '.join(_TYPES)}", lambda value: value in _TYPES),
    "$exists": _Argument("true or false", lambda value: isinstance(value, bool)),
    "$regex": _Argument("a regular expression", _is_pattern),
    "$gt": _BOUND,
    "$gte": _BOUND,
    "$lt": _BOUND,
    "$lte": _BOUND,
    "$approx": _Argument(
        "a number, or [number, tolerance of zero or more]",
        lambda value: _is_number(value) or _is_tolerant(value),
    ),
    "$in": _Argument("an array of one or more values, none of them a matcher", _are_options),
}
