from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from appeval_pipeline.cli import main

Appeval = Callable[..., subprocess.CompletedProcess[str]]
StartAppeval = Callable[..., subprocess.Popen[str]]

PATIENCE_S = 300
"""How long a command may take: long enough for any machine, so that what hangs ends at all."""

COMMAND = [sys.executable, "-m", "appeval_pipeline.cli"]

GOOD = """\
app_id: {app_id}
name: Tally
description: Counts things that people hand in.
category: custom
icon: "#"
state_schema:
  - {{name: total, type: number, default: 0, description: How many so far., perAgent: false}}
actions:
  - name: count
    description: Add to the total.
    parameters:
      amount: {{type: number, description: How many., required: true, minValue: 1}}
    returns: {{total: The total so far.}}
    logic:
      - {{type: update, target: shared.total, operation: add, value: params.amount}}
      - {{type: return, value: {{total: shared.total}}}}
"""

SCENARIO = """\
name: Counting
app_id: {app_id}
setup: {{agents: [ann]}}
steps:
  - agent: ann
    action: count
    params: {{amount: 2}}
    expect: {{data: {{total: 2}}}}
assertions: [shared.total == 2]
"""


def write_app(data: Path, app_id: str, version: int = 1, text: str = GOOD, scenario: str = SCENARIO) -> Path:
    """An app version with one scenario, under ``data/apps``."""
    folder = data / "apps" / app_id
    (folder / "scenarios").mkdir(parents=True, exist_ok=True)
    (folder / "scenarios" / "counting.yaml").write_text(scenario.format(app_id=app_id))
    path = folder / f"v{version}.yaml"
    path.write_text(text.format(app_id=app_id))
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with two small apps."""
    for app_id in ("tally", "score"):
        write_app(tmp_path / "data", app_id)
    return tmp_path / "data"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The variables of the command, which runs on the data directory of the test."""
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith(("APPEVAL_", "DAGSTER_"))},
        "APPEVAL_DATA_DIR": str(tmp_path / "data"),
        "NO_COLOR": "1",
        "COLUMNS": "160",
    }


@pytest.fixture
def appeval(
    tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Appeval]:
    """Run the command's own entry in this process, in a folder of its own, on the data directory there.

    To start it anew takes a second, and longer where Dagster is needed.
    """
    modules = set(sys.modules)

    def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        forget_modules_of(tmp_path, modules)
        with (
            monkeypatch.context() as patch,
            tempfile.TemporaryFile("w+", encoding="utf-8") as stdout,
            tempfile.TemporaryFile("w+", encoding="utf-8") as stderr,
        ):
            patch.chdir(tmp_path)
            patch.setattr(sys, "argv", ["appeval", *arguments])
            patch.setattr(sys, "path", [*filter(None, [extra.get("PYTHONPATH")]), *sys.path])
            for name in os.environ.keys() - environment.keys():
                patch.delenv(name)
            for name, value in {**environment, **extra}.items():
                patch.setenv(name, value)
            with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
                returncode = exit_code_of(main)
            stdout.seek(0)
            stderr.seek(0)
            return subprocess.CompletedProcess(arguments, returncode, stdout.read(), stderr.read())

    yield run
    forget_modules_of(tmp_path, modules)


@pytest.fixture
def appeval_process(tmp_path: Path, environment: dict[str, str]) -> Appeval:
    """As ``appeval``, in a process of its own."""

    def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            env={**environment, **extra},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return run


def exit_code_of(command: Callable[[], None]) -> int:
    """What a process that runs the command ends with."""
    try:
        command()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def forget_modules_of(folder: Path, known: set[str]) -> None:
    """Let modules of a test's own be read anew, as a new process does."""
    importlib.invalidate_caches()
    for name in set(sys.modules) - known:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
            del sys.modules[name]


@pytest.fixture
def start_appeval(tmp_path: Path, environment: dict[str, str]) -> Iterator[StartAppeval]:
    """As ``appeval``, but while it runs; what still runs in the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str, **extra: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            env={**environment, **extra},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
