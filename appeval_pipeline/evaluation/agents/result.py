"""What evaluating an agent on a task gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from appeval_pipeline.agents import Trajectory, Usage
from appeval_pipeline.evaluation.statistics import Estimate


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """An error that came up, and when.

    Attributes:
        action: The action that failed; ``(no action)`` where what the agent said is none.
        error_kind, error: How.
        after: The action attempted just before; None at the beginning.
        count: How often, in all trials.
    """

    action: str
    error_kind: str
    error: str
    after: str | None
    count: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How one trial went.

    Attributes:
        trial: From 0; ``trajectory`` has its seed and all that happened.
        goal_reached: None where the trial broke down through no fault of the agent's.
        actions_attempted, actions_succeeded: Calls of actions.
        success_rate: Their ratio, 0 to 1; None without an attempt.
        actions_to_goal: Attempts until the goal; None where it was not reached.
        efficiency_ratio: Fewest possible / actions_to_goal, 0 where it was not reached; None where the fewest
            are not known.
        validation_errors: Attempts that failed by parameters or validation; ``logic_errors``: all others.
        repeated_errors: Failed attempts equal in action, parameters and error to an earlier one.
        invalid_actions: What the agent said that was no action.
        used_all_actions: Whether every action of the app was attempted.
        appropriate_action_choice: Share of the attempts that shorten the distance to the goal from where they
            were taken; None without an attempt, or where the search is not exact.
    """

    trial: int
    trajectory: Trajectory
    goal_reached: bool | None
    actions_attempted: int
    actions_succeeded: int
    actions_to_goal: int | None
    efficiency_ratio: float | None
    validation_errors: int
    logic_errors: int
    repeated_errors: int
    invalid_actions: int
    used_all_actions: bool
    appropriate_action_choice: float | None

    @property
    def success_rate(self) -> float | None:
        return self.actions_succeeded / self.actions_attempted if self.actions_attempted else None

    def to_dict(self) -> dict[str, Any]:
        return {
            "trial": self.trial,
            "seed": self.trajectory.seed,
            "end": self.trajectory.end,
            "error": self.trajectory.error,
            "goal_reached": self.goal_reached,
            "actions_attempted": self.actions_attempted,
            "actions_succeeded": self.actions_succeeded,
            "success_rate": self.success_rate,
            "actions_to_goal": self.actions_to_goal,
            "efficiency_ratio": self.efficiency_ratio,
            "validation_errors": self.validation_errors,
            "logic_errors": self.logic_errors,
            "repeated_errors": self.repeated_errors,
            "invalid_actions": self.invalid_actions,
            "used_all_actions": self.used_all_actions,
            "appropriate_action_choice": self.appropriate_action_choice,
            "trajectory": self.trajectory.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class AgentEvaluation:
    """How an agent gets on with a task, over its trials.

    Counts are sums over the scored trials, and rates are over all their attempts. ``actions_to_goal`` is a
    mean over the trials that reached the goal. ``efficiency_ratio`` is one over all,
    ``appropriate_action_choice`` over those with an attempt; both are None where one trial's is not known.

    Attributes:
        agent_id: The agent's name. app_id, version, task: What it was evaluated on.
        optimal_actions: The fewest actions to the goal; None where no plan was found.
        optimal_is_exact: Whether that is sure, among the parameter values that the search tried; with no
            plan: whether it is sure that there is none.
        optimal_plan: The calls of a shortest plan, as plain JSON.
        goal_rate: Share of the scored trials that reached the goal, with its interval; None without any.
        pass_hat_k: pass^k by k, as far as there are trials.
        infra_errors: Trials that broke down and count in nothing.
        usage: What all trials took of the agent's model; the cost is null where a price is not known.
        error_patterns: Which error, after which action, how often; the most frequent first.
    """

    agent_id: str
    app_id: str
    version: int
    task: str
    optimal_actions: int | None
    optimal_is_exact: bool
    optimal_plan: tuple[Mapping[str, Any], ...] | None
    actions_attempted: int
    actions_succeeded: int
    success_rate: float | None
    actions_to_goal: float | None
    efficiency_ratio: float | None
    validation_errors: int
    logic_errors: int
    repeated_errors: int
    used_all_actions: bool
    appropriate_action_choice: float | None
    goal_rate: Estimate | None
    pass_hat_k: Mapping[int, float]
    infra_errors: int
    usage: Usage
    error_patterns: tuple[ErrorPattern, ...]
    trials: tuple[TrialResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as plain JSON."""
        return {
            "agent_id": self.agent_id,
            "app_id": self.app_id,
            "version": self.version,
            "task": self.task,
            "optimal_actions": self.optimal_actions,
            "optimal_is_exact": self.optimal_is_exact,
            "optimal_plan": None if self.optimal_plan is None else [dict(call) for call in self.optimal_plan],
            "actions_attempted": self.actions_attempted,
            "actions_succeeded": self.actions_succeeded,
            "success_rate": self.success_rate,
            "actions_to_goal": self.actions_to_goal,
            "efficiency_ratio": self.efficiency_ratio,
            "validation_errors": self.validation_errors,
            "logic_errors": self.logic_errors,
            "repeated_errors": self.repeated_errors,
            "used_all_actions": self.used_all_actions,
            "appropriate_action_choice": self.appropriate_action_choice,
            "goal_rate": self.goal_rate.to_dict() if self.goal_rate else None,
            "pass_hat_k": {str(k): value for k, value in self.pass_hat_k.items()},
            "infra_errors": self.infra_errors,
            "usage": self.usage.to_dict(),
            "error_patterns": [pattern.to_dict() for pattern in self.error_patterns],
            "trials": [trial.to_dict() for trial in self.trials],
        }
