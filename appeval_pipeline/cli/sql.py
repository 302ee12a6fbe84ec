"""``appeval sql``: read-only questions to the store."""

from __future__ import annotations

import csv
import math
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from appeval_pipeline.store.query import QueryResult


class Format(StrEnum):
    table = "table"
    json = "json"
    csv = "csv"


def sql(
    statement: Annotated[str, typer.Argument(help="One SELECT.", metavar="SELECT", show_default=False)],
    output_format: Annotated[
        Format | None, typer.Option("--format", help="How to print the answer.", show_default="table")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Answer one SELECT on the stored results; nothing can be changed by it.

    Tables and columns: `appeval sql "show tables"`, `appeval sql "describe quality_scores"`.
    """
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import open_store, query

    if as_json and output_format not in (None, Format.json):
        raise typer.BadParameter(f"--json and --format {output_format} contradict each other")
    result = query(open_store(load_settings().store), statement)
    names = _distinct(result.columns)
    match Format.json if as_json else output_format or Format.table:
        case Format.table:
            _print_table(result)
        case Format.json:
            print_json([dict(zip(names, map(_plain, row), strict=True)) for row in result.rows])
        case Format.csv:
            writer = csv.writer(sys.stdout, lineterminator="\r\n")
            writer.writerow(result.columns)
            writer.writerows(map(_plain, row) for row in result.rows)


def _distinct(columns: tuple[str, ...]) -> list[str]:
    """The columns' names; one that comes again is numbered, so that no value is lost."""
    names: list[str] = []
    for column in columns:
        name, number = column, 1
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names


def _plain(cell: object) -> object:
    """A cell as JSON and CSV can hold it: no number is null that is none, bytes are hexadecimal."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, dict):
        return {str(key): _plain(item) for key, item in cell.items()}
    if isinstance(cell, list | tuple):
        return [_plain(item) for item in cell]
    return cell


def _print_table(result: QueryResult) -> None:
    from rich.markup import escape

    from appeval_pipeline.cli.rendering import console, table

    numeric = tuple(
        column
        for column, kind in zip(result.columns, result.types, strict=True)
        if kind.startswith(("INT", "BIGINT", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL", "UBIGINT", "NUMBER"))
    )
    made = table(*map(escape, result.columns), numbers=numeric)
    for row in result.rows:
        made.add_row(*("" if cell is None else escape(str(cell)) for cell in row))
    out = console()
    out.print(made)
    out.print(f"({len(result.rows)} row{'' if len(result.rows) == 1 else 's'})")
