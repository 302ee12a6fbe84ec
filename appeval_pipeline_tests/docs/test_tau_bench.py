"""`docs/tau-bench.md`: its commands print what the page says, and its tables name every fault there is."""

from __future__ import annotations

import asyncio
import shlex
from itertools import groupby
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appeval_pipeline.agents import ReplayAgent, Reply, ToolCall, run_episode
from appeval_pipeline.cli.main import app
from appeval_pipeline.taubench import ScriptedUser, TauEnvironment, load_suite
from appeval_pipeline.taubench.evaluating import result_of
from appeval_pipeline.taubench.faults import FAULT_KINDS
from appeval_pipeline.taubench.results import write_results
from appeval_pipeline_tests.docs.page import Fenced, Table, codes, read_page

PAGE = read_page(Path(__file__).parents[2] / "docs" / "tau-bench.md")
CONSOLES = tuple(part.text for part in PAGE if isinstance(part, Fenced) and part.kind == "console")


def chunks(printed: str) -> list[list[str]]:
    """The lines that are printed, apart where the page leaves some out."""
    lines = [" ".join(line.split()) for line in printed.strip().splitlines()]
    return [list(part) for is_gap, part in groupby(lines, key=lambda line: line == "…") if not is_gap]


def write_mine(path: Path) -> None:
    """The trial of the page: the right orders, a wrong reason, and nothing said."""
    suite = load_suite()
    task = suite.tasks[31]
    cancel, bring_back = (call for call in task.actions if call.name in suite.writing_tools())
    wrong = ToolCall(cancel.name, {**cancel.arguments, "reason": "ordered by mistake"})
    agent = ReplayAgent([wrong, bring_back, Reply("Both are done.")])
    trajectory = asyncio.run(run_episode(agent, TauEnvironment(suite, task, ScriptedUser())))
    write_results(path, [result_of(task, 0, trajectory)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands of the page are run, one after the other."""
    made = tmp_path_factory.mktemp("page")
    write_mine(made / "mine.json")
    return made


@pytest.mark.parametrize(
    "text", CONSOLES, ids=lambda text: text.split("\n")[0].removeprefix("$ appeval tau ")
)
def test_the_command_prints_what_the_page_says(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    command, _, printed = text.partition("\n")
    _, _, *arguments = shlex.split(command)
    environment = {"APPEVAL_TRIALS_DIR": str(folder / "trials"), "NO_COLOR": "1", "COLUMNS": "120"}
    result = CliRunner().invoke(app, arguments, env=environment)
    assert result.exit_code == 0, result.output
    lines = [" ".join(line.split()) for line in result.stdout.strip().splitlines()]
    place = 0
    for chunk in chunks(printed):
        place = next(
            (at for at in range(place, len(lines)) if lines[at : at + len(chunk)] == chunk), len(lines)
        )
        assert place < len(lines), f"{chunk} is not printed, but:\n{result.stdout}"
        place += len(chunk)


def test_every_kind_of_fault_is_explained() -> None:
    (table,) = (part for part in PAGE if isinstance(part, Table) and part.header[0] == "fault")
    assert [codes(row["fault"])[0] for row in table.rows] == list(FAULT_KINDS)
