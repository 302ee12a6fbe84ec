"""``appeval schema``: JSON Schema of the files that people write."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Kind(StrEnum):
    app = "app"
    scenario = "scenario"
    task = "task"


def schema(
    kind: Annotated[Kind, typer.Argument(help="Which kind of file.")] = Kind.app,
) -> None:
    """Print the JSON Schema of app definitions, scenarios or tasks, for editors."""
    from appeval_pipeline.appdef.schema import AppDefinition, SchemaModel
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.evaluation import EvaluationTask, Scenario

    models: dict[Kind, type[SchemaModel]] = {
        Kind.app: AppDefinition,
        Kind.scenario: Scenario,
        Kind.task: EvaluationTask,
    }
    printed = models[kind].model_json_schema(by_alias=True, mode="serialization")
    print_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **printed})
