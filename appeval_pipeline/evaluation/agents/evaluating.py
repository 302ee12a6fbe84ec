"""Evaluating an agent on a task: trials, and what they come to."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Final, TypeAlias

from appeval_pipeline.agents import (
    Agent,
    Budget,
    InvalidAction,
    Limits,
    NoopAgent,
    RandomAgent,
    ReplayAgent,
    SearchResult,
    ToolCall,
    Trajectory,
    run_episode,
)
from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import ComparisonError
from appeval_pipeline.evaluation.agents.calling import State
from appeval_pipeline.evaluation.agents.distances import Distances
from appeval_pipeline.evaluation.agents.environment import AppEnvironment, start_state
from appeval_pipeline.evaluation.agents.result import AgentEvaluation, ErrorPattern, TrialResult
from appeval_pipeline.evaluation.agents.task import EvaluationTask
from appeval_pipeline.evaluation.statistics import Estimate, estimate_mean, pass_hat_k

MOST_TRIALS_OF_PASS: Final = 4
"""pass^1 to pass^4 are told, as far as there are trials."""

AgentChoice: TypeAlias = str | Agent | Callable[[], Agent]
"""``noop``, ``random`` or ``oracle``; an agent; or what makes one for each trial."""


@dataclass(frozen=True, slots=True)
class EvaluationPlan:
    """How an evaluation is carried out.

    Attributes:
        seed: Trial n has seed + n.
        limits: Of each trial; its steps are those of the task, whatever this says.
        budget: Of each search.
        clock: Tells seconds.
    """

    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    budget: Budget = field(default_factory=Budget)
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
    engine = app if isinstance(app, Engine) else Engine(app)
    version = engine.app.version or 1
    if task.app_id != engine.app.app_id or not task.applies(version):
        raise ComparisonError(
            f"The task '{task.name}' is for {task.app_id} {task.applies_to or ''}".rstrip()
            + f", not for {engine.app.app_id} version {version}"
        )
    if trials < 1:
        raise ValueError(f"Expected at least one trial, got {trials}")
    distances = Distances(engine, task, plan.budget, plan.clock)
    optimum = distances.plan(start_state(engine, task))
    make = _maker(agent, task, optimum)
    limits = replace(plan.limits, max_steps=task.max_steps)
    results = []
    for trial in range(trials):
        environment = AppEnvironment(engine, task)
        trajectory = await run_episode(make(), environment, limits, seed=plan.seed + trial, clock=plan.clock)
        results.append(_judge(trial, trajectory, environment.states, engine.action_names, optimum, distances))
    return _summarize(version, task, optimum, tuple(results), plan.seed)


def _maker(agent: AgentChoice, task: EvaluationTask, optimum: SearchResult[ToolCall]) -> Callable[[], Agent]:
    if isinstance(agent, str):
        known: dict[str, Callable[[], Agent]] = {
            "noop": NoopAgent,
            "random": lambda: RandomAgent(task.agent_ids),
            "oracle": lambda: ReplayAgent(optimum.plan or (), "oracle"),
        }
        if agent not in known:
            raise ValueError(f"There is no agent '{agent}'; expected {', '.join(known)}, or an agent itself")
        return known[agent]
    if isinstance(agent, Agent) and not isinstance(agent, type):
        one = agent
        return lambda: one
    return agent


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A call of an action, and what came of it."""

    call: ToolCall
    error: str | None
    error_kind: str | None
    before: State
    after: State


def _attempts(trajectory: Trajectory, states: Sequence[State]) -> list[_Attempt]:
    """The calls of a trial; ``states`` has one more state than there were actions that the app answered."""
    answered = [
        step.exchange for step in trajectory.steps if not isinstance(step.exchange.action, InvalidAction)
    ]
    return [
        _Attempt(
            exchange.action,
            exchange.observation.error,
            exchange.observation.error_kind,
            states[place],
            states[place + 1],
        )
        for place, exchange in enumerate(answered)
        if isinstance(exchange.action, ToolCall)
    ]


def _judge(
    trial: int,
    trajectory: Trajectory,
    states: Sequence[State],
    actions: Sequence[str],
    optimum: SearchResult[ToolCall],
    distances: Distances,
) -> TrialResult:
    attempts = _attempts(trajectory, states)
    failed = [attempt for attempt in attempts if attempt.error is not None]
    validation = sum(attempt.error_kind in ("parameters", "validation") for attempt in failed)
    reached = None if trajectory.reward is None else trajectory.reward == 1
    to_goal = len(attempts) if reached else None
    return TrialResult(
        trial=trial,
        trajectory=trajectory,
        goal_reached=reached,
        actions_attempted=len(attempts),
        actions_succeeded=len(attempts) - len(failed),
        actions_to_goal=to_goal,
        efficiency_ratio=_efficiency(optimum.distance, to_goal),
        validation_errors=validation,
        logic_errors=len(failed) - validation,
        repeated_errors=len(failed) - len({repr((attempt.call, attempt.error)) for attempt in failed}),
        invalid_actions=sum(isinstance(step.exchange.action, InvalidAction) for step in trajectory.steps),
        used_all_actions={attempt.call.name for attempt in attempts} >= set(actions),
        appropriate_action_choice=_appropriate(attempts, distances),
    )


def _efficiency(optimal: int | None, actual: int | None) -> float | None:
    """optimal / actual, 0 where the goal was not reached; None where the optimum is not known."""
    if actual is None:
        return 0.0
    if optimal is None:
        return None
    return optimal / actual if actual else 1.0


def _appropriate(attempts: Sequence[_Attempt], distances: Distances) -> float | None:
    if not attempts:
        return None
    count = 0
    for attempt in attempts:
        nearer = distances.shortens(attempt.before, attempt.after)
        if nearer is None:
            return None
        count += nearer
    return count / len(attempts)


def _summarize(
    version: int,
    task: EvaluationTask,
    optimum: SearchResult[ToolCall],
    trials: tuple[TrialResult, ...],
    seed: int,
) -> AgentEvaluation:
    scored = [trial for trial in trials if trial.goal_reached is not None]
    reached = [trial.goal_reached is True for trial in scored]
    attempted = sum(trial.actions_attempted for trial in scored)
    succeeded = sum(trial.actions_succeeded for trial in scored)
    return AgentEvaluation(
        agent_id=trials[0].trajectory.agent,
        app_id=task.app_id,
        version=version,
        task=task.name,
        optimal_actions=optimum.distance,
        optimal_is_exact=optimum.is_exact,
        optimal_plan=None if optimum.plan is None else tuple(call.to_dict() for call in optimum.plan),
        actions_attempted=attempted,
        actions_succeeded=succeeded,
        success_rate=succeeded / attempted if attempted else None,
        actions_to_goal=_mean([trial.actions_to_goal for trial in scored]),
        efficiency_ratio=_mean([trial.efficiency_ratio for trial in scored]),
        validation_errors=sum(trial.validation_errors for trial in scored),
        logic_errors=sum(trial.logic_errors for trial in scored),
        repeated_errors=sum(trial.repeated_errors for trial in scored),
        used_all_actions=any(trial.used_all_actions for trial in scored),
        appropriate_action_choice=_mean([trial.appropriate_action_choice for trial in scored]),
        goal_rate=_rate(reached, seed),
        pass_hat_k={
            k: pass_hat_k([reached], k) for k in range(1, min(len(reached), MOST_TRIALS_OF_PASS) + 1)
        },
        infra_errors=len(trials) - len(scored),
        error_patterns=_patterns(scored),
        trials=trials,
    )


def _rate(reached: Sequence[bool], seed: int) -> Estimate | None:
    """Trials of one task count one by one here: the question is how this task goes."""
    return estimate_mean([float(one) for one in reached], seed=seed) if reached else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _patterns(trials: Sequence[TrialResult]) -> tuple[ErrorPattern, ...]:
    counts: Counter[tuple[str, str, str, str | None]] = Counter()
    for trial in trials:
        previous: str | None = None
        for step in trial.trajectory.steps:
            action, observation = step.exchange.action, step.exchange.observation
            if isinstance(action, ToolCall):
                if observation.error is not None:
                    counts[action.name, observation.error_kind or "", observation.error, previous] += 1
                previous = action.name
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    return tuple(ErrorPattern(*key[:3], key[3], count) for key, count in ordered)
