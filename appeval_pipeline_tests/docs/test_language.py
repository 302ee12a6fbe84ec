"""`docs/language.md`: every example on the page is run, and the page leaves out no part of the language."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest

from appeval_pipeline.appdef import AppDefinition, check_app, load_app
from appeval_pipeline.appdef.schema import (
    BLOCK_TYPES,
    ActionDefinition,
    Operation,
    ParamSpec,
    SchemaModel,
    StateField,
)
from appeval_pipeline.appdef.scopes import CONTEXT_NAMES
from appeval_pipeline.engine.result import ErrorKind
from appeval_pipeline.expr import parse, tree
from appeval_pipeline.expr.functions import FUNCTIONS
from appeval_pipeline_tests.docs.beyond_limits import AT, CONSTANTS
from appeval_pipeline_tests.docs.page import Fenced, Table, code, codes
from appeval_pipeline_tests.docs.rows import APPS, CHECKS, DOCUMENTS, PAGE, YAML, Example, examples

EXAMPLES = list(examples())


@pytest.mark.parametrize("example", [pytest.param(one, id=" | ".join(one.row.values())) for one in EXAMPLES])
def test_example_is_as_the_page_says(example: Example) -> None:
    CHECKS[example.kind](example)


def write_examples(folder: Path) -> None:
    """The files of the page, where the page says they are."""
    for text, data in zip(YAML, DOCUMENTS, strict=True):
        if "app_id" in data:
            name = f"scenarios/{data['name'].lower()}" if "steps" in data else "v1"
            path = folder / f"data/apps/{data['app_id']}/{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def test_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    write_examples(tmp_path)
    fenced = [part for part in PAGE if isinstance(part, Fenced)]
    shown = [(one.text, two.text) for one, two in pairwise(fenced) if two.kind == "text"]
    assert shown
    for command, output in shown:
        program, *arguments = command.split()
        assert program == "appeval"
        done = subprocess.run(
            [sys.executable, "-m", "appeval_pipeline.cli", *arguments],
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert [line.rstrip() for line in done.stdout.splitlines()] == output.splitlines()


def test_python_sessions_show_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    report: list[str] = []
    for part in PAGE:
        if isinstance(part, Fenced) and part.kind == "pycon":
            session = doctest.DocTestParser().get_doctest(part.text, names, "language.md", None, 0)
            doctest.DocTestRunner(verbose=False).run(session, out=report.append, clear_globs=False)
            names = session.globs
    assert "".join(report) == ""


@pytest.mark.parametrize("text", APPS, ids=["tip_jar", "trouble"])
def test_apps_of_the_page_load_without_a_warning(text: str) -> None:
    assert check_app(load_app(text)) == ()


def cells(header: str, column: str) -> list[str]:
    """What is in backticks in a column of the tables with that first header."""
    tables = (part for part in PAGE if isinstance(part, Table) and part.header[0] == header)
    return [text for table in tables for row in table.rows for text in codes(row.get(column, ""))]


def test_each_block_type_is_shown() -> None:
    shown = {block["type"] for data in DOCUMENTS if isinstance(data, list) for block in data}
    assert shown == set(BLOCK_TYPES)


def test_each_operator_function_and_step_is_shown() -> None:
    operators: set[str] = set()
    functions: set[str] = set()
    for example in EXAMPLES:
        if example.kind != "expression" or example.row["value"].startswith("error:"):
            continue
        parsed = parse(code(example.row["expression"]))
        functions.update(call.function for call in tree.calls(parsed))
        for node in tree.walk(parsed):
            if isinstance(node, tree.Chain):
                operators.update(node.operators)
            elif isinstance(node, tree.Unary):
                operators.add(node.operator)
            elif isinstance(node, tree.Path):
                operators.update(type(step).__name__ for step in node.steps)
    assert operators == {*get_args(tree.BinaryOperator), *get_args(tree.UnaryOperator), "Field", "Index"}
    assert functions == set(FUNCTIONS)


def test_each_update_operation_is_shown_to_work_and_to_fail() -> None:
    for column in ("after", "error"):
        updates = [one.row for one in EXAMPLES if one.kind == "target" and column in one.row]
        shown = {code(row["operation"]) for row in updates}
        assert shown == set(get_args(Operation))


def test_each_error_kind_limit_and_variable_is_shown() -> None:
    assert set(cells("`error_kind`", "`error_kind`")) == set(get_args(ErrorKind))
    assert {constant for constant, _ in AT.values()} == set(CONSTANTS)
    assert {one.row["limit"] for one in EXAMPLES if one.kind == "limit"} == set(AT)
    assert set(cells("variable", "variable")) - {"item"} == set(CONTEXT_NAMES)


def test_key_tables_have_every_key() -> None:
    models: tuple[type[SchemaModel], ...] = (AppDefinition, StateField, ActionDefinition, ParamSpec)
    assert cells("key", "key") == [key for model in models for key in model.accepted_keys()]
    tables = (part for part in PAGE if isinstance(part, Table))
    blocks = next(table for table in tables if table.header[:2] == ("block", "required"))
    assert {code(row["block"]): codes(row["required"] + row["optional"]) for row in blocks.rows} == {
        name: model.accepted_keys()[1:] for name, model in BLOCK_TYPES.items()
    }


def test_nothing_on_the_page_is_left_out() -> None:
    assert {part.kind for part in PAGE if isinstance(part, Fenced)} == {"", "yaml", "text", "pycon"}
    run = [one.logic for one in EXAMPLES if one.kind == "with"]
    for data in DOCUMENTS:
        assert data in run if isinstance(data, list) else {"app_id", "caller"} & data.keys()
