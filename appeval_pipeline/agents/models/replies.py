"""Answers as litellm has them, or shaped as they are, as ours."""

from __future__ import annotations

import json
from typing import Any

from appeval_pipeline.agents.models.protocol import ModelReply, RequestedCall
from appeval_pipeline.agents.protocol import Usage


def read_response(response: Any, usage: Usage, turn: int) -> ModelReply:
    """The first choice of an answer.

    Args:
        turn: Makes ids for calls that came without.

    Raises:
        LookupError, AttributeError, TypeError: It is no answer.
    """
    choice = response.choices[0]
    calls = tuple(
        RequestedCall(
            _text(call.id) or f"call_{turn}_{place}",
            _text(call.function.name),
            _arguments(call.function.arguments),
        )
        for place, call in enumerate(choice.message.tool_calls or ())
    )
    return ModelReply(_text(choice.message.content), calls, usage, _text(choice.finish_reason) or None)


def _arguments(value: object) -> str:
    """As text; some services send the object itself."""
    return json.dumps(value) if isinstance(value, dict) else _text(value)


def _text(value: object) -> str:
    """The text, or an empty one; half of a surrogate pair, which nobody can send or store, becomes ``?``."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""
