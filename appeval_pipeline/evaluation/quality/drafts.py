"""First drafts of what a definition lacks, for the edits of suggestions."""

from __future__ import annotations

from typing import Any, Final

from appeval_pipeline.appdef.schema import (
    ActionDefinition,
    AppDefinition,
    ParamSpec,
    ReturnBlock,
    UpdateBlock,
)
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.evaluation.quality.guards import reading
from appeval_pipeline.expr.tree import Field, Index, Name, Path, walk

_DEFAULTS: Final[dict[str, Any]] = {"string": "", "number": 0, "boolean": False, "array": [], "object": {}}
_BY_OPERATION: Final = {
    "add": "number", "subtract": "number", "append": "array", "remove": "array", "merge": "object",
}  # fmt: skip
MAX_ITEMS: Final = 1000
DRAFT_TEXT: Final = "To be described here."


def draft_default(kind: str) -> Any:
    """An empty value of a type."""
    return _DEFAULTS[kind]


def draft_constraint(spec: ParamSpec) -> tuple[str, Any] | None:
    """A constraint for a parameter, as a key of its spec and a value; objects know none."""
    match spec.type:
        case "string":
            return "minLength", 1
        case "number":
            return "minValue", 0
        case "array":
            return "maxLength", 100
        case "boolean":
            return "enum", [True, False]
        case "object":
            return None


def draft_guard(name: str, spec: ParamSpec) -> str:
    """A condition that restricts an object parameter."""
    filled = f"len(params.{name}) > 0"
    return filled if spec.required else f"params.{name} == null || {filled}"


def draft_validate(condition: str) -> dict[str, str]:
    return {"type": "validate", "condition": condition, "errorMessage": "Not possible"}


def return_keys(action: ActionDefinition) -> tuple[str, ...]:
    """The keys of all ``return`` blocks of ``action``, in the order of their first appearance."""
    return tuple(
        dict.fromkeys(
            key
            for placed in walk_blocks(action)
            if isinstance(placed.block, ReturnBlock)
            for key in placed.block.value
        )
    )


def draft_returns(action: ActionDefinition) -> dict[str, Any]:
    return {key: {"description": DRAFT_TEXT} for key in return_keys(action)}


def draft_state_schema(app: AppDefinition) -> list[dict[str, Any]]:
    """The fields that the logic reads and writes, with types as far as its use tells."""
    fields: dict[tuple[bool, str], str] = {}
    for action in app.actions:
        for placed in walk_blocks(action):
            block = placed.block
            for part, node in reading.parts(block, placed.scope):
                for inner in walk(node):
                    named = _field(inner)
                    if named is None:
                        continue
                    kind = "object" if named[2] else "string"
                    if isinstance(block, UpdateBlock) and part == "target" and inner is node and not named[2]:
                        kind = _BY_OPERATION.get(block.operation, kind)
                    known = fields.setdefault(named[:2], kind)
                    fields[named[:2]] = kind if known == "string" else known
    return [
        {
            "name": name,
            "type": kind,
            "description": DRAFT_TEXT,
            "default": draft_default(kind),
            "perAgent": not shared,
            **({"maxItems": MAX_ITEMS} if kind == "array" else {}),
        }
        for (shared, name), kind in fields.items()
    ]


def _field(node: object) -> tuple[bool, str, bool] | None:
    """Of a path: whether it is shared, the field that it starts at, and whether it goes on."""
    match node:
        case Path(Name("shared"), (Field(name), *rest)):
            return True, name, bool(rest)
        case Path(Name("agent"), (Field(name), *rest)) if name != "id":
            return False, name, bool(rest)
        case Path(Name("agents"), (Field() | Index(), Field(name), *rest)) if name != "id":
            return False, name, bool(rest)
        case _:
            return None
