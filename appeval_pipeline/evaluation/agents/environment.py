"""An app and a task as an environment for agents."""

from __future__ import annotations

import json
from typing import Any

from appeval_pipeline.agents import Briefing, Observation, Reply, Reward, ToolCall
from appeval_pipeline.engine import ActionResult, Engine
from appeval_pipeline.evaluation.agents.calling import Caller, State
from appeval_pipeline.evaluation.agents.goal import Goal
from appeval_pipeline.evaluation.agents.task import EvaluationTask
from appeval_pipeline.evaluation.agents.tools import briefing_of
from appeval_pipeline.evaluation.scenarios.diffing import state_diff


class AppEnvironment:
    """One episode of one task.

    Attributes:
        states: The state before each step so far, and the present one last.

    Raises:
        StateError: The task's initial state cannot be used.
    """

    def __init__(self, engine: Engine, task: EvaluationTask) -> None:
        self._engine = engine
        self._task = task
        self._caller = Caller(engine, task.agent.id, task.roles, task.config)
        self._goal = Goal(engine.app, task)
        self.states: list[State] = [start_state(engine, task)]

    async def start(self) -> Briefing:
        """What the task and the app say."""
        return briefing_of(self._engine.app, self._task)

    async def step(self, action: ToolCall | Reply) -> Observation:
        """Run an action; a reply ends the episode, for there is nobody to hear it."""
        before = self.states[-1]
        if isinstance(action, Reply):
            self.states.append(before)
            return Observation("", done=True)
        result = self._caller.call(action, before)
        after = result.state_after if result.success else before
        self.states.append(after)
        return Observation(
            content=_answer(result, self._task.agent.id),
            done=self._goal.is_reached(after),
            error=result.error,
            error_kind=result.error_kind,
            details={
                "state_diff": state_diff(before, after) if after is not before else {},
                "observations": result.observations,
            },
        )

    async def reward(self) -> Reward:
        """1 if the goal is reached, else 0."""
        reached = self._goal.is_reached(self.states[-1])
        return Reward(float(reached), {"goal_reached": reached})


def start_state(engine: Engine, task: EvaluationTask) -> State:
    """The state that the task begins with.

    Raises:
        StateError: It cannot be used.
    """
    return engine.complete_state(task.initial_state.model_dump(mode="json"), task.agent_ids)


def _answer(result: ActionResult, agent: str) -> str:
    """What came of an action, and what it told the agent itself, as JSON."""
    answer: dict[str, Any] = {"success": result.success}
    if result.success:
        answer["data"] = result.data
        told = [
            {"message": made["message"], "data": made["data"]}
            for made in result.observations
            if made["agent_id"] == agent
        ]
        if told:
            answer["notifications"] = told
    else:
        answer["error"] = result.error
    return json.dumps(answer, ensure_ascii=False)
