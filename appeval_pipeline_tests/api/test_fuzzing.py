"""Whatever is sent, the answer is as the OpenAPI document has it, and never a failure of the server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from appeval_pipeline.api.application import create_app
from appeval_pipeline.api.context import Context

from .served import served

TOKEN = "a-token-of-the-tests"
KNOWN = """\
[parameters]
"path.app_id" = "bench_tally"
"path.benchmark_id" = "bench_tally"
"path.version" = 1
"""
"""What there is: few would guess it."""


def fuzz(context: Context, folder: Path, *, extent: tuple[str, int], seed: int, settings: str) -> None:
    """Let schemathesis send what the document allows and what it does not, and make all its checks."""
    (folder / "schemathesis.toml").write_text(settings)
    with served(create_app(context, token=SecretStr(TOKEN))) as url:
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json"),
            *("--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"),
            *("--seed", str(seed), "--header", f"Authorization: Bearer {TOKEN}"),
            *(extent[0], str(extent[1])),
            *("--generation-database", "none", "--no-color"),
        ]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Selected: 12/12" in result.stdout
    assert re.search(r"^ +\d+ generated, \d+ passed(, \d+ skipped)?$", result.stdout, re.MULTILINE), (
        result.stdout
    )


def test_a_short_look(context: Context, tmp_path: Path) -> None:
    fuzz(context, tmp_path, extent=("--max-examples", 2), seed=1, settings=KNOWN)


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["", KNOWN], ids=["anything", "what there is"])
def test_a_long_look(context: Context, tmp_path: Path, settings: str) -> None:
    fuzz(context, tmp_path, extent=("--max-time", 30), seed=2, settings=settings)
