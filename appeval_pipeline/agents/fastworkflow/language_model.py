"""Our models as DSPy's: every part of FastWorkflow asks through here."""

from __future__ import annotations

import importlib
from typing import Any

from appeval_pipeline.agents.fastworkflow.bridge import Bridge
from appeval_pipeline.agents.models import Message


def make_model(bridge: Bridge, policy: str) -> Any:
    """A ``dspy.LM`` that asks the event loop; DSPy caches nothing, and leaves it to others to try again."""
    dspy = importlib.import_module("dspy")
    return dspy.LM("appeval", engine=_Engine(bridge, policy), cache=False, num_retries=0)


class _Engine:
    """What DSPy asks when it has a prompt.

    Args:
        policy: Put before each system prompt: FastWorkflow has no place for it.
    """

    def __init__(self, bridge: Bridge, policy: str) -> None:
        self._bridge = bridge
        self._policy = policy

    def complete(self, request: Any) -> Any:
        """Answer a ``dspy.lm15.Request`` by a ``dspy.lm15.Response``.

        Raises:
            Ended: The episode is over.
        """
        lm15 = importlib.import_module("dspy").lm15
        reply = self._bridge.ask_model(self._messages(request))
        usage = lm15.Usage(
            input_tokens=reply.usage.prompt_tokens, output_tokens=reply.usage.completion_tokens
        )
        return lm15.Response(
            id=None,
            model=request.model,
            # There is no message without a part, nor a part without text.
            message=lm15.Message.assistant(reply.content or " "),
            finish_reason="length" if reply.finish_reason == "length" else "stop",
            usage=usage,
        )

    def _messages(self, request: Any) -> tuple[Message, ...]:
        system = "\n\n".join(text for text in (self._policy, _text_of(request.system)) if text)
        said = tuple(_message(message.role, _text_of(message.parts)) for message in request.messages)
        return (Message("system", system), *said) if system else said


def _message(role: str, text: str) -> Message:
    match role:
        case "assistant":
            return Message("assistant", text)
        case "developer" | "system":
            return Message("system", text)
        case _:
            return Message("user", text)


def _text_of(parts: Any) -> str:
    """The text of what may be none, text, or parts of which only texts count."""
    if parts is None or isinstance(parts, str):
        return parts or ""
    return "\n".join(part if isinstance(part, str) else str(getattr(part, "text", "")) for part in parts)
