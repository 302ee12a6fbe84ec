"""A test scenario as data: who takes part, what they do, and what is expected to come of it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Any, Final

from pydantic import Field, JsonValue, field_validator

from appeval_pipeline.appdef.hashing import content_hash
from appeval_pipeline.appdef.schema import AppId, SchemaModel
from appeval_pipeline.engine import Access

AgentId = Annotated[str, Field(min_length=1, max_length=100)]
MAX_STEPS: Final = 1_000
"""Steps of one scenario: each may take as long as an action may, and its whole state is compared."""
_CLAUSE: Final = re.compile(r"(>=|<=|==|>|<|!=)?\s*([0-9]{1,9})")


class ScenarioAgent(SchemaModel):
    """An agent that takes part, and what it may be admitted by."""

    id: AgentId
    role: str | None = None
    role_tags: list[str] = Field(default_factory=list)

    @property
    def access(self) -> Access:
        """What the agent may be admitted by."""
        return Access.of(self.role, self.role_tags)


class InitialState(SchemaModel):
    """The state to start from; fields that it lacks take the schema's defaults."""

    per_agent: dict[AgentId, dict[str, JsonValue]] = Field(default_factory=dict)
    shared: dict[str, JsonValue] = Field(default_factory=dict)


def also_ids(schema: dict[str, Any]) -> None:
    """Tell editors that an agent may be given by its id alone."""
    schema["items"] = {"anyOf": [schema["items"], {"type": "string", "minLength": 1}]}


class Setup(SchemaModel):
    agents: list[ScenarioAgent] = Field(default_factory=list, json_schema_extra=also_ids)
    initial_state: InitialState = Field(default_factory=InitialState)
    config: dict[str, JsonValue] = Field(default_factory=dict)
    seed: int = 0

    @field_validator("agents", mode="before")
    @classmethod
    def _named_agents(cls, value: object) -> object:
        """An agent may be given by its id alone."""
        if isinstance(value, list):
            return [{"id": agent} if isinstance(agent, str) else agent for agent in value]
        return value

    @property
    def agent_ids(self) -> list[str]:
        """Everyone who takes part, in the order of the scenario."""
        return list(dict.fromkeys([*(agent.id for agent in self.agents), *self.initial_state.per_agent]))

    @property
    def roles(self) -> dict[str, Access]:
        """What each agent may be admitted by."""
        return {agent.id: agent.access for agent in self.agents}


class ExpectedObservation(SchemaModel):
    """An observation that a step must make; what is not given is free, a given null must be null."""

    to: str | None = None
    message: JsonValue = None
    message_contains: str | None = None
    data: JsonValue = None


class Expectation(SchemaModel):
    """What a step must come to; what is not given is free, but success is expected unless denied.

    A given ``data: null`` expects no data.
    """

    success: bool = True
    data: JsonValue = None
    error: str | None = None
    error_contains: str | None = None
    state: dict[str, JsonValue] = Field(default_factory=dict)
    observations: list[ExpectedObservation] | None = None


class Step(SchemaModel):
    """One action of one agent."""

    name: str | None = None
    agent: AgentId
    action: str
    params: dict[str, JsonValue] = Field(default_factory=dict)
    expect: Expectation = Field(default_factory=Expectation)


class Scenario(SchemaModel):
    """A sequence of actions with expectations, and assertions on where it ends."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: str | None = None
    app_id: AppId
    applies_to: str | None = None
    tags: list[str] = Field(default_factory=list)
    stop_on_failure: bool = False
    setup: Setup = Field(default_factory=Setup)
    steps: Annotated[list[Step], Field(min_length=1, max_length=MAX_STEPS)]
    assertions: list[str] = Field(default_factory=list)

    @field_validator("applies_to")
    @classmethod
    def _is_range(cls, value: str | None) -> str | None:
        if value is not None:
            check_version_range(value)
        return value

    def applies(self, version: int) -> bool:
        """Whether the scenario is meant for that version of the app."""
        return self.applies_to is None or applies_to_version(self.applies_to, version)

    @property
    def applies_to_nothing(self) -> bool:
        """Whether no version, known or to come, is in the range of ``applies_to``."""
        bounds = [bound for _, bound in _clauses(self.applies_to or ">=1")]
        # Between two bounds that follow on each other, all versions are alike.
        edges = {1, *(bound + step for bound in bounds for step in (-1, 0, 1))}
        return not any(self.applies(version) for version in edges if version >= 1)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of what the scenario says, in hexadecimal; comments and the order of keys do not count."""
        return content_hash(self.model_dump(mode="json"))

    def to_dict(self) -> dict[str, Any]:
        """What the scenario says, as plain JSON."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


_COMPARISONS: Final = {
    ">=": int.__ge__,
    "<=": int.__le__,
    "==": int.__eq__,
    "!=": int.__ne__,
    ">": int.__gt__,
    "<": int.__lt__,
}


def check_version_range(text: str) -> None:
    """Refuse what is no range of versions.

    Raises:
        ValueError: It is none.
    """
    _clauses(text)


def applies_to_version(text: str, version: int) -> bool:
    """Whether a version lies in a range such as ``>=2, <5``."""
    return all(_COMPARISONS[operator](version, bound) for operator, bound in _clauses(text))


def _clauses(text: str) -> list[tuple[str, int]]:
    """``">=2, <5"`` as pairs of comparison and version; ``"3"`` is ``"==3"``."""
    clauses = []
    for part in text.split(","):
        match = _CLAUSE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"'{text}' is no version range; expected e.g. '>=2', '>=2,<5' or '3'")
        clauses.append((match.group(1) or "==", int(match.group(2))))
    return clauses
