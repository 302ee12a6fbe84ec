"""Actions in text, after a thought or without one: for any model that keeps to a form."""

from __future__ import annotations

import re
from typing import Final

from appeval_pipeline.agents.llm.arguments import MOST_CHARACTERS
from appeval_pipeline.agents.llm.schema_mode import describe_tools, read_named, respond_name
from appeval_pipeline.agents.llm.strategy import CUT, Question, Reading, refused
from appeval_pipeline.agents.models import Message, ModelReply
from appeval_pipeline.agents.protocol import Action, Briefing, InvalidAction, Observation, ToolCall

_LABEL: Final = re.compile(r"^[ \t]*Action:", re.MULTILINE)
_LABEL_WITHIN: Final = re.compile(r"\bAction:\s*(?=[{`])")
"""On the line of the thought."""
_FENCE: Final = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)


class TextStrategy:
    """The model writes ``Thought:`` and ``Action:``, or only the latter; that is JSON which names a tool.

    Nothing but the action leaves the model; the thought stays in the conversation. As in tau-bench, whose
    agents ``react`` and ``act`` these are, an answer without a label is an action if it is JSON as a whole.
    Other than there, one that cannot be read is no action, not something said to the user; and JSON may stand
    in a Markdown fence.

    Args:
        thinks: Whether a thought is asked for.
    """

    def __init__(self, thinks: bool) -> None:
        self._thinks = thinks

    def system(self, briefing: Briefing) -> str:
        """The policy, the tools, and the form of an answer."""
        respond = respond_name(briefing.tools)
        thought = (
            "Thought:\nOne line: what you know by now, and what follows from it.\n" if self._thinks else ""
        )
        parts = "a Thought and an Action" if self._thinks else "an Action"
        return (
            f"{briefing.policy}\n\n"
            f"The tools, one a line:\n{describe_tools(briefing.tools)}\n\n"
            f"Each of your answers has {parts}, in this form and with nothing after it:\n\n"
            f"{thought}"
            'Action:\n{"name": "the name of a tool", "arguments": {"its parameter": "a value"}}\n\n'
            "The Action is one JSON object. To say something to the user, the name is "
            f'"{respond}": {{"name": "{respond}", "arguments": {{"content": "what you say"}}}}. '
            "Take one step at a time: you are told what came of it before the next. Make nothing up."
        )

    def question(self, briefing: Briefing) -> Question:
        """Nothing beside the conversation."""
        return Question()

    def read(self, reply: ModelReply, briefing: Briefing) -> Reading:
        """The action; a tool that there is not is for the environment to refuse."""
        if reply.finish_reason == "length":
            return refused(CUT, reply.content)
        if len(reply.content) > MOST_CHARACTERS:
            return refused(
                f"The answer is too long; expected at most {MOST_CHARACTERS:,} characters.", reply.content
            )
        return read_named(_action_of(reply.content), reply.content, briefing)

    def tell(self, said: Message, action: Action, observation: Observation) -> Message:
        """What came of a call, or what the user says, as text."""
        match action:
            case ToolCall():
                return Message("user", f"{action.name} answered: {observation.content}")
            case InvalidAction():
                form = "a Thought, then an Action" if self._thinks else "an Action"
                return Message("user", f"{observation.content} Expected {form} that is one JSON object.")
            case _:
                return Message("user", observation.content)


def _action_of(text: str) -> str:
    """What stands behind the last label; the whole text where there is none."""
    labels = list(_LABEL.finditer(text)) or list(_LABEL_WITHIN.finditer(text))
    action = text[labels[-1].end() :].strip() if labels else text.strip()
    fenced = _FENCE.fullmatch(action)
    return fenced[1] if fenced else action
