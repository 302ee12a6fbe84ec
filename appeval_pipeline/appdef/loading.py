"""Reading an app definition: document to schema to checks, every fault with its place."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from appeval_pipeline.appdef.checking import check_app
from appeval_pipeline.appdef.documents import Document, DocumentError, Key, read_document
from appeval_pipeline.appdef.schema import (
    BLOCK_TYPES,
    ActionDefinition,
    AppDefinition,
    ParamSpec,
    SchemaModel,
    StateField,
)
from appeval_pipeline.errors import DefinitionError, Fault

_CONTAINERS: Final[dict[str, type[SchemaModel]]] = {
    "actions": ActionDefinition,
    "parameters": ParamSpec,
    "state_schema": StateField,
    "properties": StateField,
}
_NAMED_LISTS: Final = frozenset({"actions", "state_schema", "properties"})


def load_app(source: str | Path | Mapping[str, object]) -> AppDefinition:
    """Read, validate and check an app definition.

    Args:
        source: A path, a mapping, or YAML or JSON text.

    Raises:
        DefinitionError: The definition cannot run; ``faults`` lists everything that is wrong.
    """
    try:
        document = read_document(source)
    except DocumentError as error:
        raise DefinitionError([error.fault], error.source) from None
    return load_document(document)


def load_document(document: Document) -> AppDefinition:
    """The definition in a document that has been read.

    Raises:
        DefinitionError: As `load_app`.
    """
    app = validate_document(document)
    faults = [
        Fault(finding.location, finding.message, document.line(find_key(document.data, finding.location)))
        for finding in check_app(app)
        if finding.severity == "error"
    ]
    if faults:
        raise DefinitionError(faults, document.source)
    return app


def validate_document(document: Document) -> AppDefinition:
    """The definition in a document, held to the schema alone.

    Raises:
        DefinitionError: A key is missing, unknown or of the wrong kind.
    """
    try:
        return AppDefinition.model_validate(document.data)
    except ValidationError as error:
        faults = schema_faults(error, document, AppDefinition, _CONTAINERS, BLOCK_TYPES)
        raise DefinitionError(faults, document.source) from None


def schema_faults(
    error: ValidationError,
    document: Document,
    top: type[BaseModel],
    containers: Mapping[str, type[SchemaModel]],
    tagged: Mapping[str, type[SchemaModel]],
) -> list[Fault]:
    """What pydantic found, in this project's words and with places as users write them.

    Args:
        top: The model of the whole document.
        containers: The model of what stands in each list or mapping, by its key.
        tagged: The models of a union, by the tag that pydantic puts into the place of an error.
    """
    faults = []
    for found in error.errors(include_url=False, include_input=True):
        if found["loc"][-1:] == ("int",):
            continue  # a number is an int or a float; the float's error says it for both
        key, model = _resolve(found["loc"], document.data, top, containers, tagged)
        faults.append(Fault(describe_key(key, document.data), _message(found, model), document.line(key)))
    return sorted(set(faults))


def _resolve(
    loc: tuple[int | str, ...],
    data: object,
    top: type[BaseModel],
    containers: Mapping[str, type[SchemaModel]],
    tagged: Mapping[str, type[SchemaModel]],
) -> tuple[Key, type[BaseModel]]:
    """The key path in the document of pydantic's ``loc``, and the model around its last part."""
    key: list[str | int] = []
    model = top
    current: Any = data
    for position, part in enumerate(loc):
        if (
            isinstance(part, str)
            and part in tagged
            and isinstance(current, Mapping)
            and key
            and isinstance(key[-1], int)
        ):
            model = tagged[part]
            continue
        if part == "[key]":
            continue
        if position < len(loc) - 1 and part in containers:
            model = containers[str(part)]
        if isinstance(current, Mapping) and isinstance(part, str):
            field = model.model_fields.get(part)
            spelled = (field.serialization_alias if field else None) or part
            part = _as_written(spelled, current)
            current = current.get(part)
        elif isinstance(current, list) and isinstance(part, int) and part < len(current):
            current = current[part]
        elif isinstance(current, Mapping) and isinstance(part, int):
            # properties given as a mapping were listed before validation
            part = sorted(current)[part]
            current = current[part]
        elif isinstance(current, Mapping) or part in ("int", "float"):
            continue
        else:
            current = None
        key.append(part)
    return tuple(key), model


def _as_written(part: str, mapping: Mapping[str, object]) -> str:
    if part in mapping:
        return part
    plain = part.rstrip("_").replace("_", "").lower()
    return next((key for key in mapping if key.replace("_", "").lower() == plain), part.rstrip("_"))


def describe_key(key: Key, data: object) -> str:
    """A key path as users write it: ``actions.transfer.logic[2].condition``."""
    text = ""
    current: Any = data
    parent = ""
    for part in key:
        current = _child(current, part)
        if isinstance(part, int):
            name = current.get("name") if isinstance(current, Mapping) and parent in _NAMED_LISTS else None
            text += f".{name}" if isinstance(name, str) and name else f"[{part}]"
        else:
            text += f".{part}" if text else part
            parent = part
    return text


def _child(current: Any, part: str | int) -> Any:
    try:
        return current[part]
    except (KeyError, IndexError, TypeError):
        return None


def find_key(data: object, location: str) -> Key:
    """The key path of a location as users write it: the inverse of `describe_key`."""
    key: list[str | int] = []
    current: Any = data
    for part in location.replace("[", ".[").split("."):
        step: str | int
        if part.startswith("[") and part[1:-1].isdigit():
            step = int(part[1:-1])
        elif isinstance(current, list):
            step = next(
                (
                    i
                    for i, item in enumerate(current)
                    if isinstance(item, Mapping) and item.get("name") == part
                ),
                -1,
            )
        elif isinstance(current, Mapping):
            step = _as_written(part, current)
        else:
            break
        key.append(step)
        current = _child(current, step)
        if current is None:
            break
    return tuple(key)


def _message(found: Any, model: type[BaseModel]) -> str:
    context: Mapping[str, Any] = found.get("ctx", {})
    match found["type"]:
        case "missing":
            return "Required key is missing"
        case "extra_forbidden":
            accepted = model.accepted_keys() if issubclass(model, SchemaModel) else list(model.model_fields)
            name = str(found["loc"][-1])
            near = difflib.get_close_matches(name, accepted, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            return f"Unknown key '{name}'; accepted: {', '.join(accepted)}{hint}"
        case "union_tag_not_found":
            return f"Block has no type; accepted: {', '.join(BLOCK_TYPES)}"
        case "union_tag_invalid":
            return f"Unknown block type '{context['tag']}'; accepted: {', '.join(BLOCK_TYPES)}"
        case "literal_error":
            return f"'{found['input']}' is not accepted; accepted: {context['expected']}".replace(
                " or ", ", "
            )
        case "string_pattern_mismatch":
            return f"'{found['input']}' does not match {context['pattern']}"
        case "twice" | "value_error":
            return str(found["msg"]).removeprefix("Value error, ")
        case "string_type":
            hint = "" if isinstance(found["input"], dict | list) else "; put it in quotes to make it text"
            return f"Expected text, got {_shown(found['input'])}{hint}"
        case kind if kind in _EXPECTED:
            return f"Expected {_EXPECTED[kind]}, got {_shown(found['input'])}"
        case "string_too_short" | "too_short":
            return f"Expected at least {context['min_length']} {_unit(found['input'], context['min_length'])}"
        case "string_too_long" | "too_long":
            return f"Expected at most {context['max_length']} {_unit(found['input'], context['max_length'])}"
        case "greater_than_equal":
            return f"Expected {context['ge']} or more, got {_shown(found['input'])}"
        case _:
            return f"{found['msg']}, got {_shown(found['input'])}"


_EXPECTED: Final = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
"""What pydantic's type errors mean, in the words of the files that people write."""


def _unit(value: object, count: int) -> str:
    unit = "character" if isinstance(value, str) else "item"
    return f"{unit}, got {len(value)}" if count == 1 else f"{unit}s, got {len(value)}"  # type: ignore[arg-type]


def _shown(value: object) -> str:
    """A value as the files spell it."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= 60 else f"{text[:57]}..."


assert set(BLOCK_TYPES) == {
    get_args(model.model_fields["type"].annotation)[0] for model in BLOCK_TYPES.values()
}
