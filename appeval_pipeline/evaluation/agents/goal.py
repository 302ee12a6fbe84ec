"""Whether a task's goal is reached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.evaluation.agents.task import EvaluationTask
from appeval_pipeline.expr import compile_expression


class Goal:
    """A task's goal condition, compiled once.

    A condition that cannot be evaluated on a state, for something that it names is not there yet, is not
    reached on it.
    """

    def __init__(self, app: AppDefinition, task: EvaluationTask) -> None:
        self._condition = compile_expression(task.goal_condition, task.goal_names, agents=task.agent_ids)
        self._agent = task.agent.id
        self._config = {**app.initial_config, **task.config}

    def is_reached(self, state: Mapping[str, Any]) -> bool:
        """Whether the condition is true on ``state``; any other value than true is not."""
        agents = state["per_agent"]
        variables = {
            **agents,
            "agent": agents.get(self._agent),
            "agents": agents,
            "shared": state["shared"],
            "config": self._config,
        }
        try:
            return self._condition.evaluate(variables) is True
        except ExpressionError:
            return False
