"""`docs/ci.md`: the workflow and the pre-commit hooks, on a repository with a pull request."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from typer.testing import CliRunner

from appeval_pipeline.cli.main import app
from appeval_pipeline.starter import write_starter
from appeval_pipeline_tests.docs.page import Fenced, read_page

ROOT: Final = Path(__file__).parents[2]
WORKFLOW: Final = ROOT / "docs" / "ci" / "github-actions.yml"
HOOKS: Final = ROOT / ".pre-commit-hooks.yaml"
PAGE: Final = ROOT / "docs" / "ci.md"
IDENTITY: Final = {
    f"GIT_{who}_{what}": "tester@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@dataclass
class Repository:
    """A git repository with the app ``shop`` on its main branch, and a pull request on top."""

    folder: Path
    environment: dict[str, str]

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", ".")
        self.git("commit", "-q", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def edit(self, place: str, *edits: tuple[str, str], to: str = "") -> None:
        """Change a file of the app, or write what it becomes to another one."""
        shop = self.folder / "data" / "apps" / "shop"
        text = (shop / place).read_text()
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        (shop / (to or place)).write_text(text)

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """A step, as GitHub runs it."""
        path = self.folder.parent / "step.sh"
        path.write_text(script)
        return subprocess.run(
            ["bash", "-e", str(path)],
            cwd=self.folder,
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    folder, programs = tmp_path / "repository", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    appeval = programs / "appeval"
    appeval.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m appeval_pipeline.cli "$@"\n')
    appeval.chmod(0o755)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("APPEVAL_", "GIT_"))}
    workflow = load(WORKFLOW)
    made = Repository(
        folder,
        {
            **kept,
            **IDENTITY,
            **{key: str(value) for key, value in workflow["env"].items()},
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        },
    )
    write_starter("shop", folder / "data")
    made.git("init", "-q", "-b", "main")
    made.environment["BASE"] = made.commit()
    return made


def steps() -> dict[str, str]:
    [job] = load(WORKFLOW)["jobs"].values()
    return {step["name"]: step["run"] for step in job["steps"] if "run" in step}


def test_a_pull_request_that_breaks_nothing_passes_with_a_summary(
    repository: Repository, tmp_path: Path
) -> None:
    repository.edit("v1.yaml", ("maxLength: 80", "maxLength: 90"), to="v2.yaml")
    write_starter("gift_shop", repository.folder / "data")
    (repository.folder / "README.md").write_text("not an app")
    repository.commit()
    results = {name: repository.run(script) for name, script in steps().items() if name != "Install"}
    assert {name: done.returncode for name, done in results.items()} == dict.fromkeys(results, 0), results
    assert results["Find what changed"].stdout.splitlines() == [
        "data/apps/gift_shop/scenarios/first_steps.yaml",
        "data/apps/gift_shop/tasks/tidy_up.yaml",
        "data/apps/gift_shop/v1.yaml",
        "data/apps/shop/v2.yaml",
    ]
    suites = ET.parse(repository.folder / "junit.xml").getroot()
    assert [suite.attrib["name"] for suite in suites] == ["gift_shop@1", "shop@2"]
    headings = [line for line in (tmp_path / "summary.md").read_text().splitlines() if line.startswith("#")]
    assert headings[:2] == ["### `gift_shop` 1: the first version", "### ✅ `shop` 1 → 2: compatible"]


def test_one_that_breaks_something_fails_and_says_what(repository: Repository, tmp_path: Path) -> None:
    repository.edit(
        "v1.yaml", ("- {type: update, target: agent.done, operation: add, value: 1}", ""), to="v2.yaml"
    )
    repository.edit("v1.yaml", ("maxLength: 80", "maxLength: 90"))
    repository.commit()
    found, checked, compared = [
        repository.run(script) for name, script in steps().items() if name != "Install"
    ]
    assert "::warning file=data/apps/shop/v1.yaml::This version is there already" in found.stdout
    assert checked.returncode != 0
    assert "First steps › Bob gets the milk, and Alice is told: data.done is 0, expected 1" in checked.stdout
    assert compared.returncode == 1
    summary = (tmp_path / "summary.md").read_text()
    assert "### ❌ `shop` 1 → 2: breaking" in summary
    assert "| `data.done` | `1` | `0` |" in summary


def test_one_that_changes_no_app_does_nothing(repository: Repository, tmp_path: Path) -> None:
    (repository.folder / "data" / "apps" / "notes.txt").write_text("nothing to check")
    repository.commit()
    for name, script in steps().items():
        if name != "Install":
            done = repository.run(script)
            assert (done.returncode, done.stdout) == (0, ""), name
    assert not (tmp_path / "summary.md").exists()


def test_files_of_any_name_are_found(repository: Repository) -> None:
    repository.edit("scenarios/first_steps.yaml", ("First steps", "Café"), to="scenarios/le café.yaml")
    repository.commit()
    found = repository.run(steps()["Find what changed"])
    assert found.stdout == "data/apps/shop/scenarios/le café.yaml\n"
    assert repository.run(steps()["Check changed definitions"]).returncode == 0


def test_a_base_that_is_not_there_is_no_pass(repository: Repository) -> None:
    assert repository.run(steps()["Find what changed"], BASE="0" * 40).returncode != 0


def test_the_workflow_lets_nothing_of_a_pull_request_into_its_scripts() -> None:
    assert [name for name, script in steps().items() if "${{" in script] == []


@pytest.mark.parametrize("hook", load(HOOKS), ids=lambda hook: str(hook["id"]))
def test_a_hook_gets_what_concerns_apps_and_checks_it(
    hook: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_starter("shop", Path("data"))
    files = sorted(str(path) for path in Path("data").rglob("*") if path.is_file())
    mine = [file for file in files if re.search(hook["files"], file)]
    assert mine == [
        "data/apps/shop/scenarios/first_steps.yaml",
        "data/apps/shop/tasks/tidy_up.yaml",
        "data/apps/shop/v1.yaml",
    ]
    program, *arguments = shlex.split(hook["entry"])
    assert program == "appeval"
    result = CliRunner().invoke(app, [*arguments, *mine])
    assert result.exit_code == 0, result.output
    Path("data/apps/shop/v1.yaml").write_text("app_id: shop\n")
    assert CliRunner().invoke(app, [*arguments, *mine]).exit_code == 2
    assert not re.search(hook["files"], "docs/v1.yaml")


def test_the_page_names_the_hooks_that_there_are() -> None:
    [config] = [part.text for part in read_page(PAGE) if isinstance(part, Fenced) and part.kind == "yaml"]
    [repository] = yaml.safe_load(config)["repos"]
    known = {hook["id"] for hook in load(HOOKS)}
    assert {hook["id"] for hook in repository["hooks"]} <= known
    assert all(f"`{name}`" in PAGE.read_text(encoding="utf-8") for name in known)


def test_what_a_hook_asks_for_with_other_arguments_is_accepted(tmp_path: Path) -> None:
    [config] = [part.text for part in read_page(PAGE) if isinstance(part, Fenced) and part.kind == "yaml"]
    [hook] = yaml.safe_load(config)["repos"][0]["hooks"]
    write_starter("shop", tmp_path)
    result = CliRunner().invoke(app, ["check", *hook["args"], str(tmp_path), "--json"])
    assert (result.exit_code, len(json.loads(result.stdout))) == (0, 1)
