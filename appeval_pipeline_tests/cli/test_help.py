"""`--help` of every command, its examples, and what a shell completes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from appeval_pipeline.cli.examples import EXAMPLES, FIRST_STEPS
from appeval_pipeline.cli.main import app
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION

ROOT = get_command(app)


def commands(command: Any = ROOT, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command that is no group, by its path below ``appeval``."""
    for name, inner in getattr(command, "commands", {}).items():
        if hasattr(inner, "commands"):
            yield from commands(inner, f"{path}{name} ")
        else:
            yield f"{path}{name}", inner


COMMANDS = dict(commands())


def test_every_command_has_an_example() -> None:
    assert COMMANDS.keys() - EXAMPLES.keys() == set(), "add them to cli/examples.py"
    assert EXAMPLES.keys() - COMMANDS.keys() == set(), "there is no such command"


@pytest.mark.parametrize("path", COMMANDS)
def test_help_says_what_it_does_and_shows_the_examples(path: str) -> None:
    result = CliRunner().invoke(app, [*path.split(), "--help"], env={"COLUMNS": "300", "NO_COLOR": "1"})
    assert result.exit_code == 0
    assert f"appeval {path} " in result.stdout.replace("root ", "appeval ")
    undescribed = [one.name for one in COMMANDS[path].params if not one.help]
    assert undescribed == []
    for example, what in EXAMPLES[path].items():
        assert f"• {example}: {what}" in result.stdout


def test_help_keeps_within_a_narrow_terminal() -> None:
    for path in ("", *COMMANDS):
        result = CliRunner().invoke(app, [*path.split(), "--help"], env={"COLUMNS": "60"})
        assert max(map(len, result.stdout.splitlines())) <= 60, path


@pytest.mark.parametrize(
    "example", [*FIRST_STEPS, *(one for examples in EXAMPLES.values() for one in examples)]
)
def test_an_example_is_a_command_line_that_is_accepted(example: str) -> None:
    program, *arguments = shlex.split(example.partition(" > ")[0])
    assert program == "appeval"
    command: Any = ROOT
    context = command.make_context("appeval", arguments)
    while hasattr(command, "commands"):
        name, command, arguments = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, arguments, parent=context)


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("appeval comp", ["compare"]),
        ("appeval compare ", ["score", "tally"]),
        ("appeval compare t", ["tally"]),
        ("appeval compare tally ", ["1", "2", "baseline"]),
        ("appeval compare tally 1 ", ["1", "2"]),
        ("appeval run --app s", ["score"]),
        ("appeval run --app tally --version ", ["1", "2"]),
        ("appeval agent s", ["score"]),
        ("appeval bench tally s", ["score"]),
        ("appeval why tally ", ["1", "2"]),
        ("appeval compare nobody ", ["baseline"]),
        ("appeval export --format p", ["parquet"]),
    ],
)
def test_a_shell_completes_what_is_there(data: Path, line: str, completions: list[str]) -> None:
    folder = data / "apps" / "tally"
    (folder / "v2.yaml").write_text("names are enough")
    assert complete(line, data) == completions


def test_a_shell_is_told_of_no_error(tmp_path: Path) -> None:
    assert complete("appeval compare ", tmp_path / "nowhere") == []


def complete(line: str, data: Path) -> list[str]:
    """What bash offers at the end of ``line``."""
    words = line.split(" ")
    environment = {
        "_APPEVAL_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "APPEVAL_DATA_DIR": str(data),
    }
    result = CliRunner().invoke(app, env=environment, prog_name="appeval")
    return [one for one in result.stdout.split("\n") if one]


@pytest.mark.parametrize(
    ("shell", "registers"),
    [
        ("bash", "complete -o default -F _appeval_completion appeval"),
        ("zsh", "compdef _appeval_completion appeval"),
        ("fish", "complete --command appeval"),
    ],
)
def test_completion_is_there_for_common_shells(shell: str, registers: str) -> None:
    assert "--install-completion" in CliRunner().invoke(app, ["--help"]).stdout
    # What the option puts into the shell's own files.
    script = CliRunner().invoke(app, env={"_APPEVAL_COMPLETE": f"source_{shell}"}, prog_name="appeval").stdout
    assert registers in script


def test_the_version_is_told() -> None:
    assert (
        CliRunner().invoke(app, ["--version"]).stdout
        == f"appeval {PACKAGE_VERSION} (evaluator {EVALUATOR_VERSION})\n"
    )
