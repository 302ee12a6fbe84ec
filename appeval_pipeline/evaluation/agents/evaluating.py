"""Evaluating an agent on a task: trials, and what they come to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from appeval_pipeline.agents import (
    Agent,
    Budget,
    Limits,
    NoopAgent,
    RandomAgent,
    ReplayAgent,
    Reply,
    ToolCall,
    Trajectory,
    run_episode,
)
from appeval_pipeline.agents.journal import Journal, TrialKey
from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import ComparisonError, JournalError
from appeval_pipeline.evaluation.agents.calling import State
from appeval_pipeline.evaluation.agents.distances import Distances
from appeval_pipeline.evaluation.agents.environment import AppEnvironment, start_state
from appeval_pipeline.evaluation.agents.judging import judge_trial, summarize
from appeval_pipeline.evaluation.agents.naming import AgentChoice
from appeval_pipeline.evaluation.agents.result import AgentEvaluation
from appeval_pipeline.evaluation.agents.task import EvaluationTask
from appeval_pipeline.version import EVALUATOR_VERSION


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """How an evaluation is carried out.

    Attributes:
        seed: Trial n has seed + n.
        limits: Of each trial; its steps are those of the task, whatever this says.
        budget: Of each search.
        max_concurrency: Trials at the same time; an agent that is handed in itself has one after the other.
        clock: Tells seconds.
    """

    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
    max_concurrency: int = 1
    clock: Callable[[], float] = time.monotonic


def evaluate_agent(
    app: AppDefinition | Engine,
    task: EvaluationTask,
    agent: AgentChoice,
    trials: int = 1,
    plan: EvaluationPlan = EvaluationPlan(),
) -> AgentEvaluation:
    """Let an agent try a task, and measure how it gets on.

    Args:
        app: The app, or an engine of it.
        agent: A name (``noop``, ``random``, ``oracle``), an agent, or a function that makes one a trial.
        trials: How often, at least once.

    Raises:
        ComparisonError: The task is for another app or version.
        StateError: The task's initial state cannot be used.
        ValueError: There is no agent of that name, or no trial is asked for.
    """
    return asyncio.run(evaluate_agent_async(app, task, agent, trials, plan))


async def evaluate_agent_async(
    app: AppDefinition | Engine,
    task: EvaluationTask,
    agent: AgentChoice,
    trials: int = 1,
    plan: EvaluationPlan = EvaluationPlan(),
) -> AgentEvaluation:
    """As :func:`evaluate_agent`, inside a running event loop."""
    return await TaskEvaluator(app, task, plan).evaluate(agent, trials)


class TaskEvaluator:
    """Evaluates agents on one task of one app version; the best possible is searched for once.

    Raises:
        ComparisonError: The task is for another app or version.
        StateError: The task's initial state cannot be used.
    """

    def __init__(
        self, app: AppDefinition | Engine, task: EvaluationTask, plan: EvaluationPlan = EvaluationPlan()
    ) -> None:
        self._engine = app if isinstance(app, Engine) else Engine(app)
        self._task = task
        self._plan = plan
        self._version = self._engine.app.version or 1
        app_id = self._engine.app.app_id
        if task.app_id != app_id or not task.applies(self._version):
            raise ComparisonError(
                f"The task '{task.name}' is for {task.app_id} {task.applies_to or ''}".rstrip()
                + f", not for {app_id} version {self._version}"
            )
        start = start_state(self._engine, task)
        self._distances = Distances(self._engine, task, plan.budget, plan.clock)
        self.optimum = self._distances.plan(start)

    def configuration(self, agent: object) -> dict[str, Any]:
        """Everything that decides how trials go, as plain JSON, for a journal.

        Args:
            agent: What decides the agent's actions, as plain JSON.
        """
        limits = self._plan.limits
        return {
            "evaluator": EVALUATOR_VERSION,
            "app_id": self._engine.app.app_id,
            "version": self._version,
            "definition": self._engine.app.definition_hash,
            "task": self._task.content_hash,
            "agent": agent,
            "seed": self._plan.seed,
            "limits": {
                "max_invalid_actions": limits.max_invalid_actions,
                "max_tokens": limits.max_tokens,
                "max_cost_usd": limits.max_cost_usd,
                "max_time_s": limits.max_time_s,
            },
        }

    async def evaluate(
        self,
        agent: AgentChoice,
        trials: int = 1,
        journal: Journal | None = None,
        tell: Callable[[Trajectory], None] = lambda _: None,
    ) -> AgentEvaluation:
        """Let an agent try the task.

        Args:
            trials: How often, at least once.
            journal: Has the trials that are finished, and gets each one that finishes. A trial that broke
                down through no fault of the agent's is tried again.
            tell: Called with each trial that has finished.

        Raises:
            ValueError: There is no agent of that name, or no trial is asked for.
            JournalError: What the journal has is no trial of this task.
        """
        if trials < 1:
            raise ValueError(f"Expected at least one trial, got {trials}")
        make = self._maker(agent)
        one_at_a_time = isinstance(agent, Agent) and not isinstance(agent, type)
        turn = asyncio.Semaphore(1 if one_at_a_time else self._plan.max_concurrency)

        async def attempt(trial: int) -> tuple[Trajectory, tuple[State, ...]]:
            async with turn:
                return await self._try(make, trial, journal, tell)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(attempt(trial)) for trial in range(trials)]
        except* JournalError as errors:
            raise errors.exceptions[0] from None
        distances = self._distances.afresh()
        results = tuple(
            judge_trial(trial, *task.result(), self._engine.action_names, self.optimum, distances)
            for trial, task in enumerate(tasks)
        )
        return summarize(self._version, self._task, self.optimum, results, self._plan.seed)

    async def _try(
        self,
        make: Callable[[], Agent],
        trial: int,
        journal: Journal | None,
        tell: Callable[[Trajectory], None],
    ) -> tuple[Trajectory, tuple[State, ...]]:
        key = TrialKey(self._task.name, trial)
        finished = journal.done().get(key) if journal else None
        if finished is not None:
            tell(finished)
            return finished, await self._replayed(finished)
        environment = AppEnvironment(self._engine, self._task)
        limits = replace(self._plan.limits, max_steps=self._task.max_steps)
        trajectory = await run_episode(
            make(), environment, limits, seed=self._plan.seed + trial, clock=self._plan.clock
        )
        if journal:
            journal.record(key, trajectory)
        tell(trajectory)
        return trajectory, tuple(environment.states)

    async def _replayed(self, trajectory: Trajectory) -> tuple[State, ...]:
        """The states that a finished trial went through, by doing the same again."""
        environment = AppEnvironment(self._engine, self._task)
        for step in trajectory.steps:
            action, told = step.exchange.action, step.exchange.observation
            if isinstance(action, ToolCall | Reply):
                observation = await environment.step(action)
                if (observation.content, observation.done) != (told.content, told.done):
                    raise JournalError(
                        f"Step {step.index} of a finished trial of '{self._task.name}' goes otherwise now: "
                        "clear the journal to start afresh"
                    )
        return tuple(environment.states)

    def _maker(self, agent: AgentChoice) -> Callable[[], Agent]:
        if isinstance(agent, str):
            known: dict[str, Callable[[], Agent]] = {
                "noop": NoopAgent,
                "random": lambda: RandomAgent(self._task.agent_ids),
                "oracle": lambda: ReplayAgent(self.optimum.plan or (), "oracle"),
            }
            if agent not in known:
                raise ValueError(
                    f"There is no agent '{agent}'; expected {', '.join(known)}, or an agent itself"
                )
            return known[agent]
        if isinstance(agent, Agent) and not isinstance(agent, type):
            one = agent
            return lambda: one
        return agent
