"""The agent ``llm`` with a real model, by the command that the README gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.local_llm


def test_the_local_model_tries_the_tasks_of_an_app(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("APPEVAL_")}
    command = ["agent", "bench_counter", "--agent", "llm", "--model", "local", "--max-invalid-actions", "2"]
    result = subprocess.run(
        [sys.executable, "-m", "appeval_pipeline.cli", *command, "--json"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    evaluations = json.loads(result.stdout)
    assert len(evaluations) == 3
    steps = []
    for evaluation in evaluations:
        assert evaluation["agent_id"] == "llm:local"
        assert evaluation["infra_errors"] == 0
        assert evaluation["usage"]["prompt_tokens"] > evaluation["usage"]["completion_tokens"] > 0
        assert evaluation["usage"]["cost_usd"] == 0
        steps += evaluation["trials"][0]["trajectory"]["steps"]
    calls = [step for step in steps if step["action"]["kind"] == "tool_call"]
    assert {call["action"]["name"] for call in calls} <= {"increment", "reset"}
    assert any(call["error"] is None for call in calls)
    assert all(step["usage"]["prompt_tokens"] > 0 for step in steps)


def test_the_local_model_tries_a_task_of_tau_bench(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("APPEVAL_")}
    command = ["tau", "run", "--agent", "schema", "--model", "local", "--task-ids", "0", "--max-steps", "1"]
    result = subprocess.run(
        [sys.executable, "-m", "appeval_pipeline.cli", *command, "--json", "--output", "results.json"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    score = json.loads(result.stdout)
    assert (score["infra_error_count"], score["agent_cost"]["total_usd"]) == (0, 0)
    assert score["agent_cost"]["prompt_tokens"] > score["agent_cost"]["completion_tokens"] > 0
    (trial,) = json.loads((tmp_path / "results.json").read_text())
    assert trial["info"]["end"] in ("max_steps", "done", "invalid_action")
    assert trial["traj"][2]["role"] == "assistant"
