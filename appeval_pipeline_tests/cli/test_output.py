"""What programs rely on: JSON alone on standard output, colours where they are wanted, exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appeval_pipeline.cli.main import app

from .conftest import GOOD, Appeval, write_app
from .test_help import COMMANDS

NOT_FOR_PROGRAMS = {"export", "ui", "serve", "model serve"}
"""What writes files, or does not end."""
ALWAYS_JSON = {"schema"}
COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")


def test_every_command_with_an_answer_can_give_it_as_json() -> None:
    without = {
        path
        for path, command in COMMANDS.items()
        if not any("--json" in parameter.opts for parameter in command.params)
    }
    assert without == NOT_FOR_PROGRAMS | ALWAYS_JSON


@pytest.mark.parametrize(
    ("line", "exit_code"),
    [
        ("new shop --json", 0),
        ("check apps/tally/v1.yaml --json", 0),
        ("check apps/score --json --min-quality 100", 1),
        ("check apps/broken --json", 2),
        ("compare tally 1 2 --json", 1),
        ("bench tally --json", 1),
        ("agent tally --json", 0),
        ("schema task", 0),
    ],
)
def test_standard_output_is_json_whatever_the_outcome(
    data: Path, monkeypatch: pytest.MonkeyPatch, line: str, exit_code: int
) -> None:
    monkeypatch.chdir(data)
    monkeypatch.setenv("APPEVAL_DATA_DIR", str(data))
    write_app(data, "tally", version=2, text=GOOD.replace("value: params.amount}}", "value: 9}}"))
    write_app(data, "score", text=GOOD.replace("description: Add to the total.", ""))
    write_app(data, "broken", text="app_id: {app_id}\n")
    (data / "apps" / "tally" / "tasks").mkdir()
    task = "{name: Nine, description: Count., app_id: tally, agent: ann, goal_condition: shared.total == 9}"
    (data / "apps" / "tally" / "tasks" / "nine.yaml").write_text(task)
    result = CliRunner().invoke(app, line.split(), env={"FORCE_COLOR": "1"})
    assert result.exit_code == exit_code, result.output
    json.loads(result.stdout)


def test_colours_are_left_out_where_they_are_not_wanted(data: Path) -> None:
    path = str(data / "apps" / "tally")
    forced = {"FORCE_COLOR": "1", "TERM": "xterm", "NO_COLOR": ""}
    assert COLOUR.search(CliRunner().invoke(app, ["check", path], env=forced).stdout)
    assert not COLOUR.search(CliRunner().invoke(app, ["check", path], env={**forced, "NO_COLOR": "1"}).stdout)
    assert (
        "\x1b"
        not in CliRunner().invoke(app, ["check", path], env={"FORCE_COLOR": "", "TTY_COMPATIBLE": ""}).stdout
    )


def test_an_output_that_is_not_utf_8_gets_escapes_and_valid_json(
    appeval_process: Appeval, data: Path
) -> None:
    write_app(data, "tally", text=GOOD.replace('icon: "#"', 'icon: "🫙"').replace("Add to", "Ädd to"))
    result = appeval_process("check", "data/apps/tally", "--min-quality", "100", PYTHONIOENCODING="ascii")
    assert "\\u2026 and " in result.stdout
    printed = appeval_process("check", "data/apps/tally", "--json", PYTHONIOENCODING="ascii").stdout
    assert json.loads(printed)[0]["passed"] is True


def test_long_work_shows_where_it_is_on_a_terminal_only(data: Path) -> None:
    on_terminal = {"APPEVAL_DATA_DIR": str(data), "FORCE_COLOR": "1", "TERM": "xterm"}
    shown = CliRunner().invoke(app, ["bench", "tally", "score"], env=on_terminal)
    assert "measuring score" in shown.stderr
    assert "measuring" not in shown.stdout
    elsewhere = {**on_terminal, "FORCE_COLOR": "", "TTY_COMPATIBLE": ""}
    assert CliRunner().invoke(app, ["bench", "tally"], env=elsewhere).stderr == ""


@pytest.mark.parametrize("line", ["sql select --json --format csv", "compare tally 1 2 --json --format text"])
def test_two_formats_at_once_are_refused(line: str) -> None:
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == 2
    assert "contradict each other" in " ".join(result.stderr.replace("│", " ").split())
