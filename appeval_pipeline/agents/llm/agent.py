"""The agent that asks a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from appeval_pipeline.agents.llm.schema_mode import SchemaStrategy
from appeval_pipeline.agents.llm.strategy import Strategy
from appeval_pipeline.agents.llm.tool_mode import ToolStrategy
from appeval_pipeline.agents.models import Message, Model
from appeval_pipeline.agents.protocol import Action, Briefing, Exchange, Turn

Mode: TypeAlias = Literal["tools", "schema"]

_STRATEGIES: Final[dict[Mode, type[Strategy]]] = {"tools": ToolStrategy, "schema": SchemaStrategy}


class LlmAgent:
    """Keeps a conversation with a model and asks it for one action a turn.

    The policy is the system prompt and the task the user's first message. What comes of an action goes back
    into the conversation; so does why an answer was no action, where the limits allow another try.

    Args:
        model: Who is asked.
        mode: ``tools`` for models that call tools, ``schema`` for those that do not; or a strategy.
    """

    def __init__(self, model: Model, mode: Mode | Strategy = "tools", name: str = "llm") -> None:
        self.name = name
        self._model = model
        self._strategy: Strategy = _STRATEGIES[mode]() if isinstance(mode, str) else mode
        self._briefing = Briefing("", "", ())
        self._seed = 0
        self._conversation: list[Message] = []
        self._last: tuple[Message, Action] | None = None

    async def start(self, briefing: Briefing, seed: int) -> None:
        """Begin a conversation."""
        self._briefing, self._seed, self._last = briefing, seed, None
        self._conversation = [
            Message("system", self._strategy.system(briefing)),
            Message("user", briefing.message),
        ]

    async def act(self, history: Sequence[Exchange]) -> Turn:
        """Tell the model what came of its last action, and ask for the next.

        Raises:
            ModelError: There was no answer.
        """
        if self._last is not None and history:
            said, action = self._last
            self._conversation.append(self._strategy.tell(said, action, history[-1].observation))
        question = self._strategy.question(self._briefing)
        reply = await self._model.complete(
            self._conversation, tools=question.tools, schema=question.schema, seed=self._seed
        )
        reading = self._strategy.read(reply, self._briefing)
        self._conversation.append(reading.said)
        self._last = (reading.said, reading.action)
        return Turn(reading.action, reply.usage)
