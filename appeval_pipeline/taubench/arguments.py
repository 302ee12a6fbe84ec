"""Whether arguments are what a tool's schema says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from appeval_pipeline.agents import Tool
from appeval_pipeline.errors import Fault

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}

_DEEPEST: Final = 50
"""Levels of arguments; no tool takes more than four, and what is done with them is recursive."""


def nest_too_deeply(arguments: object, levels: int = _DEEPEST) -> bool:
    """Whether arguments that somebody wrote have more levels of lists and objects than can be handled."""
    inner: Iterable[object] = ()
    if isinstance(arguments, Mapping):
        inner = arguments.values()
    elif isinstance(arguments, list):
        inner = arguments
    return levels == 0 or any(nest_too_deeply(one, levels - 1) for one in inner)


def argument_faults(tool: Tool, arguments: Mapping[str, Any], at: str = "") -> Iterator[Fault]:
    """What keeps a tool from being called with some arguments, as its schema says; nothing if all is well."""
    yield from _object_faults(tool.parameters, arguments, at)


def _object_faults(schema: Mapping[str, Any], value: Mapping[str, Any], at: str) -> Iterator[Fault]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield Fault(at, f"{name} is missing")
    for name, inner in value.items():
        place = f"{at}.{name}" if at else name
        if name in properties:
            yield from _value_faults(properties[name], inner, place)
        elif properties or "properties" in schema:
            yield Fault(place, f"unknown; expected one of: {', '.join(properties) or 'nothing'}")


def _value_faults(schema: Mapping[str, Any], value: object, at: str) -> Iterator[Fault]:
    kind = schema.get("type")
    expected = _TYPES.get(kind, (object,)) if isinstance(kind, str) else (object,)
    if not isinstance(value, expected) or (isinstance(value, bool) and kind in ("number", "integer")):
        yield Fault(at, f"{value!r} is no {kind}")
    elif "enum" in schema and value not in schema["enum"]:
        yield Fault(at, f"{value!r} is none of: {', '.join(map(str, schema['enum']))}")
    elif isinstance(value, dict):
        yield from _object_faults(schema, value, at)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _value_faults(schema.get("items", {}), item, f"{at}[{index}]")
