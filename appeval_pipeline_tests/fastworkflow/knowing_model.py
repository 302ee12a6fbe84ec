"""A model that knows what to do, and tells FastWorkflow so in the form in which each of its parts asks."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.agents.models import Message, ModelReply
from appeval_pipeline.agents.protocol import JsonObject, Tool, Usage
from appeval_pipeline.taubench import TauTask

USAGE = Usage(100, 10, 0.01)
_FIELD = re.compile(r"\[\[ ## (\w+) ## \]\]")
_JSON_FIELD = re.compile(r"`(\w+)`")


@dataclass(frozen=True)
class Ask:
    """Ask the user something in the midst of a turn."""

    question: str


@dataclass(frozen=True)
class Raw:
    """Give a command as it is."""

    command: str


Doing = ToolCall | Ask | Raw


@dataclass(frozen=True)
class Turn:
    """What is done until the user gets an answer, and the answer."""

    doing: tuple[Doing, ...]
    answer: str = "Done."


def solving(task: TauTask) -> KnowingModel:
    """One that carries out what a task expects, and says what it requires."""
    calls = tuple(call for call in task.actions if call.name != "respond")
    return KnowingModel([Turn(calls, "\n".join(task.outputs) or "Done.")])


@dataclass
class KnowingModel:
    """Does what it knows, turn by turn.

    Attributes:
        extracts: Whether it can read parameters out of a command when FastWorkflow asks it to.
        prompts: What it was asked, as system prompt and last message.
    """

    turns: Sequence[Turn]
    extracts: bool = True
    name: str = "knowing"
    prompts: list[tuple[str, str]] = field(default_factory=list)
    seeds: set[int | None] = field(default_factory=set)
    _turn: int = 0
    _done: int = 0

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Tool] = (),
        schema: JsonObject | None = None,
        seed: int | None = None,
    ) -> ModelReply:
        self.seeds.add(seed)
        return ModelReply(self.answer(messages[0].content, messages[-1].content), usage=USAGE)

    def answer(self, system: str, asked: str) -> str:
        self.prompts.append((system, asked))
        wanted = asked[asked.rindex("Respond with") :]
        if "Respond with a JSON object" in wanted:
            return json.dumps(self._parameters(_JSON_FIELD.findall(wanted)) if self.extracts else {})
        values = self._values(wanted)
        fields = [name for name in _FIELD.findall(wanted) if name != "completed"]
        return "\n\n".join(f"[[ ## {name} ## ]]\n{values[name]}" for name in [*fields, "completed"])

    def _values(self, wanted: str) -> dict[str, str]:
        values = {
            "reasoning": "As it should be.",
            "next_steps": "1. Do it.",
            "next_thought": "Go on.",
            "conversation_summary": "All was done.",
            "clarified_command": "",
            "needs_human": "True",
            "clarification_question": "What do you mean?",
            "completed": "",
        }
        if "next_tool_name" in wanted:
            name, arguments = self._next()
            values |= {"next_tool_name": name, "next_tool_args": json.dumps(arguments)}
        if "final_answer" in wanted:
            values["final_answer"] = self.turns[self._turn].answer
            self._turn, self._done = self._turn + 1, 0
        return values

    def _next(self) -> tuple[str, dict[str, str]]:
        doing = self.turns[self._turn].doing
        if self._done == len(doing):
            return "finish", {}
        self._done += 1
        match doing[self._done - 1]:
            case Ask(question):
                return "ask_user", {"clarification_request": question}
            case Raw(command):
                return "execute_workflow_query", {"command": command}
            case ToolCall() as call:
                return "execute_workflow_query", {"command": written(call)}

    def _parameters(self, names: Sequence[str]) -> dict[str, object]:
        """Those of the command that is being carried out."""
        call = self.turns[self._turn].doing[self._done - 1]
        assert isinstance(call, ToolCall)
        return {"reasoning": "As said."} | {name: call.arguments.get(name) for name in names[1:]}


def written(call: ToolCall) -> str:
    """A call as FastWorkflow has its commands written."""
    tags = [
        f"<{name}>{value if isinstance(value, str) else json.dumps(value)}</{name}>"
        for name, value in call.arguments.items()
    ]
    return " ".join([call.name, *tags])
