"""How a simulated customer comes to what it says: the strategies of tau-bench, in words of our own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from appeval_pipeline.agents.models import Message
from appeval_pipeline.taubench.users.asking import Asker, UnusableError
from appeval_pipeline.taubench.users.protocol import STOP

MOST_DRAFTS: Final = 3
"""Of one message; the last one is sent, whatever the supervisor thinks of it."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a customer remembers.

    Attributes:
        instruction: What it wants.
        messages: Its part, then by turns the agent (``user``) and the customer (``assistant``): the model
            that plays it is the assistant of its own conversation.
    """

    instruction: str
    messages: list[Message]

    def transcript(self) -> str:
        """What was said, as others may read it."""
        names = {"user": "Agent", "assistant": "Customer"}
        return "\n".join(f"{names[one.role]}: {one.content}" for one in self.messages if one.role in names)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message: ``said`` to the agent, ``kept`` in the customer's memory."""

    said: str
    kept: str


class UserStrategy(Protocol):
    """A way of speaking; without state, so that one serves many conversations.

    Attributes:
        form: What a model is told of the form of its answers.
        place: What of an answer is to be the word that ends the conversation.
    """

    form: str
    place: str

    async def speak(self, asker: Asker, conversation: Conversation) -> Utterance:
        """The next message, which is not yet in the conversation.

        Raises:
            ModelError: There was no answer, or none that can be used.
        """


class PlainStrategy:
    """tau-bench's ``llm``: the model's answer is the message."""

    form = "Your answer is one message, a line or so, as the customer would write it, and nothing else."
    place = "your answer"

    async def speak(self, asker: Asker, conversation: Conversation) -> Utterance:
        """Ask once."""
        said = await _draft(asker, conversation.messages)
        return Utterance(said, said)


class ReactStrategy:
    """tau-bench's ``react``: a thought first, which the agent does not get.

    tau-bench's own reading sends the thought as well, and ends a conversation whose thought names the word.
    """

    form = (
        "Your answer has two parts. `Thought:` and a line on what to do next, which the agent does not see; "
        "then `User Response:` and one message, a line or so, as the customer would write it."
    )
    place = "the User Response"

    async def speak(self, asker: Asker, conversation: Conversation) -> Utterance:
        """Ask, and send what stands behind the last label."""
        return await asker.ask_for(conversation.messages, _read_response)


_RESPONSE: Final = re.compile(r"\bUser Response:\**", re.IGNORECASE)


def _read_response(answer: str) -> Utterance:
    said = _RESPONSE.split(answer)[-1].strip() if _RESPONSE.search(answer) else ""
    if not said and answer.strip() == STOP:
        said = STOP
    if not said:
        raise UnusableError("it has no User Response")
    return Utterance(said, answer)


class VerifyingStrategy:
    """tau-bench's ``verify``: a supervisor, played by the same model, has to accept a message."""

    form = PlainStrategy.form
    place = PlainStrategy.place

    async def speak(self, asker: Asker, conversation: Conversation) -> Utterance:
        """Draft until the supervisor accepts, three times at most."""
        return await _supervised(asker, conversation, reflects=False)


class ReflectingStrategy:
    """tau-bench's ``reflection``: as ``verify``, and the supervisor says what is wrong with a message."""

    form = PlainStrategy.form
    place = PlainStrategy.place

    async def speak(self, asker: Asker, conversation: Conversation) -> Utterance:
        """Draft until the supervisor accepts, three times at most, each time with what was wrong before."""
        return await _supervised(asker, conversation, reflects=True)


async def _supervised(asker: Asker, conversation: Conversation, *, reflects: bool) -> Utterance:
    remarks: list[Message] = []
    for draft in range(1, MOST_DRAFTS + 1):
        said = await _draft(asker, [*conversation.messages, *remarks])
        if draft == MOST_DRAFTS or await _accepted(asker, conversation, said):
            break
        if reflects:
            reflection = await asker.ask([Message("user", _question(_REFLECT, conversation, said))])
            remark = f"(This was not sent. {reflection.strip()} Write your message anew.)"
            remarks += [Message("assistant", said), Message("user", remark)]
    return Utterance(said, said)


async def _draft(asker: Asker, messages: Sequence[Message]) -> str:
    return await asker.ask_for(messages, _read_message)


def _read_message(answer: str) -> str:
    if not answer.strip():
        raise UnusableError("it is empty")
    return answer.strip()


async def _accepted(asker: Asker, conversation: Conversation, said: str) -> bool:
    verdict = await asker.ask([Message("user", _question(_VERIFY, conversation, said))])
    found = _VERDICT.search(verdict)
    return found is not None and found[0].lower() == "true"


_VERDICT: Final = re.compile(r"\b(true|false)\b", re.IGNORECASE)


def _question(template: str, conversation: Conversation, said: str) -> str:
    return template.format(
        instruction=conversation.instruction, transcript=conversation.transcript(), said=said
    )


_SITUATION: Final = f"""\
You supervise somebody who plays a customer. What the customer wants:

{{instruction}}

What was said so far:

{{transcript}}

What the customer is about to say:

{{said}}

It is good if it fits what the customer wants, invents nothing, gives away no more than the moment needs, \
and is {STOP} just when all is achieved."""

_VERIFY: Final = f"{_SITUATION}\n\nIs it good? Answer with one word: true or false."
_REFLECT: Final = (
    f"{_SITUATION}\n\nIt is not good. Say in a sentence or two what is wrong, and what to say instead."
)
