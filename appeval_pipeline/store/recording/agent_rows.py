"""The rows of an evaluation of an agent, its trials and their steps."""

from __future__ import annotations

from collections.abc import Iterator

from appeval_pipeline.agents import InvalidAction, Reply, Step, ToolCall
from appeval_pipeline.evaluation import AgentEvaluation, EvaluationTask
from appeval_pipeline.evaluation.agents import NamedAgent, TrialResult
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.rows import AgentEvaluationRow, AgentStepRow, AgentTrialRow
from appeval_pipeline.store.task_files import TaskFile

EVALUATED = "evaluated"
_NULL = "null"

_FIGURES = (
    "infra_errors",
    "actions_attempted",
    "actions_succeeded",
    "success_rate",
    "actions_to_goal",
    "optimal_actions",
    "optimal_is_exact",
    "efficiency_ratio",
    "validation_errors",
    "logic_errors",
    "repeated_errors",
    "used_all_actions",
    "appropriate_action_choice",
)
"""What the row has as the evaluation has it."""

_OTHERS = (
    "trial_count",
    "goals_reached",
    "goal_rate",
    "goal_rate_low",
    "goal_rate_high",
    "pass_hat_1",
    "pass_hat_2",
    "pass_hat_3",
    "pass_hat_4",
    "declared_optimal",
    "prompt_tokens",
    "completion_tokens",
    "cost_usd",
)


def missing_row(
    app_id: str, version: int, file: TaskFile, agent: str, seed: int, status: str, error: str
) -> AgentEvaluationRow:
    """The row of an agent that did not get to try a task."""
    return AgentEvaluationRow(
        app_id=app_id,
        version=version,
        file_path=file.path,
        task=file.task.name if file.task else file.path.rsplit("/", 1)[-1],
        agent=agent,
        model=None,
        status=status,
        tags=canonical_json(list(file.task.tags) if file.task else []),
        seed=seed,
        optimal_plan=_NULL,
        error_patterns="[]",
        error=error,
        **dict.fromkeys((*_FIGURES, *_OTHERS)),
    )


def evaluation_row(
    file: TaskFile, task: EvaluationTask, evaluation: AgentEvaluation, agent: NamedAgent, seed: int
) -> AgentEvaluationRow:
    """The row of an agent and a task.

    Args:
        agent: As it is planned; what it calls itself may be what another one is called.
    """
    rate = evaluation.goal_rate
    scored = [trial for trial in evaluation.trials if trial.goal_reached is not None]
    return AgentEvaluationRow(
        app_id=evaluation.app_id,
        version=evaluation.version,
        file_path=file.path,
        task=task.name,
        agent=agent.name,
        model=agent.model,
        status=EVALUATED,
        tags=canonical_json(list(task.tags)),
        seed=seed,
        trial_count=len(evaluation.trials),
        goals_reached=sum(trial.goal_reached is True for trial in scored),
        goal_rate=rate.value if rate else None,
        goal_rate_low=rate.low if rate else None,
        goal_rate_high=rate.high if rate else None,
        pass_hat_1=evaluation.pass_hat_k.get(1),
        pass_hat_2=evaluation.pass_hat_k.get(2),
        pass_hat_3=evaluation.pass_hat_k.get(3),
        pass_hat_4=evaluation.pass_hat_k.get(4),
        declared_optimal=task.optimal_steps,
        optimal_plan=canonical_json(
            None if evaluation.optimal_plan is None else [dict(call) for call in evaluation.optimal_plan]
        ),
        error_patterns=canonical_json([pattern.to_dict() for pattern in evaluation.error_patterns]),
        prompt_tokens=evaluation.usage.prompt_tokens,
        completion_tokens=evaluation.usage.completion_tokens,
        cost_usd=evaluation.usage.cost_usd,
        error=None,
        **{name: getattr(evaluation, name) for name in _FIGURES},
    )


def trial_rows(
    file: TaskFile, evaluation: AgentEvaluation, agent: NamedAgent
) -> Iterator[AgentTrialRow | AgentStepRow]:
    """The rows of all trials and their steps."""
    for trial in evaluation.trials:
        yield _trial_row(file, evaluation, agent, trial)
        for step in trial.trajectory.steps:
            yield _step_row(file, evaluation, agent, trial.trial, step)


def _trial_row(
    file: TaskFile, evaluation: AgentEvaluation, agent: NamedAgent, trial: TrialResult
) -> AgentTrialRow:
    trajectory = trial.trajectory
    return AgentTrialRow(
        app_id=evaluation.app_id,
        version=evaluation.version,
        file_path=file.path,
        task=evaluation.task,
        agent=agent.name,
        trial=trial.trial,
        seed=trajectory.seed,
        end_reason=trajectory.end,
        goal_reached=trial.goal_reached,
        reward=trajectory.reward,
        step_count=len(trajectory.steps),
        actions_attempted=trial.actions_attempted,
        actions_succeeded=trial.actions_succeeded,
        actions_to_goal=trial.actions_to_goal,
        efficiency_ratio=trial.efficiency_ratio,
        validation_errors=trial.validation_errors,
        logic_errors=trial.logic_errors,
        repeated_errors=trial.repeated_errors,
        invalid_actions=trial.invalid_actions,
        appropriate_action_choice=trial.appropriate_action_choice,
        prompt_tokens=trajectory.agent_usage.prompt_tokens,
        completion_tokens=trajectory.agent_usage.completion_tokens,
        cost_usd=trajectory.agent_usage.cost_usd,
        elapsed_s=trajectory.elapsed_s,
        error=trajectory.error,
    )


def _step_row(
    file: TaskFile, evaluation: AgentEvaluation, agent: NamedAgent, trial: int, step: Step
) -> AgentStepRow:
    action, observation = step.exchange.action, step.exchange.observation
    call = action if isinstance(action, ToolCall) else None
    said = {Reply: "content", InvalidAction: "raw"}.get(type(action))
    return AgentStepRow(
        app_id=evaluation.app_id,
        version=evaluation.version,
        file_path=file.path,
        task=evaluation.task,
        agent=agent.name,
        trial=trial,
        step_index=step.index,
        kind=action.to_dict()["kind"],
        action=call.name if call else None,
        params=canonical_json(dict(call.arguments)) if call else _NULL,
        said=getattr(action, said) if said else None,
        success=observation.error is None if call else None,
        observation=observation.content,
        error=observation.error,
        error_kind=observation.error_kind,
        state_diff=canonical_json(observation.details.get("state_diff")),
        observations=canonical_json(observation.details.get("observations")),
        prompt_tokens=step.usage.prompt_tokens,
        completion_tokens=step.usage.completion_tokens,
        cost_usd=step.usage.cost_usd,
        elapsed_s=step.elapsed_s,
    )
