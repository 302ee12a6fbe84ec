"""Running one action without storing anything."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from appeval_pipeline.api.models.base import Answer, Source

Name = Annotated[str, Field(max_length=200)]


class GivenState(BaseModel):
    """The state of an app: what each agent has, and what all share. At most 1 MB as JSON."""

    model_config = ConfigDict(extra="forbid")

    per_agent: dict[str, dict[str, JsonValue]] = Field(default_factory=dict)
    shared: dict[str, JsonValue] = Field(default_factory=dict)


class CallRequest(BaseModel):
    """One action on a given state."""

    model_config = ConfigDict(extra="forbid")

    agent_id: Name = Field(description="Who acts")
    action: Name = Field(description="The action's name")
    params: dict[str, JsonValue] = Field(default_factory=dict, description="Its parameters")
    state: GivenState | None = Field(
        default=None,
        description="The state before; fields that it lacks get defaults; all fields, if there is no state",
    )
    agents: list[Name] = Field(
        default_factory=list,
        max_length=1_000,
        description="Who takes part beside those in `state`; where there is none, beside the one who acts",
    )
    roles: dict[Name, Name] = Field(default_factory=dict, description="Roles by agent, for restricted apps")
    seed: int = Field(default=0, ge=0, lt=2**53, description="Generated ids come from it")
    trace: bool = Field(default=False, description="Whether to tell which blocks ran")


class TraceStep(Answer):
    """A block that ran, and which way it went."""

    block: str
    outcome: str


class CallAnswer(Answer):
    """What an action did. A refusal by the app is an answer too: `success` is false then."""

    app_id: str
    version: int
    success: bool
    data: dict[str, JsonValue] | None = Field(description="What it returned, if it succeeded")
    error: str | None = Field(description="Why it failed, in the app's own words")
    error_kind: str | None = Field(
        description="`parameters`, `validation`, `logic`, `expression`, `limit`, `access`, `unknown_action` "
        "or `unknown_agent`"
    )
    error_at: str | None = Field(description="Where in the definition")
    state_after: JsonValue = Field(description="The whole state after it; as before, if it failed")
    observations: list[JsonValue] = Field(description="What agents were told")
    observations_dropped: int
    trace: list[TraceStep]
    duration_ms: float
    deterministic: bool = Field(description="False if the wall clock ended the action")
    source: Source = Field(description="The stored definition that ran")
