from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Appeval = Callable[..., subprocess.CompletedProcess[str]]

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
def appeval(tmp_path: Path) -> Appeval:
    """Run the real command in a folder of its own, on the data directory there."""
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("APPEVAL_", "DAGSTER_"))},
        "APPEVAL_DATA_DIR": str(tmp_path / "data"),
        "NO_COLOR": "1",
        "COLUMNS": "160",
    }

    def run(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "appeval_pipeline.cli", *arguments]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={**environment, **extra},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run
