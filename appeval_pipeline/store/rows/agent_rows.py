"""The rows of how agents get on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from appeval_pipeline.store.rows.base import NOT_CONTENT, JsonText, VersionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEvaluationRow(VersionRow):
    """One agent on one task of one app version, over its trials, or the reason why there are none."""

    TABLE: ClassVar[str] = "agent_evaluations"

    file_path: str
    task: str
    agent: str
    model: str | None
    status: str
    tags: JsonText
    seed: int
    trial_count: int | None
    infra_errors: int | None
    goals_reached: int | None
    goal_rate: float | None
    goal_rate_low: float | None
    goal_rate_high: float | None
    pass_hat_1: float | None
    pass_hat_2: float | None
    pass_hat_3: float | None
    pass_hat_4: float | None
    actions_attempted: int | None
    actions_succeeded: int | None
    success_rate: float | None
    actions_to_goal: float | None
    optimal_actions: int | None
    optimal_is_exact: bool | None
    declared_optimal: int | None
    optimal_plan: JsonText
    efficiency_ratio: float | None
    validation_errors: int | None
    logic_errors: int | None
    repeated_errors: int | None
    used_all_actions: bool | None
    appropriate_action_choice: float | None
    error_patterns: JsonText
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTrialRow(VersionRow):
    """One trial of an agent on a task."""

    TABLE: ClassVar[str] = "agent_trials"

    file_path: str
    task: str
    agent: str
    trial: int
    seed: int
    end_reason: str
    goal_reached: bool | None
    reward: float | None
    step_count: int
    actions_attempted: int
    actions_succeeded: int
    actions_to_goal: int | None
    efficiency_ratio: float | None
    validation_errors: int
    logic_errors: int
    repeated_errors: int
    invalid_actions: int
    appropriate_action_choice: float | None
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    elapsed_s: float = field(metadata=NOT_CONTENT)
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStepRow(VersionRow):
    """One step of a trial: an action of the agent, and what came of it."""

    TABLE: ClassVar[str] = "agent_steps"

    file_path: str
    task: str
    agent: str
    trial: int
    step_index: int
    kind: str
    action: str | None
    params: JsonText
    said: str | None
    success: bool | None
    observation: str
    error: str | None
    error_kind: str | None
    state_diff: JsonText
    observations: JsonText
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    elapsed_s: float = field(metadata=NOT_CONTENT)
