"""What an experiment may cost, before it runs; expected sums by hand."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.agents import Trajectory, Usage
from appeval_pipeline.agents.journal import TrialKey
from appeval_pipeline.agents.models import ModelSettings
from appeval_pipeline.agents.models.prices import Prices, prices_of
from appeval_pipeline.taubench.estimating import estimate_cost
from appeval_pipeline.taubench.experiments import ExperimentSettings, PreparedExperiment, prepare

URL = "http://127.0.0.1:9/v1"


def experiment(**settings: Any) -> PreparedExperiment:
    given = {"agent": "act", "model": "m", "api_base": URL, "task_ids": "0-4", "num_trials": 2, **settings}
    return prepare(ExperimentSettings(**given))


def trial(agent_usd: float | None, user_usd: float | None = 0.0, reward: float | None = 1.0) -> Trajectory:
    error = None if reward is not None else "broken"
    end = "done" if reward is not None else "infra_error"
    usages = Usage(1, 1, agent_usd), Usage(1, 1, user_usd)
    return Trajectory("act", 0, None, (), end, reward, {}, error, *usages)  # type: ignore[arg-type]


def no_prices(settings: ModelSettings) -> Prices | None:
    return None


def test_finished_trials_tell_what_the_others_cost() -> None:
    finished = {
        TrialKey("0", 0): trial(0.2, 0.1),
        TrialKey("1", 0): trial(0.5, 0.2),
        TrialKey("2", 0): trial(None),
        TrialKey("3", 0): trial(9.0, reward=None),
        TrialKey("99", 0): trial(0.5, 0.0),  # of another selection of tasks
    }
    found = estimate_cost(experiment(), finished, prices=no_prices)
    assert (found.trials, found.usd) == (6, pytest.approx(6 * 0.5))  # a mean of 0.3, 0.7 and 0.5
    assert "the trials that have finished, $0.5000 (3 of them)" in found.basis
    again = estimate_cost(experiment(), finished, retry_errors=True, prices=no_prices)
    assert again.trials == 7


def test_without_any_the_sizes_of_prompts_and_the_prices_do() -> None:
    prepared = experiment(task_ids="0", num_trials=1, max_steps=2)
    domain = prepared.suite.domain
    answers_only = estimate_cost(prepared, {}, prices=lambda settings: Prices(0.0, 1.0))
    assert answers_only.usd == 2 * 60  # two steps
    prompts_only = estimate_cost(prepared, {}, prices=lambda settings: Prices(1.0, 0.0))
    assert prompts_only.usd is not None
    assert prompts_only.usd > 2 * len(domain.policy) / 4
    assert "a rough guess from the sizes of prompts" in prompts_only.basis


def test_a_supervised_user_costs_twice_as_much() -> None:
    def cost(user: str) -> float:
        prepared = experiment(
            agent="noop", model=None, api_base=None, user=user, user_model="m", user_api_base=URL
        )
        found = estimate_cost(prepared, {}, prices=lambda settings: Prices(1e-3, 1e-3)).usd
        assert found is not None
        return found

    assert cost("verify") == pytest.approx(2 * cost("llm"))


@pytest.mark.parametrize(
    ("settings", "usd", "basis"),
    [
        ({}, None, "the price of m is not known"),
        ({"agent": "oracle", "model": None, "api_base": None}, 0.0, "no model is asked"),
        (
            {
                "agent": "appeval_pipeline.agents.plain:NoopAgent",
                "model": None,
                "api_base": None,
            },
            None,
            "what appeval_pipeline.agents.plain:NoopAgent takes is not known",
        ),
    ],
)
def test_what_is_not_known_is_told(settings: dict[str, Any], usd: float | None, basis: str) -> None:
    found = estimate_cost(experiment(**settings), {}, prices=no_prices)
    assert (found.trials, found.usd, found.basis) == (10, usd, basis)


def test_nothing_is_left_of_a_finished_experiment() -> None:
    finished = {TrialKey(str(task), number): trial(None) for task in range(5) for number in range(2)}
    found = estimate_cost(experiment(), finished, prices=no_prices)
    assert str(found) == "0 trials would run, for about $0.00: all have finished"


def test_prices_are_those_of_the_settings_else_the_listed_ones_else_not_known() -> None:
    own = ModelSettings("gpt-4o", input_cost_per_token=1.0, output_cost_per_token=2.0)
    assert prices_of(own) == Prices(1.0, 2.0)
    listed = prices_of(ModelSettings("gpt-4o"))
    assert listed is not None
    assert 0 < listed.input_usd < listed.output_usd
    assert prices_of(ModelSettings("nobody-knows", api_base=URL)) is None
