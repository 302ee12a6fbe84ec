"""Agents by name."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

from appeval_pipeline.agents import Agent, ReplayAgent
from appeval_pipeline.agents.fastworkflow import FastWorkflowAgent, installed_version
from appeval_pipeline.agents.llm import LlmAgent, Mode
from appeval_pipeline.agents.models import LitellmModel, ModelSettings, check_model
from appeval_pipeline.agents.models.redaction import redact, secrets_of
from appeval_pipeline.agents.protocol import JsonObject
from appeval_pipeline.agents.recording import read_actions
from appeval_pipeline.errors import SettingsError

PLAIN_AGENTS: Final = ("noop", "random", "oracle")
LLM: Final = "llm"
FASTWORKFLOW: Final = "fastworkflow"
ASKING_AGENTS: Final = (LLM, FASTWORKFLOW)
"""Those that take a model."""
REPLAY: Final = "replay"

AgentChoice: TypeAlias = str | Agent | Callable[[], Agent]
"""``noop``, ``random`` or ``oracle``; an agent; or what makes one for each trial."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How an agent named ``llm`` or ``fastworkflow`` asks its model.

    Attributes:
        settings: The model and how it is reached; a model in the agent's name takes its place.
        mode: ``tools`` for models that call tools, ``schema`` for those that do not; of ``llm`` only.
        label: What the model is called where results are; by default by its own name.
    """

    settings: ModelSettings | None = None
    mode: Mode = "tools"
    label: str | None = None


@dataclass(frozen=True, slots=True)
class NamedAgent:
    """An agent that was asked for by name.

    Attributes:
        name: As it is stored and shown.
        choice: What evaluating takes.
        model: The language model that it asks; None for one that asks none.
        identity: What decides its actions, as plain JSON without secrets.
    """

    name: str
    choice: AgentChoice
    model: str | None = None
    identity: JsonObject = field(default_factory=dict)

    @property
    def is_costly(self) -> bool:
        """Whether a trial may take so long, or cost so much, that it should not be done twice."""
        return self.name not in PLAIN_AGENTS


def find_agent(name: str, options: ModelOptions = ModelOptions()) -> NamedAgent:
    """The agent of a name: a plain one, ``llm`` (or ``llm:MODEL``), ``replay:FILE``, or ``module:Class``.

    ``fastworkflow`` is as ``llm``.

    Raises:
        SettingsError: There is no such agent, no model is named, or the model cannot be asked.
        TrajectoryError: The file to replay has no actions.
    """
    if name in PLAIN_AGENTS:
        return NamedAgent(name, name, identity={"agent": name})
    module_name, _, class_name = name.partition(":")
    if module_name in ASKING_AGENTS:
        return _asking(module_name, class_name, options)
    if not class_name:
        known = ", ".join((*PLAIN_AGENTS, *ASKING_AGENTS))
        raise SettingsError(
            f"There is no agent '{name}'; expected {known}, {REPLAY}:FILE, or module:Class for your own"
        )
    if module_name == REPLAY:
        return _replaying(name, Path(class_name))
    return _own(name, module_name, class_name)


def _asking(agent: str, model: str, options: ModelOptions) -> NamedAgent:
    settings = options.settings
    if model:
        settings = ModelSettings(model) if settings is None else replace(settings, model=model)
    if settings is None:
        raise SettingsError(f"The agent '{agent}' asks a model: say which, as in {agent}:openai/gpt-4o")
    version = {"version": installed_version()} if agent == FASTWORKFLOW else {"mode": options.mode}
    check_model(settings)
    label = options.label or settings.model
    name = f"{agent}:{label}"
    asked = settings
    identity = {
        "agent": agent,
        "model": label,
        "provider": settings.provider,
        "api_base": None if options.label else settings.api_base,
        "temperature": settings.temperature,
        "max_completion_tokens": settings.max_completion_tokens,
        **version,
    }

    def make() -> Agent:
        if agent == FASTWORKFLOW:
            return FastWorkflowAgent(LitellmModel(asked), name)
        return LlmAgent(LitellmModel(asked), options.mode, name)

    return NamedAgent(name, make, label, identity)


def _replaying(name: str, path: Path) -> NamedAgent:
    actions = read_actions(path)
    identity = {"agent": REPLAY, "actions": [call.to_dict() for call in actions]}
    return NamedAgent(name, lambda: ReplayAgent(actions, name), identity=identity)


def _own(name: str, module_name: str, class_name: str) -> NamedAgent:
    try:
        module = importlib.import_module(module_name)
        made = getattr(module, class_name)
    except Exception as error:  # noqa: BLE001 - the module is the user's, and may fail in any way
        raise SettingsError(f"The agent '{name}' cannot be loaded: {_told(error)}") from None
    if not isinstance(made, type) or not all(hasattr(made, part) for part in ("start", "act")):
        raise SettingsError(_NO_AGENT.format(name))
    _make_once(name, made)
    source = inspect.getsourcefile(module)
    code = hashlib.sha256(Path(source).read_bytes()).hexdigest() if source else None
    return NamedAgent(name, made, identity={"agent": name, "code": code})


def _told(error: Exception) -> str:
    return redact(str(error), secrets_of(os.environ))


_NO_AGENT: Final = "'{}' is no agent: it needs a name, and the methods start and act"


def _make_once(name: str, made: Callable[[], object]) -> None:
    """See whether an agent can be made, before one is for each trial."""
    try:
        agent = made()
    except Exception as error:  # noqa: BLE001 - as above
        raise SettingsError(
            f"The agent '{name}' cannot be made: {_told(error)}; it is made without arguments"
        ) from None
    if not isinstance(agent, Agent) or not isinstance(agent.name, str):
        raise SettingsError(_NO_AGENT.format(name))
