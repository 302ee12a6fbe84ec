"""Judging trials: what an agent's calls came to, one by one and over all trials of a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from appeval_pipeline.agents import InvalidAction, SearchResult, ToolCall, Trajectory, Usage
from appeval_pipeline.evaluation.agents.calling import State, canonical_bytes
from appeval_pipeline.evaluation.agents.distances import Distances
from appeval_pipeline.evaluation.agents.result import AgentEvaluation, ErrorPattern, TrialResult
from appeval_pipeline.evaluation.agents.task import EvaluationTask
from appeval_pipeline.evaluation.statistics import Estimate, estimate_mean, pass_hat_k

MOST_TRIALS_OF_PASS: Final = 4
"""pass^1 to pass^4 are told, as far as there are trials."""
NO_ACTION: Final = "(no action)"
"""What an error pattern has in place of an action where an agent said what is none."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A call of an action, and what came of it."""

    call: ToolCall
    error: str | None
    error_kind: str | None
    before: State
    after: State


def _failure(attempt: _Attempt) -> bytes:
    """Equal for attempts that failed in the same way; the order in which parameters were given is none."""
    return canonical_bytes([attempt.call.to_dict(), attempt.error])


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


def judge_trial(
    trial: int,
    trajectory: Trajectory,
    states: Sequence[State],
    actions: Sequence[str],
    optimum: SearchResult[ToolCall],
    distances: Distances,
) -> TrialResult:
    """How one trial went.

    Args:
        trial: Its number, from 0.
        states: The state before each action that the app answered, and the last one.
        actions: The names of all actions of the app.
        optimum: The shortest plan from the start.
    """
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
        repeated_errors=len(failed) - len({_failure(attempt) for attempt in failed}),
        invalid_actions=sum(isinstance(step.exchange.action, InvalidAction) for step in trajectory.steps),
        used_all_actions={attempt.call.name for attempt in attempts} >= set(actions),
        appropriate_action_choice=_appropriate(attempts, distances),
    )


def _efficiency(optimal: int | None, actual: int | None) -> float | None:
    """optimal / actual, 0 where the goal was not reached; None where the optimum is not known.

    At most 1: an agent may know of values that the search did not try, and need fewer actions than it found.
    """
    if actual is None:
        return 0.0
    if optimal is None:
        return None
    return min(1.0, optimal / actual) if actual else 1.0


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


def summarize(
    version: int,
    task: EvaluationTask,
    optimum: SearchResult[ToolCall],
    trials: tuple[TrialResult, ...],
    seed: int,
) -> AgentEvaluation:
    """What all trials of a task come to; ``seed`` is that of the intervals."""
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
        efficiency_ratio=_mean_if_known([trial.efficiency_ratio for trial in scored]),
        validation_errors=sum(trial.validation_errors for trial in scored),
        logic_errors=sum(trial.logic_errors for trial in scored),
        repeated_errors=sum(trial.repeated_errors for trial in scored),
        used_all_actions=any(trial.used_all_actions for trial in scored),
        appropriate_action_choice=_mean_if_known(
            [trial.appropriate_action_choice for trial in scored if trial.actions_attempted]
        ),
        goal_rate=_rate(reached, seed),
        pass_hat_k={
            k: pass_hat_k([reached], k) for k in range(1, min(len(reached), MOST_TRIALS_OF_PASS) + 1)
        },
        infra_errors=len(trials) - len(scored),
        usage=sum((trial.trajectory.agent_usage for trial in trials), Usage()),
        error_patterns=_patterns(scored),
        trials=trials,
    )


def _rate(reached: Sequence[bool], seed: int) -> Estimate | None:
    """Trials of one task count one by one here: the question is how this task goes."""
    return estimate_mean([float(one) for one in reached], seed=seed) if reached else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _mean_if_known(values: Sequence[float | None]) -> float | None:
    """The mean; None where one is not known.

    Those that are known are not like the others: a way that strays far is the one that has none.
    """
    return None if None in values else _mean(values)


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
            elif isinstance(action, InvalidAction):
                counts[NO_ACTION, "invalid_action", action.reason, previous] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    return tuple(ErrorPattern(*key[:3], key[3], count) for key, count in ordered)
