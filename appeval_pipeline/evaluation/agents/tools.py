"""An app as agents see it: its actions as tools, and what they are told."""

from __future__ import annotations

from typing import Any

from appeval_pipeline.agents import Briefing, Tool
from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.schema import ActionDefinition, ParamSpec
from appeval_pipeline.evaluation.agents.task import EvaluationTask

_LIMITS = {
    "min_value": "minimum",
    "max_value": "maximum",
    "pattern": "pattern",
    "enum": "enum",
    "default": "default",
    "description": "description",
}
_LENGTHS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
}


def briefing_of(app: AppDefinition, task: EvaluationTask) -> Briefing:
    """What an agent is told before it begins."""
    others = ", ".join(name for name in task.agent_ids if name != task.agent.id) or "nobody"
    policy = (
        f"You are the agent '{task.agent.id}' and use the app '{app.name}'. {app.description or ''}\n"
        f"Others who use it: {others}.\n"
        "Act only by calling the tools, one at a time. You are told at once when the task is done. If "
        "nothing more can be done, stop."
    )
    return Briefing(policy, task.description, tuple(map(tool_of, app.actions)))


def tool_of(action: ActionDefinition) -> Tool:
    """The action as a tool, its parameters as a JSON Schema."""
    required = [name for name, spec in action.parameters.items() if spec.required and spec.default is None]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {name: _schema_of(spec) for name, spec in action.parameters.items()},
        "required": required,
        "additionalProperties": False,
    }
    return Tool(action.name, action.description or action.name.replace("_", " "), schema)


def _schema_of(spec: ParamSpec) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": spec.type}
    for field, key in _LIMITS.items():
        value = getattr(spec, field)
        if value is not None:
            schema[key] = value
    if spec.type in _LENGTHS:
        for value, key in zip((spec.min_length, spec.max_length), _LENGTHS[spec.type], strict=True):
            if value is not None:
                schema[key] = value
    return schema
