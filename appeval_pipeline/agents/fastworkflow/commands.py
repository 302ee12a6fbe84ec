"""A tool as a command of FastWorkflow's: its parameters as pydantic fields, its calls the environment's.

Imported by the files of the folders that :mod:`appeval_pipeline.agents.fastworkflow.folder` writes.
"""

from __future__ import annotations

import importlib
import json
import re
import warnings
from pathlib import Path
from typing import Any, Final, Optional, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from appeval_pipeline.agents.fastworkflow.session import BRIDGE
from appeval_pipeline.agents.protocol import JsonObject, ToolCall

NOT_FOUND: Final = "NOT_FOUND"
"""By which FastWorkflow knows a text that is missing."""

_SCALARS: Final[dict[str, Any]] = {
    "string": str,
    "integer": int,
    "number": Union[int, float],  # noqa: UP007 - FastWorkflow knows no other unions, as of Optional
    "boolean": bool,
}
_ITEMS: Final[dict[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "object": dict,
    "array": list,
}
_META: Final = re.compile(r"([.^$*+?{}\[\]\\|()])")


class _Parameters(BaseModel):
    model_config = ConfigDict(validate_assignment=True, protected_namespaces=())


def _tool_of(file: str) -> JsonObject:
    """The tool whose description lies beside a command's file."""
    tool: JsonObject = json.loads(Path(file).with_suffix(".json").read_text(encoding="utf-8"))
    return tool


def signature_of(file: str) -> type:
    """What FastWorkflow shows of a command, and how it reads its parameters."""
    tool = _tool_of(file)
    description = tool["description"] or tool["name"]
    return type(
        "Signature",
        (),
        {
            "__doc__": description,
            "Input": parameters_model(tool),
            # Without an example, and something to make more, a command is not shown.
            "plain_utterances": [tool["name"].replace("_", " ")],
            "template_utterances": [],
            "generate_utterances": staticmethod(lambda _workflow, name: [name]),
        },
    )


def parameters_model(tool: JsonObject) -> type[BaseModel]:
    """The parameters as FastWorkflow reads them."""
    schema = tool["parameters"]
    required = set(schema.get("required", ()))
    fields: dict[str, Any] = {
        name: _field(name, parameter, name in required)
        for name, parameter in schema.get("properties", {}).items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a parameter may be called copy, say
        return create_model("Input", __base__=_Parameters, **fields)


def _field(name: str, schema: JsonObject, is_required: bool) -> tuple[Any, Any]:
    kind = _kind(schema)
    # FastWorkflow shows the description in place of the name, and the name is the tag that is asked for.
    described = f"{name}: " + " ".join(str(schema.get("description") or "").split())
    options: dict[str, Any] = {"description": described}
    match kind:
        case "array":
            annotation: Any = list[_ITEMS.get(_kind(schema.get("items", {})) or "", object)]  # type: ignore[misc]
        case "string" | "integer" | "number" | "boolean":
            annotation = _SCALARS[kind]
        case _:
            # FastWorkflow reads no objects but in lists.
            annotation = str
            options["description"] = f"{described} (as JSON)"
    if kind == "string" and (choices := schema.get("enum")):
        options["pattern"] = "^(" + "|".join(_META.sub(r"\\\1", str(choice)) for choice in choices) + ")$"
    if not is_required:
        return Optional[annotation], Field(default=None, **options)  # noqa: UP045
    if kind == "array":
        return annotation, Field(default_factory=list, **options)
    return annotation, Field(default=NOT_FOUND, **options) if annotation is str else Field(**options)


def _kind(schema: JsonObject) -> str | None:
    """The one type of a schema beside null; None where it is another thing."""
    kinds = schema.get("type")
    if isinstance(kinds, list):
        kinds = [kind for kind in kinds if kind != "null"]
        return kinds[0] if len(kinds) == 1 else None
    return kinds


def generator_of(file: str) -> type:
    """What FastWorkflow calls when it has a command's parameters."""
    tool = _tool_of(file)
    fastworkflow = importlib.import_module("fastworkflow")
    properties: JsonObject = tool["parameters"].get("properties", {})

    class ResponseGenerator:
        def __call__(self, workflow: Any, command: str, parameters: BaseModel) -> Any:
            call = ToolCall(tool["name"], arguments_of(parameters, properties))
            observation = workflow.context[BRIDGE].act(call)
            response = fastworkflow.CommandResponse(
                response=observation.content, success=observation.error is None
            )
            return fastworkflow.CommandOutput(command_responses=[response])

    return ResponseGenerator


def arguments_of(parameters: BaseModel, properties: JsonObject) -> dict[str, Any]:
    """The arguments of a call; optional ones that were not given are left out."""
    given = {name: getattr(parameters, name, None) for name in properties}
    return {name: _value(value, properties[name]) for name, value in given.items() if value is not None}


def _value(value: Any, schema: JsonObject) -> Any:
    """A value that was given as JSON text, read; text that is no JSON stays what it is."""
    if _kind(schema) in ("string", "integer", "number", "boolean", "array") or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
