"""A task for agents as data: where they start, and what has to become true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, JsonValue, ValidationError, field_validator

from appeval_pipeline.appdef.documents import DocumentError, read_document
from appeval_pipeline.appdef.hashing import content_hash
from appeval_pipeline.appdef.loading import find_key, schema_faults
from appeval_pipeline.appdef.schema import AppId, SchemaModel
from appeval_pipeline.engine import Access
from appeval_pipeline.errors import ExpressionError, Fault, TaskError
from appeval_pipeline.evaluation.scenarios.schema import (
    AgentId,
    InitialState,
    ScenarioAgent,
    also_ids,
    applies_to_version,
    check_version_range,
)
from appeval_pipeline.expr.compiled import check_names
from appeval_pipeline.expr.parsing import parse

MAX_STEPS: Final = 1_000
"""Of one task."""


def _also_an_id(schema: dict[str, Any]) -> None:
    """Tell editors that the agent may be given by its id alone."""
    reference = schema.pop("$ref")
    schema["anyOf"] = [{"$ref": reference}, {"type": "string", "minLength": 1}]


_CONTAINERS: Final[Mapping[str, type[SchemaModel]]] = {
    "agent": ScenarioAgent,
    "other_agents": ScenarioAgent,
    "initial_state": InitialState,
}


class EvaluationTask(SchemaModel):
    """Something for an agent to achieve with an app.

    Attributes:
        description: What the agent is told to do.
        agent: Who acts: an id, or an object with ``id``, ``role`` and ``role_tags``.
        other_agents: Who else is there; they do nothing by themselves.
        goal_condition: The expression that has to become true. It may name each agent by its id, ``agent``
            (who acts), ``agents``, ``shared`` and ``config``.
        max_steps: Actions that the agent may take.
        optimal_steps: How few are enough, where the author knows.
        candidate_values: Values for parameters that a search tries in place of those it would find, by the
            parameter's name, or by ``action.parameter``.
    """

    name: Annotated[str, Field(min_length=1, max_length=200)]
    description: Annotated[str, Field(min_length=1, max_length=5_000)]
    app_id: AppId
    applies_to: str | None = None
    tags: list[str] = Field(default_factory=list)
    agent: Annotated[ScenarioAgent, Field(json_schema_extra=_also_an_id)]
    other_agents: list[ScenarioAgent] = Field(default_factory=list, json_schema_extra=also_ids)
    initial_state: InitialState = Field(default_factory=InitialState)
    config: dict[str, JsonValue] = Field(default_factory=dict)
    goal_condition: str
    max_steps: Annotated[int, Field(ge=1, le=MAX_STEPS)] = 20
    optimal_steps: Annotated[int, Field(ge=0, le=MAX_STEPS)] | None = None
    candidate_values: dict[str, list[JsonValue]] = Field(default_factory=dict)

    @field_validator("agent", mode="before")
    @classmethod
    def _named_agent(cls, value: object) -> object:
        """An agent may be given by its id alone."""
        return {"id": value} if isinstance(value, str) else value

    @field_validator("other_agents", mode="before")
    @classmethod
    def _named_agents(cls, value: object) -> object:
        if isinstance(value, list):
            return [{"id": agent} if isinstance(agent, str) else agent for agent in value]
        return value

    @field_validator("applies_to")
    @classmethod
    def _is_range(cls, value: str | None) -> str | None:
        if value is not None:
            check_version_range(value)
        return value

    def applies(self, version: int) -> bool:
        """Whether the task is meant for that version of the app."""
        return self.applies_to is None or applies_to_version(self.applies_to, version)

    @property
    def agent_ids(self) -> list[AgentId]:
        """Everyone who is there: who acts first, then the others, then whom only the state names."""
        named = (self.agent.id, *(agent.id for agent in self.other_agents), *self.initial_state.per_agent)
        return list(dict.fromkeys(named))

    @property
    def roles(self) -> dict[str, Access]:
        """What each agent may be admitted by."""
        return {agent.id: agent.access for agent in (self.agent, *self.other_agents)}

    @property
    def goal_names(self) -> frozenset[str]:
        """What the goal may name."""
        return frozenset((*self.agent_ids, "agent", "agents", "shared", "config"))

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of what the task says, in hexadecimal; comments and the order of keys do not count."""
        return content_hash(self.model_dump(mode="json"))

    def to_dict(self) -> dict[str, Any]:
        """What the task says, as plain JSON."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


def load_task(source: str | Path | Mapping[str, object]) -> EvaluationTask:
    """Read and check a task.

    Args:
        source: A path, a mapping, or YAML or JSON text.

    Raises:
        TaskError: It cannot be used; ``faults`` lists everything that is wrong.
    """
    try:
        document = read_document(source)
    except DocumentError as error:
        raise TaskError([error.fault], error.source) from None
    try:
        task = EvaluationTask.model_validate(document.data)
    except ValidationError as error:
        faults = schema_faults(error, document, EvaluationTask, _CONTAINERS, {})
        raise TaskError(faults, document.source) from None
    problems = [
        Fault(at, message, document.line(find_key(document.data, at))) for at, message in _check(task)
    ]
    if problems:
        raise TaskError(problems, document.source)
    return task


def _check(task: EvaluationTask) -> Iterator[tuple[str, str]]:
    """What is wrong beyond the schema: location and message."""
    named = [task.agent.id, *(agent.id for agent in task.other_agents)]
    for index, name in enumerate(named):
        if name in named[:index]:
            yield f"other_agents[{index - 1}]", f"Agent '{name}' is given twice"
    try:
        check_names(parse(task.goal_condition), task.goal_names)
    except ExpressionError as error:
        accepted = ", ".join(sorted(task.goal_names))
        yield "goal_condition", f"{error.message}; a goal may name {accepted}"
    if task.optimal_steps is not None and task.optimal_steps > task.max_steps:
        message = f"{task.optimal_steps} steps are more than max_steps, {task.max_steps}"
        yield "optimal_steps", message
    for name, values in task.candidate_values.items():
        if not values:
            yield f"candidate_values.{name}", "There is no value in it"
