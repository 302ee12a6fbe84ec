"""Asking a model on behalf of one user, and counting what that takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from appeval_pipeline.agents import Usage
from appeval_pipeline.agents.models import Message, Model
from appeval_pipeline.errors import ModelError

T = TypeVar("T")

MOST_TRIES: Final = 3
"""How often a model is asked, in all, for an answer that can be used."""
MOST_CHARACTERS: Final = 20_000
"""Of a message."""


class UnusableError(Exception):
    """An answer is not what was asked for; says why."""


class Asker:
    """A model, asked for one message of a customer.

    Args:
        seed: Of the first question; each one after it has the next, or an answer that was no good would be
            given again.

    Attributes:
        seed: Of the next question.
        usage: What all questions have taken.
    """

    def __init__(self, model: Model, seed: int) -> None:
        self.seed = seed
        self.usage = Usage()
        self._model = model

    async def ask(self, messages: Sequence[Message]) -> str:
        """The text of the model's answer; empty if it has none.

        Raises:
            ModelError: There was no answer.
        """
        seed, self.seed = self.seed, self.seed + 1
        reply = await self._model.complete(messages, seed=seed)
        self.usage += reply.usage
        return reply.content

    async def ask_for(self, messages: Sequence[Message], read: Callable[[str], T]) -> T:
        """What can be read of the model's answer.

        Args:
            read: Raises `UnusableError` for an answer that is no good: the model is asked again.

        Raises:
            ModelError: There was no answer, or none that can be used.
        """
        why = ""
        for _ in range(MOST_TRIES):
            answer = await self.ask(messages)
            try:
                if len(answer) > MOST_CHARACTERS:
                    raise UnusableError(f"it has more than {MOST_CHARACTERS:,} characters")
                return read(answer)
            except UnusableError as error:
                why = str(error)
        raise ModelError(self._model.name, f"as the user it says what cannot be used: {why}", MOST_TRIES)
