"""Parameter specs: what values they accept, and whether they make sense themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from appeval_pipeline.appdef.schema import ParamSpec
from appeval_pipeline.expr.values import equal, show_number, type_name

_LENGTHS: Final = ("string", "array")
_MATCHING_STEPS: Final = 200_000_000
"""Steps of the pattern times characters: what the slowest way to match may take."""


def kind_of(value: object) -> str:
    """The language's name of a plain JSON value's type."""
    return type_name(value)


@lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Any:
    """The compiled pattern, of an engine that runs in linear time.

    Raises:
        ValueError: It is no regular expression, or uses what cannot run in linear time.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = 1 << 20
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        detail = error.args[0] if error.args else "not accepted"
        raise ValueError(detail.decode() if isinstance(detail, bytes) else str(detail)) from None


def violation(name: str, spec: ParamSpec, value: object) -> str | None:
    """Why ``value``, which is not null, does not fit ``spec``; None if it fits."""
    kind = kind_of(value)
    if kind != spec.type:
        return f"Parameter '{name}' must be {_article(spec.type)}, got {kind}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        if spec.min_value is not None and value < spec.min_value:
            return f"Parameter '{name}' must be at least {shown(spec.min_value)}, got {shown(value)}"
        if spec.max_value is not None and value > spec.max_value:
            return f"Parameter '{name}' must be at most {shown(spec.max_value)}, got {shown(value)}"
    if isinstance(value, str | list):
        unit = "character" if isinstance(value, str) else "item"
        if spec.min_length is not None and len(value) < spec.min_length:
            return f"Parameter '{name}' must have at least {_count(spec.min_length, unit)}, got {len(value)}"
        if spec.max_length is not None and len(value) > spec.max_length:
            return f"Parameter '{name}' must have at most {_count(spec.max_length, unit)}, got {len(value)}"
    if spec.pattern is not None and isinstance(value, str):
        problem = pattern_mismatch(spec.pattern, value)
        if problem is not None:
            return f"Parameter '{name}' {problem}"
    if spec.enum is not None and not any(equal(value, option) for option in spec.enum):
        options = ", ".join(map(shown, spec.enum[:10]))
        return f"Parameter '{name}' must be one of {options}"
    return None


def shown(value: object) -> str:
    """A value in a message: strings in quotes, numbers without a needless ``.0``."""
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return show_number(value)
    return json.dumps(value, ensure_ascii=False)


def _count(count: int, unit: str) -> str:
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def pattern_mismatch(pattern: str, value: str) -> str | None:
    """Why ``value`` does not match ``pattern``, None if it does."""
    compiled = compile_pattern(pattern)
    if compiled.programsize * len(value) > _MATCHING_STEPS:
        return f"is too long for its pattern: {len(value)} characters"
    try:
        found = compiled.search(value)
    except UnicodeEncodeError:
        return "holds half of a surrogate pair"
    return None if found else f"must match the pattern {pattern}"


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "ao" else f"a {kind}"


def check_parameters(name: str, spec: ParamSpec) -> Iterator[tuple[str, str]]:
    """What is wrong with ``spec`` itself: (key, message)."""
    for key, value, kinds in (
        ("minValue", spec.min_value, ("number",)),
        ("maxValue", spec.max_value, ("number",)),
        ("minLength", spec.min_length, _LENGTHS),
        ("maxLength", spec.max_length, _LENGTHS),
        ("pattern", spec.pattern, ("string",)),
    ):
        if value is not None and spec.type not in kinds:
            yield key, f"{key} is for a {' or '.join(kinds)}; '{name}' is {_article(spec.type)}"
    for low, high, keys in (
        (spec.min_value, spec.max_value, ("minValue", "maxValue")),
        (spec.min_length, spec.max_length, ("minLength", "maxLength")),
    ):
        if low is not None and high is not None and low > high:
            yield keys[0], f"{keys[0]} {low} is greater than {keys[1]} {high}"
    if spec.pattern is not None:
        try:
            compile_pattern(spec.pattern)
        except ValueError as error:
            yield "pattern", f"Pattern is not accepted: {error}"
            return
    if spec.enum is not None:
        if not spec.enum:
            yield "enum", f"enum of '{name}' is empty: no value would be accepted"
        for option in spec.enum:
            if kind_of(option) != spec.type:
                yield "enum", f"enum of '{name}' holds a {kind_of(option)}; '{name}' is {_article(spec.type)}"
    if spec.default is not None:
        problem = violation(name, spec, spec.default)
        if problem is not None:
            yield "default", f"The default is not accepted: {problem}"
