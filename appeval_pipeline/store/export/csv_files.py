"""Each table as a CSV file (RFC 4180) that a spreadsheet opens without running anything.

Text and JSON are always in quotes, numbers, truth values and times never are; null is nothing at all, ``""``
is an empty text. The ``csv`` module cannot write that difference before Python 3.12.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import duckdb

from appeval_pipeline.store.export.tables import Table, exported_tables

FORMULA = re.compile(r"[\s\x00-\x1f'\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠]|'*[\t\r\n]")
"""The beginning of a text that some spreadsheet would take for a formula, also after apostrophes: those make
that a text which already begins with one gets another, so that taking one away gives the text back."""

_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
"""A number as JSON writes it."""


def write_csv(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """Write ``<table>.csv`` for every table: UTF-8, CRLF, a header row."""
    for table in exported_tables():
        path = directory / f"{table.name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(",".join(column.name for column in table.columns) + "\r\n")
            for row in table.rows(connection):
                file.write(_record(table, row) + "\r\n")


def _record(table: Table, row: tuple[object, ...]) -> str:
    return ",".join(
        csv_field(cell, is_json=column.type == "JSON")
        for column, cell in zip(table.columns, row, strict=True)
    )


def csv_field(cell: object, *, is_json: bool = False) -> str:
    """A value as it stands between commas."""
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case int() | float():
            return repr(cell)
        case datetime():
            return cell.replace(tzinfo=UTC).isoformat().replace("+00:00", "Z")
        case _:
            text = str(cell)
    if not (is_json and _NUMBER.fullmatch(text)):
        text = neutralised(text)
    return '"' + text.replace('"', '""') + '"'


def neutralised(text: str) -> str:
    """``text``, with an apostrophe before it if a spreadsheet would run it as a formula."""
    return f"'{text}" if FORMULA.match(text) else text
