"""Letting an agent act in an environment until one of them, or a limit, ends it."""

from __future__ import annotations

import asyncio
import logging
import os
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from appeval_pipeline.agents.handing import accepted, handed_briefing, handed_exchange
from appeval_pipeline.agents.models.redaction import redact, secrets_of
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

_TIME_IS_UP: Final = "The time was up before there was an answer"


@dataclass(frozen=True, slots=True)
class Limits:
    """What an episode may take; None is without limit.

    Attributes:
        max_steps: Actions.
        max_invalid_actions: How often in a row an agent is told that what it said is no action, and may try
            again; with 0, the first one ends the episode.
        max_tokens: Of the agent's model, prompts and completions together.
        max_cost_usd: Of the agent's model; a turn of unknown price counts as nothing.
        max_time_s: Wall time; a turn that hangs is cut off, unless it blocks the event loop, or catches
            its own cancellation and goes on, as a bare ``except:`` does.
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
        end = await episode.run_in_time(agent, environment, seed)
        reward = await environment.reward()
    except asyncio.CancelledError as failure:
        if _is_being_cancelled():
            raise
        # Some client's own cancellation that got out: no reason to end all other trials.
        return episode.trajectory(agent.name, seed, "infra_error", None, describe_failure(failure))
    except Exception as failure:  # noqa: BLE001 - the boundary of a trial
        told = describe_failure(failure)
        # Not exc_info: what is raised may quote a key, and logs are kept, too.
        logger.warning("An episode of %s failed: %s\n%s", agent.name, told, _where(failure))
        return episode.trajectory(agent.name, seed, "infra_error", None, told)
    return episode.trajectory(agent.name, seed, end, reward, None)


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def describe_failure(failure: BaseException, environ: Mapping[str, str] = os.environ) -> str:
    """A failure in one line, with its type, and without keys: agents and services may say anything."""
    return redact(f"{type(failure).__name__}: {failure}", secrets_of(environ))


def _where(failure: BaseException) -> str:
    return "".join(traceback.format_tb(failure.__traceback__))


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
    unanswered: tuple[Turn, float] | None = None
    """A turn that the environment is busy with, and when it began."""

    async def run_in_time(self, agent: Agent, environment: Environment, seed: int) -> End:
        """As :meth:`run`, but no longer than the time limit."""
        deadline = asyncio.timeout(self.limits.max_time_s)
        try:
            async with deadline:
                return await self.run(agent, environment, seed)
        except TimeoutError:
            # One that the agent or the environment raised is its own failure. An episode that has not begun
            # is not the agent's fault either.
            if not deadline.expired():
                raise
            if self.briefing is None:
                raise TimeoutError(f"Nothing began within {self.limits.max_time_s:g} s") from None
        if self.unanswered is not None:
            turn, began = self.unanswered
            self._record(turn, Observation("", error=_TIME_IS_UP, error_kind="time_limit"), began)
        return "time_limit"

    async def run(self, agent: Agent, environment: Environment, seed: int) -> End:
        self.briefing = await environment.start()
        await agent.start(handed_briefing(self.briefing), seed)
        invalid_in_a_row = 0
        while True:
            if (limit := self._limit()) is not None:
                return limit
            began = self.clock()
            turn = accepted(await agent.act(tuple(self.history)))
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
            self.unanswered = turn, began
            observation = await environment.step(turn.action)
            self.unanswered = None
            self._record(turn, observation, began)
            if observation.done:
                return "done"

    def _count(self, turn: Turn) -> None:
        self.agent_usage += turn.usage
        self.known_cost_usd += turn.usage.cost_usd or 0.0

    def _record(self, turn: Turn, observation: Observation, began: float) -> None:
        exchange = Exchange(turn.action, observation)
        self.history.append(handed_exchange(exchange))
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
        environment_usage = sum((step.exchange.observation.usage for step in self.steps), Usage())
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
