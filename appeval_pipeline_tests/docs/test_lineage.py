"""`docs/lineage.md`: its commands print what the page says, hashes and runs apart."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appeval_pipeline.cli.main import app
from appeval_pipeline.store.inputs import config_inputs
from appeval_pipeline_tests.docs.page import Fenced, Table, codes, read_page

PAGE = read_page(Path(__file__).parents[2] / "docs" / "lineage.md")
CONSOLES = tuple(part.text for part in PAGE if isinstance(part, Fenced) and part.kind == "console")
_DIFFERS = re.compile(r"[0-9a-f]{12}|run .* UTC")


@pytest.mark.parametrize("text", CONSOLES, ids=("one number", "two versions"))
def test_the_command_prints_what_the_page_says(text: str, shipped_store: Path) -> None:
    command, _, printed = text.partition("\n")
    _, _, *arguments = shlex.split(command)
    environment = {"APPEVAL_STORE": str(shipped_store), "NO_COLOR": "1"}
    result = CliRunner().invoke(app, arguments, env=environment)
    assert result.exit_code == 0, result.output
    assert known(result.stdout) == known(printed)


def known(text: str) -> list[str]:
    return [_DIFFERS.sub("#", line).rstrip() for line in text.strip().splitlines()]


def test_the_page_names_every_kind_of_input() -> None:
    (table,) = (part for part in PAGE if isinstance(part, Table))
    kinds = [codes(row["kind"])[0] for row in table.rows]
    assert kinds == ["asset", "upstream_version", "file", "code", "config"]
    assert codes(table.rows[-1]["key"])[0] in {found.key for found in config_inputs("benchmark_results")}
