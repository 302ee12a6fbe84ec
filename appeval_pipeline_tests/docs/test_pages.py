"""All pages: links lead somewhere, command lines are accepted, the index is whole, errors are as told."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from appeval_pipeline.cli.main import app
from appeval_pipeline_tests.data.shipped import DATA
from appeval_pipeline_tests.docs.following import blocks, follow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [ROOT / "README.md", ROOT / "data" / "README.md", *DOCS.glob("*.md"), *DOCS.glob("decisions/*.md")]
)
_LINK = re.compile(r"\[[^\]\[]+\]\(([^)\s]+)\)")
_COMMAND = re.compile(r"(?:\$ )?(?:[A-Z_]+=\S+ )*(appeval [a-z-].*)")
_SPAN = re.compile(r"`(appeval [a-z-][^`]*)`")


def anchors(page: Path) -> set[str]:
    """What headings of a page are called in links, as GitHub does it."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_what_is_there(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def command_lines() -> Iterator[tuple[str, str]]:
    """Page and command line of what stands in fenced blocks."""
    for page in PAGES:
        for block in blocks(page):
            if block.kind in ("", "console", "bash", "sh"):
                for line in block.text.replace("\\\n", " ").splitlines():
                    match = _COMMAND.match(line)
                    if match and "$(" not in line:
                        yield str(page.relative_to(ROOT)), match.group(1)


def mentions() -> Iterator[tuple[str, str]]:
    """Page and command of what is mentioned in the text, whole or in part."""
    for page in PAGES:
        for span in _SPAN.findall(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), span


@pytest.mark.parametrize(("page", "line"), sorted(set(command_lines())))
def test_a_command_line_of_a_page_is_accepted(page: str, line: str) -> None:
    arguments = shlex.split(re.split(r" (?:>>?|\||&&|&|#) ", line)[0])[1:]
    command: Any = get_command(app)
    context = command.make_context("appeval", arguments)
    while hasattr(command, "commands"):
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, rest, parent=context)


@pytest.mark.parametrize(("page", "span"), sorted(set(mentions())))
def test_a_command_that_a_page_mentions_has_these_options(page: str, span: str) -> None:
    command: Any = get_command(app)
    words = span.split()[1:]
    while words and hasattr(command, "commands") and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    known = {option for parameter in command.params for option in parameter.opts + parameter.secondary_opts}
    if hasattr(command, "commands"):
        assert not words or not words[0].isalpha(), f"there is no command {words[0]}"
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", span)) <= known | {"--help"}


def test_the_index_has_every_page() -> None:
    linked = {
        link.partition("#")[0] for link in _LINK.findall((DOCS / "README.md").read_text(encoding="utf-8"))
    }
    pages = {path.name for path in DOCS.glob("*.md")} - {"README.md"}
    assert pages <= linked, pages - linked


def test_the_errors_are_as_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APPEVAL_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(DATA / "apps", "data/apps")
    shutil.copytree(DATA / "benchmarks", "data/benchmarks")
    assert follow(DOCS / "errors.md", {"NO_COLOR": "1", "COLUMNS": "200"}) == 12
