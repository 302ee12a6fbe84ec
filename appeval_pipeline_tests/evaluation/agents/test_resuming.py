"""Evaluations that were cut off: what had finished is not done again, and the result is the same."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.agents import Briefing, Exchange, RandomAgent, Trajectory, Turn
from appeval_pipeline.agents.journal import Journal
from appeval_pipeline.appdef import load_app
from appeval_pipeline.errors import JournalError
from appeval_pipeline.evaluation.agents import (
    AgentEvaluation,
    EvaluationPlan,
    TaskEvaluator,
)
from appeval_pipeline_tests.evaluation.agents.tills import TILL, make_task

APP = load_app(TILL)

TRIALS = 6


class Counted:
    """Makes random agents and counts the episodes; one of them is cut off, as by Ctrl-C."""

    def __init__(self, cut_off: int | None = None) -> None:
        self.episodes: list[int] = []
        self._cut_off = cut_off

    def __call__(self) -> RandomAgent:
        counted = self

        class OneOfThem(RandomAgent):
            async def start(self, briefing: Briefing, seed: int) -> None:
                counted.episodes.append(seed)
                await super().start(briefing, seed)

            async def act(self, history: Sequence[Exchange]) -> Turn:
                if counted.episodes[-1] == counted._cut_off and len(history) == 2:
                    signal.raise_signal(signal.SIGINT)
                    await asyncio.sleep(60)
                await asyncio.sleep(0)
                return await super().act(history)

        return OneOfThem(("ann", "bob"))


def evaluate(agent: Counted, directory: Path, **plan: Any) -> AgentEvaluation:
    evaluator = TaskEvaluator(APP, make_task(), EvaluationPlan(clock=lambda: 0.0, **plan))
    with Journal(directory, evaluator.configuration("counted")) as journal:
        return asyncio.run(evaluator.evaluate(agent, TRIALS, journal))


def as_text(evaluation: AgentEvaluation) -> str:
    return json.dumps(evaluation.to_dict())


@pytest.mark.parametrize("cut_off", [0, 3, 5])
def test_a_cut_off_evaluation_goes_on_where_it_was_and_comes_to_the_same(
    cut_off: int, tmp_path: Path
) -> None:
    undisturbed = evaluate(Counted(), tmp_path / "undisturbed")
    first, second = Counted(cut_off), Counted()
    with pytest.raises(KeyboardInterrupt):
        evaluate(first, tmp_path)
    assert first.episodes == list(range(cut_off + 1))
    resumed = evaluate(second, tmp_path)
    assert second.episodes == list(range(cut_off, TRIALS))
    assert as_text(resumed) == as_text(undisturbed)


def test_a_finished_evaluation_is_not_done_again(tmp_path: Path) -> None:
    first = evaluate(Counted(), tmp_path)
    again = Counted()
    assert as_text(evaluate(again, tmp_path)) == as_text(first)
    assert again.episodes == []


def test_trials_at_the_same_time_come_to_the_same(tmp_path: Path) -> None:
    one_by_one = evaluate(Counted(), tmp_path / "one")
    together = evaluate(Counted(), tmp_path / "four", max_concurrency=4)
    assert as_text(together) == as_text(one_by_one)


def test_another_seed_is_another_evaluation(tmp_path: Path) -> None:
    evaluate(Counted(), tmp_path)
    other = Counted()
    evaluate(other, tmp_path, seed=100)
    assert other.episodes == list(range(100, 100 + TRIALS))


def test_what_broke_down_is_tried_again(tmp_path: Path) -> None:
    class Broken(RandomAgent):
        async def act(self, history: Sequence[Exchange]) -> Turn:
            raise ConnectionError("the wire is cut")

    evaluator = TaskEvaluator(APP, make_task())
    configuration = evaluator.configuration("counted")
    with Journal(tmp_path, configuration) as journal:
        broken = asyncio.run(evaluator.evaluate(Broken, 2, journal))
    assert (broken.infra_errors, broken.goal_rate) == (2, None)
    agent = Counted()
    with Journal(tmp_path, configuration) as journal:
        mended = asyncio.run(evaluator.evaluate(agent, 2, journal))
    assert (mended.infra_errors, agent.episodes) == (0, [0, 1])


def test_each_trial_is_told_of_once_finished_before_or_now(tmp_path: Path) -> None:
    evaluator = TaskEvaluator(APP, make_task())
    told: list[Trajectory] = []
    for _ in range(2):
        with Journal(tmp_path, evaluator.configuration("random")) as journal:
            asyncio.run(evaluator.evaluate("random", 3, journal, told.append))
    assert sorted(trajectory.seed for trajectory in told) == [0, 0, 1, 1, 2, 2]


def test_a_trial_that_does_not_fit_the_app_is_refused(tmp_path: Path) -> None:
    evaluator = TaskEvaluator(APP, make_task())
    with Journal(tmp_path, {}) as journal:
        asyncio.run(evaluator.evaluate("random", 1, journal))
    other = TaskEvaluator(APP, make_task("bob.coins >= 6"))
    with Journal(tmp_path, {}) as journal, pytest.raises(JournalError, match="goes otherwise"):
        asyncio.run(other.evaluate("random", 1, journal))
