"""What agents and environments are to each other: the same for simulated apps and for tau-bench.

An environment gives a policy, tools and a first message, answers each action with an observation, and gives a
reward when the episode ends. An agent sees the messages and tools, and returns an action. Both are
asynchronous, since either may ask a model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

JsonObject: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """Something an agent may call; ``parameters`` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: JsonObject

    def to_dict(self) -> dict[str, Any]:
        """The tool as function calling APIs take it."""
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """An agent calls a tool."""

    name: str
    arguments: JsonObject

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "tool_call", "name": self.name, "arguments": dict(self.arguments)}


@dataclass(frozen=True, slots=True)
class Reply:
    """An agent says something, to the user where there is one."""

    content: str

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "reply", "content": self.content}


@dataclass(frozen=True, slots=True)
class Stop:
    """An agent has nothing more to do."""

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "stop"}


@dataclass(frozen=True, slots=True)
class InvalidAction:
    """What an agent said is no action: its arguments are no JSON, say.

    Attributes:
        reason: Why, as the agent may be told.
        raw: What it said.
    """

    reason: str
    raw: str

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "invalid_action", "reason": self.reason, "raw": self.raw}


Action: TypeAlias = ToolCall | Reply | Stop | InvalidAction


@dataclass(frozen=True, slots=True)
class Usage:
    """What a turn took of a model; ``cost_usd`` is None where the price is not known."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost_usd is None or other.cost_usd is None else self.cost_usd + other.cost_usd
        return Usage(
            self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens, cost
        )

    @property
    def tokens(self) -> int:
        """Prompt and completion together."""
        return self.prompt_tokens + self.completion_tokens

    def to_dict(self) -> dict[str, Any]:
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost_usd": self.cost_usd,
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """An agent's action, and what deciding on it took."""

    action: Action
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Briefing:
    """What an agent is told before the first step.

    Attributes:
        policy: The rules it has to keep, for a system prompt.
        message: The task, or what the user says first.
        tools: What it may call.
    """

    policy: str
    message: str
    tools: tuple[Tool, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """How an environment answers an action.

    Attributes:
        content: The answer in words or JSON text, as the agent gets it.
        done: Whether the episode is over.
        error: Why the action failed; None if it succeeded.
        error_kind: What kind of failure; None if it succeeded.
        details: What else is worth keeping of the step, as plain JSON: changes of the state, say. Agents do
            not get it.
        usage: What answering took of a model: a simulated user's.
    """

    content: str
    done: bool = False
    error: str | None = None
    error_kind: str | None = None
    details: JsonObject = field(default_factory=dict)
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Exchange:
    """An action of the agent's, and the environment's answer."""

    action: Action
    observation: Observation


@dataclass(frozen=True, slots=True)
class Reward:
    """How an episode is judged.

    Attributes:
        value: 0 to 1.
        info: What it is made of, as plain JSON.
    """

    value: float
    info: JsonObject = field(default_factory=dict)


@runtime_checkable
class Agent(Protocol):
    """Whoever acts; one agent is used for one episode at a time."""

    name: str

    async def start(self, briefing: Briefing, seed: int) -> None:
        """Begin an episode; ``seed`` decides whatever is left to chance."""

    async def act(self, history: Sequence[Exchange]) -> Turn:
        """Decide on the next action, given all that happened so far."""


@runtime_checkable
class Environment(Protocol):
    """Whatever is acted on; one environment is one episode."""

    async def start(self) -> Briefing:
        """Begin the episode."""

    async def step(self, action: ToolCall | Reply) -> Observation:
        """Answer an action."""

    async def reward(self) -> Reward:
        """Judge the episode as it stands; asked once, when it is over."""
