"""Actions as calls of tools, for models that have them."""

from __future__ import annotations

import re
from typing import Final

from appeval_pipeline.agents.llm.arguments import NotAnObjectError, read_object
from appeval_pipeline.agents.llm.strategy import CUT, Question, Reading, excerpt, read_text, refused
from appeval_pipeline.agents.models import UNREADABLE, Message, ModelReply, RequestedCall
from appeval_pipeline.agents.protocol import Action, Briefing, Observation, ToolCall

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
"""What services take as a tool's name in a conversation; whether there is such a tool is another matter."""


class ToolStrategy:
    """The model is given the tools and calls one a turn.

    Where it asks for several at once, the first is carried out and the conversation keeps only that one, as
    in tau-bench's own loop: the others were decided on before it was known what comes of the first. A call
    of an unknown tool goes to the environment, which says that there is none.
    """

    def system(self, briefing: Briefing) -> str:
        """The policy, as it is."""
        return briefing.policy

    def question(self, briefing: Briefing) -> Question:
        """The tools."""
        return Question(tools=briefing.tools)

    def read(self, reply: ModelReply, briefing: Briefing) -> Reading:
        """The first call, or else the text as a reply."""
        if reply.finish_reason == "length":
            return _cut(reply)
        if reply.finish_reason == UNREADABLE:
            return refused(
                "The arguments of the call cannot be used: they are nested too deep, or too large.", ""
            )
        if not reply.tool_calls:
            return read_text(reply)
        call = reply.tool_calls[0]
        if not _NAME.fullmatch(call.name):
            return refused(
                f"'{excerpt(call.name)}' is no name of a tool.", f"{call.name}({excerpt(call.arguments)})"
            )
        try:
            # Models leave the text empty for tools without parameters.
            arguments = read_object(call.arguments if call.arguments.strip() else "{}")
        except NotAnObjectError as error:
            reason = f"The arguments of {call.name} cannot be used: {error}."
            return refused(reason, call.arguments, _keep(reply, RequestedCall(call.id, call.name, "{}")))
        return Reading(ToolCall(call.name, arguments), _keep(reply, call))

    def tell(self, said: Message, action: Action, observation: Observation) -> Message:
        """The tool's answer to a call, or what the user says to a reply."""
        if said.calls:
            return Message("tool", observation.content, answers=said.calls[0].id)
        return Message("user", observation.content)


def _keep(reply: ModelReply, call: RequestedCall) -> Message:
    """The answer with that call only.

    One whose arguments are no JSON is kept with ``{}``, for services refuse conversations with broken ones.
    """
    return Message("assistant", reply.content, calls=(call,))


def _cut(reply: ModelReply) -> Reading:
    """An answer that ends before its end: what is there of it may mean something else than the whole."""
    calls = "".join(f"{call.name}({call.arguments}" for call in reply.tool_calls[:1])
    return refused(CUT, reply.content + calls)
