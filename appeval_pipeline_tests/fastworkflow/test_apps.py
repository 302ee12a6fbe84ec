"""FastWorkflow on an app's tasks, by the command that the docs give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.cli.main import app
from appeval_pipeline_tests.fastworkflow.knowing_model import KnowingModel, Turn
from appeval_pipeline_tests.fastworkflow.knowing_server import KnowingServer

pytestmark = pytest.mark.fastworkflow


def test_it_reaches_the_goal_of_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPEVAL_TRIALS_DIR", str(tmp_path))
    # The goal is reached by the third call, which ends the trial in the midst of FastWorkflow's turn.
    calls = (ToolCall("reset", {}), *(ToolCall("increment", {"amount": 1}),) * 4)
    with KnowingServer(KnowingModel([Turn(calls)]).answer).running() as server:
        model = ["--model", "openai/scripted", "--api-base", server.url]
        options = ["--task", "start_over", "--agent", "fastworkflow", *model, "--json"]
        result = CliRunner().invoke(app, ["agent", "bench_counter", *options])
    assert result.exit_code == 0, result.output
    (evaluation,) = json.loads(result.stdout)
    assert evaluation["agent_id"] == "fastworkflow:openai/scripted"
    trajectory = evaluation["trials"][0]["trajectory"]
    assert (trajectory["end"], trajectory["reward"]) == ("done", 1.0)
    assert [step["action"]["name"] for step in trajectory["steps"]] == ["reset", "increment", "increment"]
    assert evaluation["usage"] == {
        "prompt_tokens": 100 * len(server.requests),
        "completion_tokens": 10 * len(server.requests),
        "cost_usd": None,
    }
