"""Follows a page as a reader would: saves its files, makes its edits, runs its commands."""

from __future__ import annotations

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from typer.testing import CliRunner

from appeval_pipeline.cli.main import app
from appeval_pipeline.errors import AppEvalError

_BLOCK: Final = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PLACE: Final = re.compile(r"`([^`]+)`:\s*$")
_DIFFERS: Final = re.compile(r"\b[0-9a-f]{12}\b|run \S+ at .* UTC")
ELLIPSIS: Final = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block, and what stands between the one before and it."""

    kind: str
    text: str
    before: str

    @property
    def place(self) -> Path:
        """The file that the text before it names last."""
        match = _PLACE.search(self.before)
        assert match is not None, f"no file is named before {self.text!r}"
        return Path(match.group(1))


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found, end = [], 0
    text = page.read_text(encoding="utf-8")
    for match in _BLOCK.finditer(text):
        found.append(Block(match.group(1), match.group(2), text[end : match.start()]))
        end = match.end()
    return found


def follow(page: Path, environment: dict[str, str]) -> int:
    """Do what the page says, in the working directory; how many commands were run."""
    count = 0
    for block in blocks(page):
        if block.kind == "yaml" and "Save this as" in block.before:
            block.place.parent.mkdir(parents=True, exist_ok=True)
            block.place.write_text(block.text)
        elif block.kind == "yaml" and "Add this to the end of" in block.before:
            block.place.write_text(block.place.read_text() + block.text)
        elif block.kind == "diff":
            edit(block, environment)
        elif block.kind == "console":
            for command, printed in commands(block.text):
                run(page, command, printed, environment)
                count += 1
    return count


def edit(block: Block, environment: dict[str, str]) -> None:
    """Make the edit that a diff shows; one that names no file is of the same file as the one before."""
    match = _PLACE.search(block.before)
    place = Path(match.group(1)) if match else Path(environment["EDITED"])
    environment["EDITED"] = str(place)
    lines = block.text.splitlines(keepends=True)
    old = "".join(line[1:] for line in lines if line[0] != "+")
    new = "".join(line[1:] for line in lines if line[0] != "-")
    text = place.read_text()
    assert text.count(old) == 1, f"{place} does not have once:\n{old}"
    place.write_text(text.replace(old, new))


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a block, each with what it prints."""
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(command, printed) for command, _, printed in (part.partition("\n") for part in parts)]


def run(page: Path, command: str, printed: str, environment: dict[str, str]) -> None:
    program, *arguments = shlex.split(command)
    if program == "cp":
        shutil.copy(*arguments)
        return
    variables = {}
    while "=" in program:
        name, _, value = program.partition("=")
        variables[name] = value
        program, *arguments = arguments
    assert program == "appeval", command
    result = CliRunner().invoke(app, arguments, env={**environment, **variables}, prog_name="appeval")
    shown = result.output
    if isinstance(result.exception, AppEvalError):
        shown += f"Error: {result.exception}\n"  # as main() does
    elif result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert agrees(known(shown), known(printed)), f"{page.name}: {command}\nprints:\n{shown}"


def known(text: str) -> list[str]:
    """The lines without what differs from run to run, and the space between columns."""
    return [" ".join(_DIFFERS.sub("#", line).split()) for line in text.strip().splitlines()]


def agrees(actual: list[str], expected: list[str]) -> bool:
    """Whether the lines are those; a line ``…`` stands for any lines, ``…`` at a line's end for its rest."""
    if not expected:
        return not actual
    first, *rest = expected
    if first == ELLIPSIS:
        return any(agrees(actual[start:], rest) for start in range(len(actual) + 1))
    if not actual:
        return False
    start = first.removesuffix(ELLIPSIS)
    same = actual[0].startswith(start) if start != first else actual[0] == first
    return same and agrees(actual[1:], rest)
