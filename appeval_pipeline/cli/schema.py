"""``appeval schema``: JSON Schema of the files that people write."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Kind(StrEnum):
    """Stands here as well as in the starter, which takes long to import; a test holds them equal."""

    app = "app"
    scenario = "scenario"
    task = "task"


def schema(
    kind: Annotated[Kind, typer.Argument(help="Which kind of file.")] = Kind.app,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Write the schemas of all three kinds into this directory instead.",
            metavar="DIR",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the JSON Schema of app definitions, scenarios or tasks, for editors.

    A file names its schema in its first line, as those of `appeval new` do:
    `# yaml-language-server: $schema=../../schemas/app.schema.json`
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.starter import SchemaKind, json_schema, write_schemas

    if output is None:
        print_json(json_schema(SchemaKind(kind)))
        return
    for path in write_schemas(output):
        typer.echo(str(path))
