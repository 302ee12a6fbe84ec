"""Letting an agent act in an environment until one of them, or a limit, ends it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from appeval_pipeline.agents.protocol import (
    Agent,
    Briefing,
    Environment,
    Exchange,
    InvalidAction,
    Observation,
    Reward,
    Stop,
    Turn,
    Usage,
)
from appeval_pipeline.agents.trajectory import End, Step, Trajectory

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """What an episode may take; None is without limit.

    Attributes:
        max_steps: Actions.
        max_invalid_actions: How often in a row an agent is told that what it said is no action, and may try
            again; with 0, the first one ends the episode.
        max_tokens: Of the agent's model, prompts and completions together.
        max_cost_usd: Of the agent's model; a turn of unknown price counts as nothing.
        max_time_s: Wall time; looked at between steps.
    """

    max_steps: int = 30
    max_invalid_actions: int = 0
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    max_time_s: float | None = None


async def run_episode(
    agent: Agent,
    environment: Environment,
    limits: Limits = Limits(),
    *,
    seed: int = 0,
    clock: Callable[[], float] = time.monotonic,
) -> Trajectory:
    """Run one trial.

    This is the boundary of a trial: whatever fails in the agent or the environment ends the episode as an
    ``infra_error``, which has no reward, and is recorded with what happened before.

    Args:
        seed: Decides whatever the agent leaves to chance.
        clock: Tells seconds.
    """
    episode = _Episode(limits, clock, clock())
    try:
        end = await episode.run(agent, environment, seed)
        reward = await environment.reward()
    except Exception as failure:
        logger.warning("An episode of %s failed: %s", agent.name, failure, exc_info=True)
        return episode.trajectory(agent.name, seed, "infra_error", None, describe_failure(failure))
    return episode.trajectory(agent.name, seed, end, reward, None)


def describe_failure(failure: Exception) -> str:
    """A failure in one line, with its type."""
    return f"{type(failure).__name__}: {failure}"


@dataclass(slots=True)
class _Episode:
    """An episode under way."""

    limits: Limits
    clock: Callable[[], float]
    started: float
    briefing: Briefing | None = None
    steps: list[Step] = field(default_factory=list)
    history: list[Exchange] = field(default_factory=list)
    agent_usage: Usage = field(default_factory=Usage)
    known_cost_usd: float = 0.0

    async def run(self, agent: Agent, environment: Environment, seed: int) -> End:
        self.briefing = await environment.start()
        await agent.start(self.briefing, seed)
        invalid_in_a_row = 0
        while True:
            if (limit := self._limit()) is not None:
                return limit
            began = self.clock()
            turn = await agent.act(tuple(self.history))
            self._count(turn)
            if isinstance(turn.action, Stop):
                self._record(turn, Observation("", done=True), began)
                return "stopped"
            if isinstance(turn.action, InvalidAction):
                invalid_in_a_row += 1
                refusal = Observation(
                    turn.action.reason, error=turn.action.reason, error_kind="invalid_action"
                )
                self._record(turn, refusal, began)
                if invalid_in_a_row > self.limits.max_invalid_actions:
                    return "invalid_action"
                continue
            invalid_in_a_row = 0
            observation = await environment.step(turn.action)
            self._record(turn, observation, began)
            if observation.done:
                return "done"

    def _count(self, turn: Turn) -> None:
        self.agent_usage += turn.usage
        self.known_cost_usd += turn.usage.cost_usd or 0.0

    def _record(self, turn: Turn, observation: Observation, began: float) -> None:
        exchange = Exchange(turn.action, observation)
        self.history.append(exchange)
        self.steps.append(Step(len(self.steps), exchange, turn.usage, self.clock() - began))

    def _limit(self) -> End | None:
        limits = self.limits
        if len(self.steps) >= limits.max_steps:
            return "max_steps"
        if limits.max_tokens is not None and self.agent_usage.tokens >= limits.max_tokens:
            return "token_limit"
        if limits.max_cost_usd is not None and self.known_cost_usd >= limits.max_cost_usd:
            return "cost_limit"
        if limits.max_time_s is not None and self.clock() - self.started >= limits.max_time_s:
            return "time_limit"
        return None

    def trajectory(
        self, agent: str, seed: int, end: End, reward: Reward | None, error: str | None
    ) -> Trajectory:
        environment_usage = sum((exchange.observation.usage for exchange in self.history), Usage())
        return Trajectory(
            agent=agent,
            seed=seed,
            briefing=self.briefing,
            steps=tuple(self.steps),
            end=end,
            reward=reward.value if reward else None,
            reward_info=reward.info if reward else {},
            error=error,
            agent_usage=self.agent_usage,
            environment_usage=environment_usage,
        )
