"""Without FastWorkflow, whoever asks for its agent is told in one line how to get it."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from appeval_pipeline.cli.main import app

pytestmark = pytest.mark.skipif(find_spec("fastworkflow") is not None, reason="It is installed")


@pytest.mark.parametrize(
    "command",
    [["tau", "run", "--dry-run"], ["agent", "bench_counter", "--api-base", "http://127.0.0.1:9/v1"]],
)
def test_the_error_says_how_to_get_it(command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--agent", "fastworkflow", "--model", "openai/any"])
    assert result.exit_code != 0
    assert 'pip install -c constraints.txt -e ".[fastworkflow]"' in str(result.exception)
