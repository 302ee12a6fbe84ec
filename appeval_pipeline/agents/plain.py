"""Agents that need no model: baselines, and what was recorded."""

from __future__ import annotations

import math
import random
import string
from collections.abc import Mapping, Sequence
from typing import Any, Final

from appeval_pipeline.agents.protocol import Action, Briefing, Exchange, Stop, Tool, ToolCall, Turn

_WORDS: Final = string.ascii_lowercase
_OPTIONAL: Final = 0.5
"""How often a parameter that may be left out is given."""


class NoopAgent:
    """Does nothing at all: what it scores, a task gives away."""

    name = "noop"

    async def start(self, briefing: Briefing, seed: int) -> None:
        """Nothing to prepare."""

    async def act(self, history: Sequence[Exchange]) -> Turn:
        """Stop."""
        return Turn(Stop())


class ReplayAgent:
    """Does what it is given, in order, whatever comes of it, and stops."""

    def __init__(self, actions: Sequence[Action], name: str = "replay") -> None:
        self.name = name
        self._actions = tuple(actions)

    async def start(self, briefing: Briefing, seed: int) -> None:
        """Nothing to prepare."""

    async def act(self, history: Sequence[Exchange]) -> Turn:
        """The action whose turn it is."""
        done = len(history)
        return Turn(self._actions[done] if done < len(self._actions) else Stop())


class RandomAgent:
    """Calls any tool with any arguments that its schema accepts; the same seed does the same.

    Args:
        values: Values worth trying, by any parameter that accepts them: ids of agents, say, which no schema
            tells. Without any, texts are made up.
    """

    name = "random"

    def __init__(self, values: Sequence[Any] = ()) -> None:
        self._values = tuple(values)
        self._random = random.Random(0)
        self._tools: tuple[Tool, ...] = ()

    async def start(self, briefing: Briefing, seed: int) -> None:
        """Note the tools, and begin a new sequence of choices."""
        self._random = random.Random(seed)
        self._tools = briefing.tools

    async def act(self, history: Sequence[Exchange]) -> Turn:
        """Any tool, any arguments."""
        if not self._tools:
            return Turn(Stop())
        tool = self._random.choice(self._tools)
        required = set(tool.parameters.get("required", ()))
        arguments = {
            name: self._value(schema)
            # The order of a schema's keys means nothing, and a stored definition may have another.
            for name, schema in sorted(tool.parameters.get("properties", {}).items())
            if name in required or self._random.random() < _OPTIONAL
        }
        return Turn(ToolCall(tool.name, arguments))

    def _value(self, schema: Mapping[str, Any]) -> Any:
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        kind = schema.get("type")
        fitting = [value for value in self._values if _kind(value) == kind]
        if fitting:
            return self._random.choice(fitting)
        match kind:
            case "boolean":
                return self._random.random() < 0.5
            case "number" | "integer":
                most = schema.get("maximum", 0)
                low = schema.get("minimum", 0 if most >= 0 else most - 100)
                high = schema.get("maximum", max(low, 0) + 100)
                first, last = math.ceil(low), math.floor(high)
                whole = first <= last
                return self._random.randint(first, last) if whole else self._random.uniform(low, high)
            case "array":
                return []
            case "object":
                return {}
            case _:
                length = max(int(schema.get("minLength", 1)), 1)
                return "".join(self._random.choices(_WORDS, k=min(length, 1000)))


def _kind(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
