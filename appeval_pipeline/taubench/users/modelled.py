"""A customer whom a model plays."""

from __future__ import annotations

from typing import Final

from appeval_pipeline.agents import Usage
from appeval_pipeline.agents.models import Message, Model
from appeval_pipeline.taubench.users.asking import Asker
from appeval_pipeline.taubench.users.protocol import STOP, UserReply
from appeval_pipeline.taubench.users.strategies import Conversation, UserStrategy

GREETING: Final = "Hi! How can I help you today?"
"""With which every conversation begins in tau-bench; the agent is not told of it."""

_PART: Final = f"""\
You play a customer who talks to an agent of a service. Who you are, and what you want:

{{instruction}}

How you talk:
- {{form}}
- Say what the moment needs and no more; the rest comes when it is asked for, or when its time has come.
- You know what stands above, and nothing else. Asked for something that is not there, such as the number of \
an order, say that you do not remember it or do not have it.
- Use words of your own; do not recite what stands above.
- Stay as natural as you can, and in character, if you were given one.
- Once all that you want is achieved, {{place}} is {STOP} and nothing else: that ends the conversation.
"""


class ModelledUser:
    """Knows the instruction, says one message at a time, and ends the conversation when it is content.

    Args:
        model: Who plays it.
        seed: Decides what the model leaves to chance, as far as it can.
        strategy: How it comes to what it says.

    Attributes:
        usage: What all questions have taken, also those that came to nothing.
    """

    def __init__(self, model: Model, seed: int, strategy: UserStrategy) -> None:
        self.usage = Usage()
        self._model = model
        self._seed = seed
        self._strategy = strategy
        self._conversation = Conversation("", [])

    async def start(self, instruction: str) -> UserReply:
        """Answer the greeting.

        Raises:
            ModelError: There was no answer, or none that can be used.
        """
        strategy = self._strategy
        part = _PART.format(instruction=instruction, form=strategy.form, place=strategy.place)
        self._conversation = Conversation(instruction, [Message("system", part)])
        return await self.reply(GREETING)

    async def reply(self, agent_says: str) -> UserReply:
        """Answer the agent.

        Raises:
            ModelError: As above.
        """
        self._conversation.messages.append(Message("user", agent_says))
        asker = Asker(self._model, self._seed)
        try:
            utterance = await self._strategy.speak(asker, self._conversation)
        finally:
            self.usage += asker.usage
        self._seed = asker.seed
        self._conversation.messages.append(Message("assistant", utterance.kept))
        return UserReply(utterance.said, STOP in utterance.said, asker.usage)
