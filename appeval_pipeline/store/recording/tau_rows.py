"""The rows of an experiment, its tasks, its trials and their steps and faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from appeval_pipeline.agents import InvalidAction, Reply, Step, ToolCall, Trajectory
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.experiments.files import ExperimentFile
from appeval_pipeline.store.rows import (
    TauExperimentRow,
    TauFaultRow,
    TauStepRow,
    TauTaskRow,
    TauTrialRow,
)

if TYPE_CHECKING:
    from appeval_pipeline.taubench import TaskFlags, TauTask
    from appeval_pipeline.taubench.experiments import PreparedExperiment
    from appeval_pipeline.taubench.faults import TauFault
    from appeval_pipeline.taubench.results import TauResult

EVALUATED: Final = "evaluated"
INCOMPLETE: Final = "incomplete"
INVALID: Final = "invalid"
_NULL: Final = "null"


def task_row(task: TauTask, flags: TaskFlags, is_selected: bool) -> TauTaskRow:
    """A task that can be used."""
    given = task.to_dict()
    return TauTaskRow(
        task_id=task.id,
        is_selected=is_selected,
        user_id=task.user_id,
        instruction=task.instruction,
        actions=canonical_json(given["actions"]),
        outputs=canonical_json(given["outputs"]),
        null_passable=flags.null_passable,
        gold_error=flags.gold_error,
        read_only=flags.read_only,
        error=None,
    )


def bad_task_rows(faults: Mapping[int, Sequence[str]]) -> dict[int, TauTaskRow]:
    """The tasks that cannot be used, each with what is wrong with it."""
    return {
        task_id: TauTaskRow(
            task_id=task_id,
            is_selected=False,
            user_id=None,
            instruction=None,
            actions="[]",
            outputs="[]",
            null_passable=None,
            gold_error=None,
            read_only=None,
            error="; ".join(messages),
        )
        for task_id, messages in faults.items()
    }


def unstarted_row(file: ExperimentFile, status: str, error: str) -> TauExperimentRow:
    """An experiment that did not get to begin."""
    settings = file.settings
    return TauExperimentRow(
        file_path=file.path,
        status=status,
        env=settings.env if settings else None,
        task_split=settings.task_split if settings else None,
        agent=settings.agent if settings else None,
        model=settings.model if settings else None,
        user_strategy=settings.user if settings else None,
        user_model=settings.user_model if settings else None,
        seed=settings.seed if settings else None,
        trials_per_task=settings.num_trials if settings else None,
        task_count=None,
        is_whole_split=None,
        trials_wanted=None,
        trials_ended=None,
        infra_errors=None,
        source_package=None,
        source_version=None,
        tasks_sha256=None,
        configuration=_NULL,
        error=error,
    )


def experiment_row(
    file: ExperimentFile, prepared: PreparedExperiment, results: Sequence[TauResult], status: str
) -> TauExperimentRow:
    """An experiment that ran."""
    settings, suite = prepared.settings, prepared.suite
    wanted = len(prepared.tasks) * settings.num_trials
    missing = wanted - len(results)
    return TauExperimentRow(
        file_path=file.path,
        status=status,
        env=settings.env,
        task_split=settings.task_split,
        agent=settings.agent,
        model=settings.model,
        user_strategy=settings.user,
        user_model=settings.user_model,
        seed=settings.seed,
        trials_per_task=settings.num_trials,
        task_count=len(prepared.tasks),
        is_whole_split=len(prepared.tasks) == len(suite.tasks),
        trials_wanted=wanted,
        trials_ended=len(results),
        infra_errors=sum(result.reward is None for result in results),
        source_package=suite.domain.source.package,
        source_version=suite.domain.source.version,
        tasks_sha256=suite.split.sha256,
        configuration=canonical_json(prepared.configuration()),
        error=f"{missing} of {wanted} trials did not begin: the budget was spent" if missing else None,
    )


def trial_row(result: TauResult, trajectory: Trajectory) -> TauTrialRow:
    """One trial; the reward is the result's, which knows of ends that are worth nothing."""
    scored = result.reward is not None
    info = trajectory.reward_info
    return TauTrialRow(
        task_id=result.task_id,
        trial=result.trial,
        seed=trajectory.seed,
        end_reason=trajectory.end,
        reward=result.reward,
        succeeded=result.succeeded if scored else None,
        step_count=len(trajectory.steps),
        database_equal=info.get("database_equal") if scored else None,
        outputs_found=info.get("outputs_found") if scored else None,
        reward_info=canonical_json({name: info[name] for name in info if name != "user_usage"}),
        agent_prompt_tokens=trajectory.agent_usage.prompt_tokens,
        agent_completion_tokens=trajectory.agent_usage.completion_tokens,
        agent_cost_usd=trajectory.agent_usage.cost_usd,
        user_prompt_tokens=trajectory.environment_usage.prompt_tokens,
        user_completion_tokens=trajectory.environment_usage.completion_tokens,
        user_cost_usd=trajectory.environment_usage.cost_usd,
        elapsed_s=trajectory.elapsed_s,
        error=result.error,
    )


def step_rows(result: TauResult, trajectory: Trajectory) -> Iterator[TauStepRow]:
    """The steps of a trial."""
    for step in trajectory.steps:
        yield _step_row(result, step)


def _step_row(result: TauResult, step: Step) -> TauStepRow:
    action, observation = step.exchange.action, step.exchange.observation
    call = action if isinstance(action, ToolCall) else None
    said = {Reply: "content", InvalidAction: "raw"}.get(type(action))
    return TauStepRow(
        task_id=result.task_id,
        trial=result.trial,
        step_index=step.index,
        kind=action.to_dict()["kind"],
        tool=call.name if call else None,
        arguments=canonical_json(dict(call.arguments)) if call else _NULL,
        said=getattr(action, said) if said else None,
        observation=observation.content,
        error=observation.error,
        error_kind=observation.error_kind,
        written=canonical_json(list(observation.details.get("written", ()))),
        agent_prompt_tokens=step.usage.prompt_tokens,
        agent_completion_tokens=step.usage.completion_tokens,
        agent_cost_usd=step.usage.cost_usd,
        user_prompt_tokens=observation.usage.prompt_tokens,
        user_completion_tokens=observation.usage.completion_tokens,
        user_cost_usd=observation.usage.cost_usd,
        elapsed_s=step.elapsed_s,
    )


def fault_rows(result: TauResult, faults: Iterable[TauFault]) -> Iterator[TauFaultRow]:
    """What went wrong in a trial."""
    for position, fault in enumerate(faults):
        yield TauFaultRow(
            task_id=result.task_id,
            trial=result.trial,
            position=position,
            kind=fault.kind,
            step_index=fault.step,
            detail=fault.detail,
        )
