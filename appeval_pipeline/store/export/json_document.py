"""All results as one JSON document, written row by row."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import duckdb
import orjson

from appeval_pipeline.store.export.tables import METRICS, Cells, Table, exported_tables
from appeval_pipeline.store.migration import applied_number
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION

FILE_NAME = "appeval.json"

FORMAT_VERSION = 1
"""Raised when a reader of the former document would misread the new one; new tables and columns do not."""

_TIMES = orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z


def write_json(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """Write ``appeval.json``: equal stores give equal bytes."""
    head = {
        "format_version": FORMAT_VERSION,
        "package_version": PACKAGE_VERSION,
        "evaluator_version": EVALUATOR_VERSION,
        "schema_number": applied_number(connection),
    }
    tables = exported_tables()
    with (directory / FILE_NAME).open("wb") as file:
        file.write(b"{\n")
        for key, value in head.items():
            file.write(b'"%s": %s,\n' % (key.encode(), orjson.dumps(value)))
        file.write(b'"columns": {\n')
        _write_members(file, ((table.name, _description(table)) for table in tables))
        file.write(b'},\n"tables": {\n')
        for index, table in enumerate(table for table in tables if table.name != METRICS):
            file.write(b",\n" if index else b"")
            _write_rows(file, table, connection)
        file.write(b"\n},\n")
        _write_rows(file, next(table for table in tables if table.name == METRICS), connection)
        file.write(b"\n}\n")


def _description(table: Table) -> bytes:
    return orjson.dumps({c.name: {"type": c.type, "comment": c.comment} for c in table.columns})


def _write_members(file: BinaryIO, members: Iterable[tuple[str, bytes]]) -> None:
    file.write(b",\n".join(b'"%s": %s' % (name.encode(), value) for name, value in members))
    file.write(b"\n")


def _write_rows(file: BinaryIO, table: Table, connection: duckdb.DuckDBPyConnection) -> None:
    file.write(b'"%s": [' % table.name.encode())
    separator = b"\n"
    for row in table.rows(connection):
        file.write(separator)
        file.write(_row(table, row))
        separator = b",\n"
    file.write(b"\n]")


def _row(table: Table, row: Cells) -> bytes:
    return orjson.dumps(
        {
            column.name: orjson.Fragment(cell) if column.type == "JSON" and isinstance(cell, str) else cell
            for column, cell in zip(table.columns, row, strict=True)
        },
        option=_TIMES,
    )
