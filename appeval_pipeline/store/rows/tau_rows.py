"""The rows of tau-bench experiments. Which experiment a row is of is its partition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from appeval_pipeline.store.rows.base import NOT_CONTENT, JsonText, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class TauTaskRow(Row):
    """One task of an experiment's split, with its known issues, or why it cannot be used."""

    TABLE: ClassVar[str] = "tau_tasks"

    task_id: int
    is_selected: bool
    user_id: str | None
    instruction: str | None
    actions: JsonText
    outputs: JsonText
    null_passable: bool | None
    gold_error: bool | None
    read_only: bool | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TauExperimentRow(Row):
    """What an experiment was, and whether it ran."""

    TABLE: ClassVar[str] = "tau_experiments"

    file_path: str
    status: str
    env: str | None
    task_split: str | None
    agent: str | None
    model: str | None
    user_strategy: str | None
    user_model: str | None
    seed: int | None
    trials_per_task: int | None
    task_count: int | None
    is_whole_split: bool | None
    trials_wanted: int | None
    trials_ended: int | None
    infra_errors: int | None
    source_package: str | None
    source_version: str | None
    tasks_sha256: str | None
    configuration: JsonText
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TauTrialRow(Row):
    """One trial of a task."""

    TABLE: ClassVar[str] = "tau_trials"

    task_id: int
    trial: int
    seed: int
    end_reason: str
    reward: float | None
    succeeded: bool | None
    step_count: int
    database_equal: bool | None
    outputs_found: bool | None
    reward_info: JsonText
    agent_prompt_tokens: int
    agent_completion_tokens: int
    agent_cost_usd: float | None
    user_prompt_tokens: int
    user_completion_tokens: int
    user_cost_usd: float | None
    elapsed_s: float = field(metadata=NOT_CONTENT)
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TauStepRow(Row):
    """One step of a trial: an action of the agent, and the answer."""

    TABLE: ClassVar[str] = "tau_steps"

    task_id: int
    trial: int
    step_index: int
    kind: str
    tool: str | None
    arguments: JsonText
    said: str | None
    observation: str
    error: str | None
    error_kind: str | None
    written: JsonText
    agent_prompt_tokens: int
    agent_completion_tokens: int
    agent_cost_usd: float | None
    user_prompt_tokens: int
    user_completion_tokens: int
    user_cost_usd: float | None
    elapsed_s: float = field(metadata=NOT_CONTENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class TauFaultRow(Row):
    """One fault of a trial that failed."""

    TABLE: ClassVar[str] = "tau_faults"

    task_id: int
    trial: int
    position: int
    kind: str
    step_index: int | None
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TauMetricRow(Row):
    """One number of an experiment, with its standard error and interval where it has one."""

    TABLE: ClassVar[str] = "tau_metrics"

    metric: str
    k: int | None
    counting: str
    without_flag: str | None
    value: float
    unit: str
    standard_error: float | None
    low: float | None
    high: float | None
    method: str | None
    task_count: int
    trial_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TauLeaderboardRow(Row):
    """A row of the leaderboard: the experiment's, or a published one."""

    TABLE: ClassVar[str] = "tau_leaderboard"

    is_published: bool
    position: int
    domain: str
    strategy: str
    pass_hat_1: float
    pass_hat_2: float | None
    pass_hat_3: float | None
    pass_hat_4: float | None
    standard_error: float | None
    task_count: int
    trials_per_task: int
