"""Experiments on tau-bench: what is tried by whom, read from a file or from options, made ready to run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from appeval_pipeline.agents import Limits
from appeval_pipeline.agents.models import ModelSettings
from appeval_pipeline.agents.models.settings import address_fault
from appeval_pipeline.appdef.documents import DocumentError, read_document
from appeval_pipeline.appdef.loading import schema_faults
from appeval_pipeline.errors import ExperimentError, SettingsError
from appeval_pipeline.evaluation.agents.local import LOCAL_NAME, local_settings
from appeval_pipeline.taubench.evaluating import Experiment, TauEvaluator
from appeval_pipeline.taubench.naming import NamedTauAgent, NamedUser, find_tau_agent, find_user
from appeval_pipeline.taubench.suite import TauSuite, load_suite
from appeval_pipeline.taubench.tasks import TauTask, select_tasks

_Text = Annotated[str, Field(min_length=1, max_length=500)]


class ExperimentSettings(BaseModel):
    """What an experiment file says, and what the options of ``appeval tau run`` come to; it has no key.

    Attributes:
        agent: ``oracle``, ``noop``, ``tool-calling``, ``schema``, ``react``, ``act``, ``fastworkflow``,
            ``fastworkflow-retail``, or ``module:Class``.
        model, provider, api_base: Of the agents that ask a model, as litellm names them; the model ``local``
            is the small one on this machine.
        user: ``scripted``, ``llm``, ``react``, ``verify`` or ``reflection``.
        user_model, user_provider, user_api_base: Of the users that ask a model.
        env: The domain.
        task_ids: ``1,2,3`` or ``0-9``; all where None.
        num_trials: Of each task.
        max_steps: Of a trial.
        temperature: Of the agent's model; a user's model has its service's own, as in tau-bench.
        use_reasoning: Whether the agent is asked for its thoughts.
        max_invalid_actions: How often in a row an agent is told that it said no action.
        max_concurrency: Trials at the same time.
        max_time_s: Of one trial, in seconds.
        max_cost_usd: No trial begins once all of them, agents and users, are known to have cost so much.
        seed: Each trial's own follows from it.
        reference_env: Whether tau-bench's own environment is used, which is much slower.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    agent: _Text = "oracle"
    model: _Text | None = None
    provider: _Text | None = None
    api_base: _Text | None = None
    user: _Text = "scripted"
    user_model: _Text | None = None
    user_provider: _Text | None = None
    user_api_base: _Text | None = None
    env: Literal["retail", "airline"] = "retail"
    task_split: Literal["test", "train", "dev"] = "test"
    task_ids: _Text | None = None
    num_trials: Annotated[int, Field(ge=1, le=100)] = 1
    max_steps: Annotated[int, Field(ge=1, le=1_000)] = 30
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] = 0.0
    use_reasoning: bool = True
    max_invalid_actions: Annotated[int, Field(ge=0, le=100)] = 0
    max_concurrency: Annotated[int, Field(ge=1, le=1_000)] = 10
    max_time_s: Annotated[float, Field(ge=0.1, allow_inf_nan=False)] = 600.0
    max_cost_usd: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 0
    reference_env: bool = False

    @property
    def asks_local_agent(self) -> bool:
        """Whether the agent's model is the one on this machine."""
        return (self.model, self.provider, self.api_base) == (LOCAL_NAME, None, None)

    @property
    def asks_local_user(self) -> bool:
        """Whether the user's model is the one on this machine."""
        return (self.user_model, self.user_provider, self.user_api_base) == (LOCAL_NAME, None, None)

    @field_validator("task_ids", mode="before")
    @classmethod
    def _one_task(cls, value: object) -> object:
        """In YAML a single id is a number."""
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("api_base", "user_api_base")
    @classmethod
    def _is_address(cls, value: str | None) -> str | None:
        if (fault := address_fault(value)) is not None:
            raise ValueError(f"The address {fault}")
        return value


def load_experiment(path: Path) -> ExperimentSettings:
    """Read an experiment file: YAML or JSON, an object with the keys of `ExperimentSettings`, none required.

    Raises:
        ExperimentError: It cannot be used; ``faults`` lists everything that is wrong, with place and line.
    """
    try:
        document = read_document(path)
    except DocumentError as error:
        raise ExperimentError([error.fault], error.source) from None
    try:
        return ExperimentSettings.model_validate(document.data)
    except ValidationError as error:
        faults = schema_faults(error, document, ExperimentSettings, {}, {})
        raise ExperimentError(faults, document.source) from None


@dataclass(frozen=True, slots=True)
class PreparedExperiment:
    """An experiment that can run: its tasks are read, its agent and user found.

    Attributes:
        tasks: Those that are tried.
    """

    settings: ExperimentSettings
    suite: TauSuite
    tasks: tuple[TauTask, ...]
    experiment: Experiment
    agent: NamedTauAgent
    user: NamedUser

    def evaluator(self) -> TauEvaluator:
        """What carries it out."""
        return TauEvaluator(self.suite, self.experiment, self.agent.make, self.user.make)

    def configuration(self) -> dict[str, Any]:
        """Everything that decides how a trial goes, as plain JSON without secrets, for a journal."""
        return self.experiment.configuration(self.suite)


def prepare(settings: ExperimentSettings, local_url: str | None = None) -> PreparedExperiment:
    """Find what an experiment needs; nothing is sent to any model.

    Args:
        local_url: Where the model ``local`` answers.

    Raises:
        SettingsError: The agent or the user is not known, lacks a model, or cannot be asked.
        TauBenchError: tau-bench is not installed, or has no such split or task.
    """
    suite = load_suite(settings.env, settings.task_split)
    tasks = select_tasks(suite.tasks, settings.task_ids)
    agent = find_tau_agent(
        settings.agent, _agent_model(settings, local_url), use_reasoning=settings.use_reasoning
    )
    user = find_user(settings.user, _user_model(settings, local_url))
    limits = Limits(settings.max_steps, settings.max_invalid_actions, max_time_s=settings.max_time_s)
    experiment = Experiment(
        agent=agent.identity,
        user=user.identity,
        trials=settings.num_trials,
        seed=settings.seed,
        limits=limits,
        max_concurrency=settings.max_concurrency,
        max_cost_usd=settings.max_cost_usd,
        reference_env=settings.reference_env,
    )
    return PreparedExperiment(settings, suite, tasks, experiment, agent, user)


def _agent_model(settings: ExperimentSettings, local_url: str | None) -> ModelSettings | None:
    if settings.model is None:
        _refuse_beside_no_model("model", settings.provider, settings.api_base)
        return None
    if settings.asks_local_agent:
        return replace(_local(local_url), temperature=settings.temperature)
    return ModelSettings(settings.model, settings.provider, settings.api_base, settings.temperature)


def _user_model(settings: ExperimentSettings, local_url: str | None) -> ModelSettings | None:
    if settings.user_model is None:
        _refuse_beside_no_model("user_model", settings.user_provider, settings.user_api_base)
        return None
    if settings.asks_local_user:
        return replace(_local(local_url), temperature=None)
    # tau-bench, too, leaves the temperature of the user's model to the service: customers differ.
    return ModelSettings(
        settings.user_model, settings.user_provider, settings.user_api_base, temperature=None
    )


def _local(url: str | None) -> ModelSettings:
    if url is None:
        raise SettingsError(
            "The model local is started by `appeval tau run`; elsewhere, start `appeval model serve`, and "
            "name openai/local as the model, with its address as api_base"
        )
    return local_settings(url)


def _refuse_beside_no_model(name: str, provider: str | None, api_base: str | None) -> None:
    if provider is not None or api_base is not None:
        raise SettingsError(f"A provider or an address is given, and no model; name one as {name}")
