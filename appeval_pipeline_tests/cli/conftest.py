from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Appeval = Callable[..., subprocess.CompletedProcess[str]]
StartAppeval = Callable[..., subprocess.Popen[str]]

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
    """The variables of the real command, which runs on the data directory of the test."""
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith(("APPEVAL_", "DAGSTER_"))},
        "APPEVAL_DATA_DIR": str(tmp_path / "data"),
        "NO_COLOR": "1",
        "COLUMNS": "160",
    }


@pytest.fixture
def appeval(tmp_path: Path, environment: dict[str, str]) -> Appeval:
    """Run the real command in a folder of its own, on the data directory there."""

    def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            env={**environment, **extra},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


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
