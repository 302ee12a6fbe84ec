"""Actions as JSON text of a given schema, for models without tool calling."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from appeval_pipeline.agents.llm.arguments import NotAnObjectError, read_object
from appeval_pipeline.agents.llm.strategy import CUT, Question, Reading, refused
from appeval_pipeline.agents.models import Message, ModelReply
from appeval_pipeline.agents.protocol import (
    Action,
    Briefing,
    InvalidAction,
    JsonObject,
    Observation,
    Reply,
    Tool,
    ToolCall,
)

RESPOND: Final = "respond"
LONGEST_TEXT: Final = 500
"""Characters of any text in an answer, where the tool does not need more: small models do not find an end."""
MOST_ITEMS: Final = 20
_KEPT: Final = (
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "minLength",
    "minItems",
    "additionalProperties",
)
"""What goes into the schema as it is. Patterns, defaults and descriptions do not: not every service that
constrains answers knows them. The system prompt has all of it."""


class SchemaStrategy:
    """The model is told the tools in words, and its answer is JSON that names one of them, or ``respond``."""

    def system(self, briefing: Briefing) -> str:
        """The policy, the tools, and the form of an answer."""
        return (
            f"{briefing.policy}\n\n"
            f"The tools, one a line:\n{describe_tools(briefing.tools)}\n\n"
            'Answer with one JSON object and nothing else. To call a tool: {"name": "its name", "arguments": '
            '{…}}. To say something: {"name": "' + respond_name(briefing.tools) + '", "arguments": '
            '{"content": "what you say"}}.'
        )

    def question(self, briefing: Briefing) -> Question:
        """The schema of all actions."""
        return Question(schema=action_schema(briefing.tools))

    def read(self, reply: ModelReply, briefing: Briefing) -> Reading:
        """The action that the text names; a tool that there is not is for the environment to refuse."""
        if reply.finish_reason == "length":
            return refused(CUT, reply.content)
        return read_named(reply.content, reply.content, briefing)

    def tell(self, said: Message, action: Action, observation: Observation) -> Message:
        """What came of a call, or what the user says."""
        match action:
            case ToolCall():
                return Message("user", f"{action.name} answered: {observation.content}")
            case InvalidAction():
                return Message("user", f"{observation.content} {_FORM}")
            case _:
                return Message("user", observation.content)


def read_named(text: str, said: str, briefing: Briefing) -> Reading:
    """The action that a JSON object names: ``{"name": …, "arguments": {…}}``, and by ``respond`` a reply.

    Args:
        said: The answer that the text is of.
    """
    try:
        answer = read_object(text)
    except NotAnObjectError as error:
        return refused(f"The answer cannot be used: {error}.", said)
    name, arguments = answer.get("name"), answer.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return refused("The answer names no tool.", said)
    kept = Message("assistant", said)
    if name != respond_name(briefing.tools):
        return Reading(ToolCall(name, arguments), kept)
    content = arguments.get("content")
    if not isinstance(content, str) or not content.strip():
        return refused("Nothing was said: expected a text as content.", said)
    return Reading(Reply(content), kept)


def describe_tools(tools: Sequence[Tool]) -> str:
    """The tools in JSON, one a line."""
    return "\n".join(
        json.dumps(
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
            ensure_ascii=False,
        )
        for tool in tools
    )


_FORM: Final = 'Expected one JSON object: {"name": "…", "arguments": {…}}.'


def respond_name(tools: Sequence[Tool]) -> str:
    """By which name something is said: ``respond``, unless a tool has that name."""
    taken = {tool.name for tool in tools}
    name = RESPOND
    while name in taken:
        name += "_"
    return name


def action_schema(tools: Sequence[Tool]) -> JsonObject:
    """The JSON Schema of an action: one alternative a tool, and one for saying something."""
    content = {"content": {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}}
    say = {"type": "object", "properties": content, "required": ["content"], "additionalProperties": False}
    actions = [(tool.name, bounded(tool.parameters)) for tool in tools]
    return {
        "anyOf": [
            {
                "type": "object",
                "properties": {"name": {"const": name}, "arguments": arguments},
                "required": ["name", "arguments"],
                "additionalProperties": False,
            }
            for name, arguments in [*actions, (respond_name(tools), say)]
        ]
    }


def bounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose texts and lists end, without what a service may not know."""
    made = {key: schema[key] for key in _KEPT if key in schema}
    match schema.get("type"):
        case "string" if "enum" not in schema:
            made["maxLength"] = _bound(schema, "Length", LONGEST_TEXT)
        case "array":
            made["maxItems"] = _bound(schema, "Items", MOST_ITEMS)
            if "items" in schema:
                made["items"] = bounded(schema["items"])
        case "object":
            made["properties"] = {
                name: bounded(inner) for name, inner in schema.get("properties", {}).items()
            }
            made["required"] = list(schema.get("required", ()))
        case _:
            pass
    return made


def _bound(schema: Mapping[str, Any], of: str, most: int) -> int:
    least, own = schema.get(f"min{of}", 0), schema.get(f"max{of}", most)
    return max(int(least), min(int(own), most))
