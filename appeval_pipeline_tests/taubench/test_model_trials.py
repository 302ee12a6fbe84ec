"""Experiments whose agent and customer are models at a service on loopback, by the real litellm."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from pathlib import Path
from typing import Any

from appeval_pipeline.agents.journal import Journal
from appeval_pipeline.agents.llm import LlmAgent, ToolStrategy
from appeval_pipeline.agents.models import LitellmModel, ModelSettings
from appeval_pipeline.taubench import TauSuite, TauTask
from appeval_pipeline.taubench.evaluating import Experiment, TauEvaluator
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline.taubench.users import ModelledUser, PlainStrategy
from appeval_pipeline_tests.agents.scripted_server import completion
from appeval_pipeline_tests.taubench.playing_server import PlayingServer, fails_often


async def no_sleep(seconds: float) -> None:
    """Waits between tries are not waited."""


def run(suite: TauSuite, server: PlayingServer, directory: Path, tasks: int, **more: Any) -> list[TauResult]:
    settings = ModelSettings("played", api_base=server.url)

    def model() -> LitellmModel:
        return LitellmModel(settings, sleep=no_sleep, chance=random.Random(0))

    def agent(task: TauTask) -> LlmAgent:
        return LlmAgent(model(), ToolStrategy())

    def user(seed: int) -> ModelledUser:
        return ModelledUser(model(), seed, PlainStrategy())

    experiment = Experiment(agent={}, user={}, **more)
    with Journal(directory, experiment.configuration(suite)) as journal:
        running = TauEvaluator(suite, experiment, agent, user).run(suite.tasks[:tasks], journal)
        return list(asyncio.run(running))


def records(results: list[TauResult]) -> str:
    return json.dumps([result.to_record() for result in results])


def test_as_many_trials_run_at_once_as_may(retail: TauSuite, tmp_path: Path) -> None:
    all_there = threading.Barrier(16)
    left = iter(range(16))

    def meet() -> None:
        if next(left, None) is not None:
            all_there.wait(timeout=20)  # passes only once sixteen ask at the same time

    with PlayingServer(retail, gives_up=True, meet=meet).running() as server:
        results = run(retail, server, tmp_path, 20, max_concurrency=16)
    assert not all_there.broken
    assert server.most_at_once == 16
    assert [result.error for result in results] == [None] * 20


def test_a_service_that_fails_a_fifth_of_all_calls_loses_nothing(retail: TauSuite, tmp_path: Path) -> None:
    with PlayingServer(retail, gives_up=True).running() as server:
        undisturbed = run(retail, server, tmp_path / "undisturbed", 8)
    with PlayingServer(retail, gives_up=True, failing=fails_often(0.2, seed=1)).running() as failing:
        disturbed = run(retail, failing, tmp_path / "disturbed", 8)
    assert {result.reward for result in undisturbed} == {0.0, 1.0}
    assert records(disturbed) == records(undisturbed)
    assert len(failing.questions) > 1.1 * len(server.questions)


def test_agent_and_user_are_paid_for_apart(retail: TauSuite, tmp_path: Path) -> None:
    with PlayingServer(retail).running() as server:
        (result,) = run(retail, server, tmp_path, 1)
    calls = {side: sum(one.side == side for one in server.questions) for side in ("agent", "user")}
    assert calls == {"agent": len(retail.tasks[0].actions) + 1, "user": 2}
    assert (result.agent.prompt_tokens, result.user.prompt_tokens) == (100 * calls["agent"], 200)
    assert (result.agent.cost_usd, result.user.cost_usd) == (None, None)


def test_a_customer_that_says_nothing_useful_is_paid_for_all_the_same(
    retail: TauSuite, tmp_path: Path
) -> None:
    with PlayingServer(retail, failing=lambda question, attempt: completion("")).running() as server:
        (result,) = run(retail, server, tmp_path, 1)
    assert result.error is not None
    assert "after 3 tries: as the user it says what cannot be used: it is empty" in result.error
    assert (result.user.prompt_tokens, result.user.cost_usd) == (300, None)
