"""JSON Schema of the files that people write."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from appeval_pipeline.appdef.schema import AppDefinition, SchemaModel
from appeval_pipeline.evaluation import EvaluationTask, Scenario

FOLDER: Final = "schemas"
"""Within the data directory: files name their schema by a relative path, which needs no network."""


class SchemaKind(StrEnum):
    """A kind of file."""

    app = "app"
    scenario = "scenario"
    task = "task"


_MODELS: Final[dict[SchemaKind, type[SchemaModel]]] = {
    SchemaKind.app: AppDefinition,
    SchemaKind.scenario: Scenario,
    SchemaKind.task: EvaluationTask,
}


def json_schema(kind: SchemaKind) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a kind of file."""
    schema = _MODELS[kind].model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def write_schemas(folder: Path) -> tuple[Path, ...]:
    """Write ``app.schema.json`` and the others into ``folder``; former ones are replaced.

    Returns:
        The files, whether or not they were there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return tuple(_write(folder / f"{kind}.schema.json", json_schema(kind)) for kind in SchemaKind)


def _write(path: Path, schema: dict[str, Any]) -> Path:
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    # What is equal is not touched: editors and git look at times.
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return path
