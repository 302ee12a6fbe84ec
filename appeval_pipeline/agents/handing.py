"""What passes between an agent and whoever runs its episode: checked on the way in, copied on the way out.

An agent may be anybody's: what it says is sent, stored and done again, and what it is handed it may change.
"""

from __future__ import annotations

import json
import math
import operator
from dataclasses import replace
from typing import Any, Final

from appeval_pipeline.agents.protocol import (
    Action,
    Briefing,
    Exchange,
    InvalidAction,
    Reply,
    Stop,
    ToolCall,
    Turn,
    Usage,
)

_ENDLESS: Final = 2**53
"""Tokens that no trial takes, and that not every reader of JSON could count."""


def accepted(said: object) -> Turn:
    """An agent's turn, made of nothing but JSON's own types.

    An action that has what JSON has not (NaN, a set, half of a surrogate pair), or what is no text where
    there has to be one, says what is no action.

    Raises:
        TypeError: It is no turn, or its usage has no numbers.
        ValueError: Its usage has numbers that cannot be.
    """
    if not isinstance(said, Turn):
        raise TypeError(f"The agent's act returned {type(said).__name__}; expected a Turn")
    return Turn(_accepted_action(said.action), _accepted_usage(said.usage))


def apart(value: Any) -> Any:
    """A copy of a JSON value that shares nothing with it which can be changed."""
    if isinstance(value, dict):
        return {key: apart(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [apart(item) for item in value]
    return value


def handed_briefing(briefing: Briefing) -> Briefing:
    """The briefing for an agent: its tools are its own, and those of other trials stay as they are."""
    tools = (replace(tool, parameters=apart(tool.parameters)) for tool in briefing.tools)
    return replace(briefing, tools=tuple(tools))


def handed_exchange(exchange: Exchange) -> Exchange:
    """An exchange for an agent: without details, and apart from what is kept."""
    action, observation = exchange.action, exchange.observation
    if isinstance(action, ToolCall):
        action = ToolCall(action.name, apart(action.arguments))
    return Exchange(action, replace(observation, details={}))


def _accepted_action(action: Any) -> Action:
    try:
        text = json.dumps(action.to_dict(), allow_nan=False, ensure_ascii=False)
        read = json.loads(text.encode())
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        return InvalidAction(f"What was said is no JSON: {error}", _named(action))
    match action:
        case ToolCall(str(name)):
            return ToolCall(name, read["arguments"])
        case Reply(str()) | Stop() | InvalidAction(str(), str()):
            return action
        case _:
            return InvalidAction("What was said is no action: a text of it is none", text)


def _named(action: object) -> str:
    return ascii(action.name) if isinstance(action, ToolCall) else type(action).__name__


def _accepted_usage(usage: Usage) -> Usage:
    """The usage in Python's own numbers; libraries have others, which no JSON has."""
    cost = None if usage.cost_usd is None else float(usage.cost_usd)
    plain = Usage(operator.index(usage.prompt_tokens), operator.index(usage.completion_tokens), cost)
    tokens = (plain.prompt_tokens, plain.completion_tokens)
    if not all(0 <= count < _ENDLESS for count in tokens) or not (cost is None or 0 <= cost < math.inf):
        raise ValueError(f"The agent's usage cannot be: {plain}")
    return plain
