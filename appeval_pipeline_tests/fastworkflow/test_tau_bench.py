"""FastWorkflow on tau-bench's tasks, through a service on loopback that knows what to do."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from typer.testing import CliRunner

from appeval_pipeline.agents import Reply, ToolCall, Trajectory, run_episode
from appeval_pipeline.agents.fastworkflow import FastWorkflowAgent
from appeval_pipeline.agents.models import LitellmModel, ModelSettings
from appeval_pipeline.cli.main import app
from appeval_pipeline.taubench import ScriptedUser, TauEnvironment, TauSuite, load_suite
from appeval_pipeline_tests.fastworkflow.knowing_model import KnowingModel, solving
from appeval_pipeline_tests.fastworkflow.knowing_server import KnowingServer

pytestmark = pytest.mark.fastworkflow

TASKS = (0, 1, 2, 4, 5, 9, 17, 33, 60, 77, 100, 114)
EMPTY_ADDRESS_LINE = 22


@pytest.fixture(scope="module")
def retail() -> TauSuite:
    return load_suite("retail", "test")


def try_task(suite: TauSuite, task_id: int, agent: FastWorkflowAgent, seed: int = 0) -> Trajectory:
    environment = TauEnvironment(suite, suite.tasks[task_id], ScriptedUser())
    return asyncio.run(run_episode(agent, environment, seed=seed))


@pytest.mark.parametrize("task_id", TASKS)
def test_a_model_that_knows_what_to_do_gets_reward_1(retail: TauSuite, task_id: int) -> None:
    task = retail.tasks[task_id]
    with KnowingServer(solving(task).answer).running() as server:
        model = LitellmModel(ModelSettings("openai/scripted", api_base=server.url))
        trajectory = try_task(retail, task_id, FastWorkflowAgent(model), seed=5)
    assert (trajectory.error, trajectory.end, trajectory.reward) == (None, "done", 1.0)
    actions = [step.exchange.action for step in trajectory.steps]
    assert [call for call in actions if isinstance(call, ToolCall)] == list(task.actions)
    # A plan, an action and an answer at least; every request counts, and nobody knows its price.
    assert len(server.requests) >= len(task.actions) + 3
    assert trajectory.agent_usage.prompt_tokens == 100 * len(server.requests)
    assert trajectory.agent_usage.cost_usd is None
    assert all(request["messages"][0]["content"].startswith(POLICY) for request in server.requests)
    assert {request["seed"] for request in server.requests} == {5}


POLICY = "# Retail agent policy"


def test_an_empty_value_is_read_by_the_model_or_not_at_all(retail: TauSuite) -> None:
    task = retail.tasks[EMPTY_ADDRESS_LINE]
    assert any(call.arguments.get("address2") == "" for call in task.actions)
    for extracts, reward in ((True, 1.0), (False, 0.0)):
        model = solving(task)
        model.extracts = extracts
        assert try_task(retail, EMPTY_ADDRESS_LINE, FastWorkflowAgent(model)).reward == reward


def test_a_transfer_ends_the_episode(retail: TauSuite) -> None:
    (task_id, *_) = [
        task.id for task in retail.tasks if "transfer_to_human_agents" in {call.name for call in task.actions}
    ]
    trajectory = try_task(retail, task_id, FastWorkflowAgent(solving(retail.tasks[task_id])))
    assert (trajectory.end, trajectory.error) == ("done", None)
    last = trajectory.steps[-1].exchange.action
    assert isinstance(last, ToolCall)
    assert last.name == "transfer_to_human_agents"


def test_every_tool_is_a_command_and_its_parameters_are_shown_by_name(retail: TauSuite) -> None:
    model = KnowingModel([solving(retail.tasks[0]).turns[0]])
    try_task(retail, 0, FastWorkflowAgent(model))
    plan, _ = model.prompts[0]
    for name, tool in retail.domain.toolset.tools.items():
        assert f"- {name}\n" in plan
        assert all(f"  - {parameter}: " in plan for parameter in tool.parameters["properties"])


def test_the_command_line_runs_it(tmp_path: Any, retail: TauSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APPEVAL_TRIALS_DIR", str(tmp_path))
    with KnowingServer(solving(retail.tasks[0]).answer).running() as server:
        options = ["--agent", "fastworkflow", "--model", "openai/scripted", "--api-base", server.url]
        result = CliRunner().invoke(app, ["tau", "run", *options, "--task-ids", "0"])
    assert result.exit_code == 0, result.output
    assert "fastworkflow:openai/scripted" in result.output
    assert "BestOfN" not in result.output


def test_the_answer_is_what_the_user_hears(retail: TauSuite) -> None:
    trajectory = try_task(retail, 59, FastWorkflowAgent(solving(retail.tasks[59])))
    assert trajectory.steps[-1].exchange.action == Reply("\n".join(retail.tasks[59].outputs))
    assert trajectory.reward == 1.0


def test_the_commands_of_its_example_have_hints_and_act_through_our_environment(retail: TauSuite) -> None:
    model = solving(retail.tasks[0])
    trajectory = try_task(retail, 0, FastWorkflowAgent(model, as_in_the_example=True))
    assert (trajectory.error, trajectory.reward) == (None, 1.0)
    plan, _ = model.prompts[0]
    assert "available_from: ['get_user_details']" in plan
    assert "- think\n" not in plan


def test_its_example_does_not_let_pass_what_a_tool_would_take(retail: TauSuite) -> None:
    # Items are exchanged for the same items.
    (call,) = [call for call in retail.tasks[18].actions if call.name == "exchange_delivered_order_items"]
    assert call.arguments["item_ids"] == call.arguments["new_item_ids"]
    trajectory = try_task(retail, 18, FastWorkflowAgent(solving(retail.tasks[18]), as_in_the_example=True))
    assert (trajectory.error, trajectory.reward) == (None, 0.0)
    assert call not in [step.exchange.action for step in trajectory.steps]


def test_a_task_that_needs_what_its_example_lacks_is_not_tried(retail: TauSuite) -> None:
    agent = FastWorkflowAgent(solving(retail.tasks[0]), as_in_the_example=True, needed=["think"])
    trajectory = try_task(retail, 0, agent)
    assert (trajectory.end, trajectory.reward) == ("infra_error", None)
    assert trajectory.error == "SettingsError: FastWorkflow lacks what the task needs: think"
