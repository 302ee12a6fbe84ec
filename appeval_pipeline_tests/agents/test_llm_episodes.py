"""Whole trials on a shipped app: the agent, the real litellm, and a service that misbehaves."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.agents import Limits, Trajectory, Usage, run_episode
from appeval_pipeline.agents.llm import LlmAgent, Mode
from appeval_pipeline.agents.models.library import load_litellm
from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.agents import AppEnvironment, EvaluationPlan, evaluate_agent, load_task
from appeval_pipeline_tests.agents.asking import Asked
from appeval_pipeline_tests.agents.conftest import Serve
from appeval_pipeline_tests.agents.scripted_server import Answer, ScriptedServer, call, completion, error
from appeval_pipeline_tests.agents.test_models import closed_port

COUNTER = Path(__file__).parents[2] / "data" / "benchmarks" / "bench_counter"
ENGINE = Engine(load_app(COUNTER / "v1.yaml"))
COUNT_TO_TEN = load_task(COUNTER / "tasks" / "count_to_ten.yaml")
TEN = completion(None, call("increment", {"amount": 10}))
FIVE = completion(None, call("increment", {"amount": 5}))
STRICT = Limits(max_steps=10)
TOLERANT = Limits(max_steps=10, max_invalid_actions=2)


@pytest.fixture(autouse=True, scope="module")
def litellm_is_warm() -> None:
    """Loading it, and what it loads with the first question, is not part of any trial's time."""
    with ScriptedServer([completion("Hello")]).running() as server:
        Asked(server.url, {"timeout_s": 30.0}).complete()


def play(url: str, limits: Limits = STRICT, mode: Mode = "tools", **settings: Any) -> Trajectory:
    asked = Asked(url, settings)
    environment = AppEnvironment(ENGINE, COUNT_TO_TEN)
    return asyncio.run(run_episode(LlmAgent(asked.model, mode), environment, limits, seed=3))


def outcome(trajectory: Trajectory, server: ScriptedServer) -> tuple[str, float | None, int, int]:
    """How it ended, the reward, the actions, and the requests that the service saw."""
    return trajectory.end, trajectory.reward, len(trajectory.steps), len(server.requests)


def test_a_model_that_does_the_right_thing_reaches_the_goal(serve: Serve) -> None:
    server = serve(FIVE, FIVE)
    trajectory = play(server.url, model="gpt-4o-mini")
    assert outcome(trajectory, server) == ("done", 1.0, 2, 2)
    listed = load_litellm().model_cost["gpt-4o-mini"]
    by_hand = 2 * (100 * listed["input_cost_per_token"] + 10 * listed["output_cost_per_token"])
    assert trajectory.agent_usage == Usage(200, 20, pytest.approx(by_hand))
    first, second = server.requests
    assert [tool["function"]["name"] for tool in first["tools"]] == ["increment", "reset"]
    assert first["seed"] == 3
    assert first["messages"][1]["content"] == "Bring your own count to exactly 10."
    assert second["messages"][2:] == [
        {"role": "assistant", "tool_calls": [call("increment", {"amount": 5})]},
        {
            "role": "tool",
            "tool_call_id": "call_a",
            "content": '{"success": true, "data": {"count": 5, "total": 5}}',
        },
    ]


def test_in_schema_mode_too(serve: Serve) -> None:
    server = serve(completion('{"name": "increment", "arguments": {"amount": 10}}'))
    trajectory = play(server.url, mode="schema")
    assert outcome(trajectory, server) == ("done", 1.0, 1, 1)
    [request] = server.requests
    assert "tools" not in request
    alternatives = request["response_format"]["json_schema"]["schema"]["anyOf"]
    names = [alternative["properties"]["name"]["const"] for alternative in alternatives]
    assert names == ["increment", "reset", "respond"]


@pytest.mark.parametrize(
    "trouble",
    [
        error(429, retry_after="2"),
        error(500),
        error(503),
        Answer(body=TEN.body, missing_bytes=100),
        Answer(body="{"),
        Answer(body="null"),
    ],
    ids=["429", "500", "503", "cut", "no JSON", "nothing"],
)
def test_trouble_that_passes_leaves_no_trace_in_a_trial(serve: Serve, trouble: Answer) -> None:
    server = serve(trouble, TEN)
    trajectory = play(server.url)
    assert outcome(trajectory, server) == ("done", 1.0, 1, 2)
    assert trajectory.agent_usage == Usage(100, 10, None)


def test_a_service_that_stays_out_of_order_is_no_wrong_answer(serve: Serve) -> None:
    server = serve(FIVE, error(500, "on fire"))
    trajectory = play(server.url)
    assert outcome(trajectory, server) == ("infra_error", None, 1, 1 + 4)
    assert trajectory.error is not None
    assert trajectory.error.startswith("ModelError: The model scripted gave no answer after 4 tries: ")
    # What was spent before it failed is counted all the same.
    assert trajectory.agent_usage == Usage(100, 10, None)


def test_a_refusal_ends_a_trial_at_once(serve: Serve) -> None:
    server = serve(error(401, "who are you?"))
    assert outcome(play(server.url), server) == ("infra_error", None, 0, 1)


def test_a_service_that_hangs_is_no_wrong_answer(serve: Serve) -> None:
    server = serve(Answer(hangs=True))
    trajectory = play(server.url, timeout_s=0.1)
    assert outcome(trajectory, server) == ("infra_error", None, 0, 4)


def test_a_service_that_is_not_there_is_no_wrong_answer() -> None:
    trajectory = play(f"http://127.0.0.1:{closed_port()}/v1")
    assert (trajectory.end, trajectory.reward, trajectory.steps) == ("infra_error", None, ())


def test_the_time_limit_of_a_trial_does_not_wait_for_the_model(serve: Serve) -> None:
    server = serve(FIVE, Answer(hangs=True))
    trajectory = play(server.url, Limits(max_time_s=1.0), timeout_s=5.0)
    assert outcome(trajectory, server) == ("time_limit", 0.0, 1, 2)
    assert trajectory.elapsed_s < 1.0


BROKEN = completion(None, call("increment", '{"amount": '))


def test_arguments_that_are_no_json_end_a_strict_trial(serve: Serve) -> None:
    server = serve(BROKEN)
    trajectory = play(server.url)
    assert outcome(trajectory, server) == ("invalid_action", 0.0, 1, 1)
    assert trajectory.agent_usage == Usage(100, 10, None)


def test_a_tolerant_trial_tells_the_model_and_goes_on(serve: Serve) -> None:
    server = serve(BROKEN, completion(""), TEN)
    assert outcome(play(server.url, TOLERANT), server) == ("done", 1.0, 3, 3)
    told = [message for message in server.requests[-1]["messages"] if message["role"] != "system"][2:]
    assert [message["role"] for message in told] == ["tool", "assistant", "user"]
    assert told[0]["content"].startswith("The arguments of increment cannot be used: it is no JSON")
    assert told[2]["content"] == "The answer was empty: call a tool, or say something."


def test_a_model_that_only_talks_nonsense_is_heard_out_no_longer_than_allowed(serve: Serve) -> None:
    server = serve(BROKEN)
    assert outcome(play(server.url, TOLERANT), server) == ("invalid_action", 0.0, 3, 3)


def test_an_unknown_tool_is_answered_by_the_app(serve: Serve) -> None:
    server = serve(completion(None, call("teleport", {})), TEN)
    trajectory = play(server.url)
    assert outcome(trajectory, server) == ("done", 1.0, 2, 2)
    assert trajectory.steps[0].exchange.observation.error is not None
    assert "teleport" in server.requests[1]["messages"][-1]["content"]


def test_of_several_calls_only_the_first_is_carried_out(serve: Serve) -> None:
    calls = [call("increment", {"amount": amount}, f"call_{amount}") for amount in (5, 6, 7)]
    server = serve(completion(None, *calls), FIVE)
    assert outcome(play(server.url), server) == ("done", 1.0, 2, 2)
    assert [message["role"] for message in server.requests[1]["messages"]] == [
        "system",
        "user",
        "assistant",
        "tool",
    ]
    assert server.requests[1]["messages"][2]["tool_calls"] == calls[:1]


def test_an_answer_in_words_ends_a_trial_with_an_app(serve: Serve) -> None:
    server = serve(completion("I cannot do that."))
    assert outcome(play(server.url), server) == ("done", 0.0, 1, 1)


def test_usage_that_is_not_reported_makes_the_cost_unknown(serve: Serve) -> None:
    first = completion(None, call("increment", {"amount": 5}), usage=None)
    trajectory = play(serve(first, FIVE).url, model="gpt-4o-mini")
    assert trajectory.agent_usage == Usage(100, 10, None)


@pytest.mark.parametrize(
    "arguments",
    [
        '{"amount": NaN}',
        '{"a":' * 100 + "1" + "}" * 100,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "[" * 90_000,
        '{"amount": ' + "9" * 5000 + "}",
        '"' + "x" * 200_000 + '"',
    ],
    ids=["NaN", "deep", "deeper", "open", "long number", "long"],
)
def test_hostile_arguments_end_a_trial_as_no_action(serve: Serve, arguments: str) -> None:
    server = serve(completion(None, call("increment", arguments)))
    trajectory = play(server.url)
    assert outcome(trajectory, server) == ("invalid_action", 0.0, 1, 1)
    assert len(str(trajectory.to_dict())) < 10_000


def test_each_trial_has_a_seed_of_its_own(serve: Serve) -> None:
    server = serve(TEN, error(500), TEN, BROKEN)
    asked = Asked(server.url)
    evaluation = evaluate_agent(
        ENGINE, COUNT_TO_TEN, lambda: LlmAgent(asked.model), trials=3, plan=EvaluationPlan(seed=20)
    )
    assert [request["seed"] for request in server.requests] == [20, 21, 21, 22]
    assert [trial.goal_reached for trial in evaluation.trials] == [True, True, False]
    assert (evaluation.infra_errors, evaluation.agent_id) == (0, "llm")
