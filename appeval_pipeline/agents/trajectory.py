"""All that happened in an episode."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from appeval_pipeline.agents.protocol import Briefing, Exchange, JsonObject, Usage

End = Literal[
    "done",
    "stopped",
    "max_steps",
    "invalid_action",
    "token_limit",
    "cost_limit",
    "time_limit",
    "infra_error",
]
"""Why an episode ended.

* ``done``: the environment said so: a goal was reached, or the user left.
* ``stopped``: the agent had nothing more to do.
* ``max_steps``, ``token_limit``, ``cost_limit``, ``time_limit``: a limit was reached.
* ``invalid_action``: the agent said what is no action, once too often.
* ``infra_error``: something failed that is not the agent's fault; such a trial has no reward.
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One action with its answer.

    Attributes:
        index: From 0.
        exchange: The action and the observation.
        usage: Of the agent's model.
        elapsed_s: Measured time of deciding and answering, in seconds.
    """

    index: int
    exchange: Exchange
    usage: Usage
    elapsed_s: float

    def to_dict(self) -> dict[str, Any]:
        observation = self.exchange.observation
        return {
            "index": self.index,
            "action": self.exchange.action.to_dict(),
            "observation": observation.content,
            "done": observation.done,
            "error": observation.error,
            "error_kind": observation.error_kind,
            "details": dict(observation.details),
            "usage": self.usage.to_dict(),
            "environment_usage": observation.usage.to_dict(),
            "elapsed_s": self.elapsed_s,
        }


@dataclass(frozen=True, slots=True)
class Trajectory:
    """An episode from its briefing to its reward.

    Attributes:
        agent: The agent's name.
        seed: What was left to chance was decided by it.
        briefing: What the agent was told.
        steps: What it did.
        end: Why it ended.
        reward: 0 to 1; None for an ``infra_error``.
        reward_info: What the reward is made of.
        error: What failed; None but for an ``infra_error``.
        agent_usage, environment_usage: Of models, over all steps.
    """

    agent: str
    seed: int
    briefing: Briefing | None
    steps: tuple[Step, ...]
    end: End
    reward: float | None
    reward_info: JsonObject
    error: str | None
    agent_usage: Usage
    environment_usage: Usage

    @property
    def elapsed_s(self) -> float:
        """Measured time of all steps, in seconds."""
        return sum(step.elapsed_s for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "seed": self.seed,
            "policy": self.briefing.policy if self.briefing else None,
            "message": self.briefing.message if self.briefing else None,
            "steps": [step.to_dict() for step in self.steps],
            "end": self.end,
            "reward": self.reward,
            "reward_info": dict(self.reward_info),
            "error": self.error,
            "agent_usage": self.agent_usage.to_dict(),
            "environment_usage": self.environment_usage.to_dict(),
        }
