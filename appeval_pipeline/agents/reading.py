"""Trajectories, read back from the plain JSON that :meth:`Trajectory.to_dict` makes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from appeval_pipeline.agents.protocol import (
    Action,
    Briefing,
    Exchange,
    InvalidAction,
    JsonObject,
    Observation,
    Reply,
    Stop,
    ToolCall,
    Usage,
)
from appeval_pipeline.agents.trajectory import End, Step, Trajectory
from appeval_pipeline.errors import TrajectoryError


def read_trajectory(document: object) -> Trajectory:
    """The trajectory that a document tells of; the tools of its briefing are not told.

    Raises:
        TrajectoryError: It is none; the message says where.
    """
    try:
        return _Trajectory.model_validate(document).build()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the document"
        raise TrajectoryError(f"This is no trajectory: {place}: {first['msg']}") from None


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _ToolCall(_Model):
    kind: Literal["tool_call"]
    name: str
    arguments: dict[str, Any]

    def build(self) -> Action:
        return ToolCall(self.name, self.arguments)


class _Reply(_Model):
    kind: Literal["reply"]
    content: str

    def build(self) -> Action:
        return Reply(self.content)


class _Stop(_Model):
    kind: Literal["stop"]

    def build(self) -> Action:
        return Stop()


class _InvalidAction(_Model):
    kind: Literal["invalid_action"]
    reason: str
    raw: str

    def build(self) -> Action:
        return InvalidAction(self.reason, self.raw)


class _Usage(_Model):
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None

    def build(self) -> Usage:
        return Usage(self.prompt_tokens, self.completion_tokens, self.cost_usd)


class _Step(_Model):
    index: int
    action: Annotated[_ToolCall | _Reply | _Stop | _InvalidAction, Field(discriminator="kind")]
    observation: str
    done: bool
    error: str | None
    error_kind: str | None
    details: dict[str, Any]
    usage: _Usage
    environment_usage: _Usage
    elapsed_s: float

    def build(self) -> Step:
        observation = Observation(
            self.observation,
            self.done,
            self.error,
            self.error_kind,
            self.details,
            self.environment_usage.build(),
        )
        return Step(
            self.index, Exchange(self.action.build(), observation), self.usage.build(), self.elapsed_s
        )


class _Trajectory(_Model):
    agent: str
    seed: int
    policy: str | None
    message: str | None
    steps: list[_Step]
    end: End
    reward: float | None
    reward_info: dict[str, Any]
    error: str | None
    agent_usage: _Usage
    environment_usage: _Usage

    def build(self) -> Trajectory:
        briefing = None if self.policy is None else Briefing(self.policy, self.message or "", ())
        info: JsonObject = self.reward_info
        return Trajectory(
            agent=self.agent,
            seed=self.seed,
            briefing=briefing,
            steps=tuple(step.build() for step in self.steps),
            end=self.end,
            reward=self.reward,
            reward_info=info,
            error=self.error,
            agent_usage=self.agent_usage.build(),
            environment_usage=self.environment_usage.build(),
        )
