"""What an experiment may cost, before it runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from appeval_pipeline.agents import Trajectory
from appeval_pipeline.agents.journal import TrialKey
from appeval_pipeline.agents.models import ModelSettings
from appeval_pipeline.agents.models.prices import Prices, prices_of
from appeval_pipeline.taubench.evaluating import broke_down
from appeval_pipeline.taubench.experiments import PreparedExperiment
from appeval_pipeline.taubench.naming import NOOP, ORACLE
from appeval_pipeline.taubench.tasks import TauTask

CHARACTERS_A_TOKEN: Final = 4
REPLIES: Final = 4
"""Of the agent's to the user in a trial, beside the actions that are expected."""
STEP_TOKENS: Final = 200
"""By which a conversation grows with each step."""
ANSWER_TOKENS: Final = 60
"""Of a model, in one answer."""
_PART_TOKENS: Final = 250
"""Of what a simulated user is told beside its instruction."""
_CALLS_A_MESSAGE: Final[Mapping[str, int]] = {"verify": 2, "reflection": 2}
"""Of a user's model, where the first draft is good."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What the trials that are left may cost.

    Attributes:
        trials: How many are left.
        usd: None where that is not known.
        basis: How it was found, or why it is not known.
    """

    trials: int
    usd: float | None
    basis: str

    def __str__(self) -> str:
        cost = "at a cost that is not known" if self.usd is None else f"for about ${self.usd:.2f}"
        return f"{self.trials} trials would run, {cost}: {self.basis}"


def estimate_cost(
    prepared: PreparedExperiment,
    finished: Mapping[TrialKey, Trajectory],
    *,
    retry_errors: bool = False,
    prices: Callable[[ModelSettings], Prices | None] = prices_of,
) -> CostEstimate:
    """What is left of an experiment, and what it may cost.

    By the mean cost of the trials that have finished, where that is known of any; else by the sizes of
    prompts and the prices of the models, which is rough: nobody knows how long conversations get.

    Args:
        finished: What the experiment's journal has.
        retry_errors: Whether trials that broke down are to be tried again.
    """
    left = list(_left(prepared, finished, retry_errors))
    if not left:
        return CostEstimate(0, 0.0, "all have finished")
    if prepared.agent.name in (ORACLE, NOOP) and prepared.user.model is None:
        return CostEstimate(len(left), 0.0, "no model is asked")
    known = [cost for cost in map(_cost_usd, finished.values()) if cost is not None]
    if known:
        mean = fmean(known)
        basis = f"by the mean of the trials that have finished, ${mean:.4f} ({len(known)} of them)"
        return CostEstimate(len(left), mean * len(left), basis)
    return _by_prompts(prepared, left, prices)


def _left(
    prepared: PreparedExperiment, finished: Mapping[TrialKey, Trajectory], retry_errors: bool
) -> Iterator[TauTask]:
    """The task of each trial that would run."""
    for trial in range(prepared.settings.num_trials):
        for task in prepared.tasks:
            found = finished.get(TrialKey(str(task.id), trial))
            if found is None or (retry_errors and broke_down(found)):
                yield task


def _cost_usd(trajectory: Trajectory) -> float | None:
    agent, user = trajectory.agent_usage.cost_usd, trajectory.environment_usage.cost_usd
    if broke_down(trajectory) or agent is None or user is None:
        return None
    return agent + user


def _by_prompts(
    prepared: PreparedExperiment,
    left: list[TauTask],
    prices: Callable[[ModelSettings], Prices | None],
) -> CostEstimate:
    agent, user = prepared.agent, prepared.user
    if agent.model is None and agent.name not in (ORACLE, NOOP):
        return CostEstimate(len(left), None, f"what {agent.name} takes is not known")
    total = 0.0
    for model, tokens_of in ((agent.model, _agent_tokens), (user.model, _user_tokens)):
        if model is None:
            continue
        price = prices(model)
        if price is None:
            return CostEstimate(len(left), None, f"the price of {model.model} is not known")
        for task in left:
            prompt, answer = tokens_of(prepared, task)
            total += prompt * price.input_usd + answer * price.output_usd
    basis = (
        f"a rough guess from the sizes of prompts ({CHARACTERS_A_TOKEN} characters a token, the expected "
        f"actions and {REPLIES} replies a trial, {STEP_TOKENS} tokens more at each step) and listed prices"
    )
    return CostEstimate(len(left), total, basis)


def _agent_tokens(prepared: PreparedExperiment, task: TauTask) -> tuple[int, int]:
    """Tokens of all prompts and of all answers in a trial."""
    domain = prepared.suite.domain
    tools = json.dumps([tool.to_dict() for tool in domain.toolset.tools.values()])
    first = (len(domain.policy) + len(tools)) // CHARACTERS_A_TOKEN
    return _conversation(first, min(len(task.actions) + REPLIES, prepared.settings.max_steps))


def _user_tokens(prepared: PreparedExperiment, task: TauTask) -> tuple[int, int]:
    first = _PART_TOKENS + len(task.instruction) // CHARACTERS_A_TOKEN
    calls = _CALLS_A_MESSAGE.get(prepared.settings.user, 1)
    prompt, answer = _conversation(first, REPLIES)
    return prompt * calls, answer * calls


def _conversation(first: int, calls: int) -> tuple[int, int]:
    """The prompts grow by as much with each call."""
    return first * calls + STEP_TOKENS * calls * (calls - 1) // 2, ANSWER_TOKENS * calls
