"""Agents and users of tau-bench by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.agents import Agent, NoopAgent
from appeval_pipeline.agents.fastworkflow import FastWorkflowAgent, installed_version
from appeval_pipeline.agents.llm import LlmAgent, SchemaStrategy, Strategy, TextStrategy, ToolStrategy
from appeval_pipeline.agents.models import LitellmModel, ModelSettings, check_model
from appeval_pipeline.agents.protocol import JsonObject
from appeval_pipeline.errors import SettingsError
from appeval_pipeline.evaluation.agents import find_agent
from appeval_pipeline.evaluation.agents.local import LOCAL_NAME, local_settings
from appeval_pipeline.evaluation.agents.naming import LLM, REPLAY
from appeval_pipeline.taubench.agents import OracleTauAgent, ThoughtlessAgent
from appeval_pipeline.taubench.evaluating import MakeAgent, MakeUser
from appeval_pipeline.taubench.tasks import TauTask
from appeval_pipeline.taubench.users import (
    ModelledUser,
    PlainStrategy,
    ReactStrategy,
    ReflectingStrategy,
    ScriptedUser,
    UserStrategy,
    VerifyingStrategy,
)

ORACLE: Final = "oracle"
NOOP: Final = "noop"
TOOL_CALLING: Final = "tool-calling"
SCHEMA: Final = "schema"
REACT: Final = "react"
ACT: Final = "act"
FASTWORKFLOW: Final = "fastworkflow"
FASTWORKFLOW_RETAIL: Final = "fastworkflow-retail"
"""With the commands of FastWorkflow's own example."""
SCRIPTED: Final = "scripted"

_STRATEGIES: Final[Mapping[str, Callable[[], Strategy]]] = {
    TOOL_CALLING: ToolStrategy,
    SCHEMA: SchemaStrategy,
    REACT: lambda: TextStrategy(thinks=True),
    ACT: lambda: TextStrategy(thinks=False),
}
"""Those of our agents that ask a model, and how."""

_FASTWORKFLOWS: Final = (FASTWORKFLOW, FASTWORKFLOW_RETAIL)
_ASKING: Final = (*_STRATEGIES, *_FASTWORKFLOWS)

_USER_STRATEGIES: Final[Mapping[str, Callable[[], UserStrategy]]] = {
    "llm": PlainStrategy,
    "react": ReactStrategy,
    "verify": VerifyingStrategy,
    "reflection": ReflectingStrategy,
}
"""The users that a model plays, by tau-bench's names."""


@dataclass(frozen=True, slots=True)
class NamedTauAgent:
    """An agent that was asked for by name.

    Attributes:
        make: Makes it for one trial of a task.
        identity: What decides its actions, as plain JSON without secrets.
        model: Whom it asks; None for one that asks none.
    """

    name: str
    make: MakeAgent
    identity: JsonObject
    model: ModelSettings | None = None


@dataclass(frozen=True, slots=True)
class NamedUser:
    """A user that was asked for by name; the parts are as those of `NamedTauAgent`."""

    name: str
    make: MakeUser
    identity: JsonObject
    model: ModelSettings | None = None


def find_tau_agent(
    name: str, model: ModelSettings | None = None, *, use_reasoning: bool = True
) -> NamedTauAgent:
    """``oracle``, ``noop``, one that asks a model, or ``module:Class``.

    Args:
        model: Whom ``tool-calling``, ``schema``, ``react``, ``act``, and FastWorkflow ask.
        use_reasoning: False makes ``act`` of ``react``, and takes the tool ``think`` from all of them. True
            asks nothing more of ``act``.

    Raises:
        SettingsError: There is no such agent, it lacks a model or needs none, the model cannot be asked, or
            the agent's package is not installed.
    """
    if name in _ASKING:
        return _asking(name, model, use_reasoning)
    kind, _, rest = name.partition(":")
    if name not in (ORACLE, NOOP) and (not rest or kind in (LLM, REPLAY)):
        raise SettingsError(
            f"There is no agent '{name}' for tau-bench; expected {ORACLE}, {NOOP}, {', '.join(_ASKING)}, "
            "or module:Class for your own"
        )
    if model is not None or not use_reasoning:
        raise SettingsError(
            f"The agent {name} asks no model: a model, and whether it is to reason, are for "
            f"{', '.join(_ASKING)}"
        )
    if name == ORACLE:
        return NamedTauAgent(name, OracleTauAgent, {"agent": name})
    found = find_agent(name)
    choice = found.choice

    def make(task: TauTask) -> Agent:
        if isinstance(choice, str):
            return NoopAgent()
        return choice if isinstance(choice, Agent) and not isinstance(choice, type) else choice()

    return NamedTauAgent(found.name, make, found.identity)


def _asking(name: str, model: ModelSettings | None, use_reasoning: bool) -> NamedTauAgent:
    if model is None:
        raise SettingsError(f"The agent {name} asks a model: say which, as in --model openai/gpt-4o")
    version = {"version": installed_version()} if name in _FASTWORKFLOWS else {}
    check_model(model)
    if name == REACT and not use_reasoning:
        name = ACT
    full_name = f"{name}:{model.model}"

    def make(task: TauTask) -> Agent:
        asked = LitellmModel(model)
        agent: Agent
        if name in _FASTWORKFLOWS:
            needed = [call.name for call in task.actions]
            as_shipped = name == FASTWORKFLOW_RETAIL
            agent = FastWorkflowAgent(asked, full_name, as_in_the_example=as_shipped, needed=needed)
        else:
            agent = LlmAgent(asked, _STRATEGIES[name](), full_name)
        return agent if use_reasoning else ThoughtlessAgent(agent)

    identity = {"agent": name, **version, "use_reasoning": use_reasoning, **_identity(model)}
    return NamedTauAgent(full_name, make, identity, model)


def _identity(model: ModelSettings) -> JsonObject:
    # The model on this machine is the same at whatever port it answers.
    is_local = model.api_base is not None and model.model == local_settings(model.api_base).model
    return {
        "model": model.model,
        "provider": model.provider,
        "api_base": LOCAL_NAME if is_local else model.api_base,
        "temperature": model.temperature,
        "max_completion_tokens": model.max_completion_tokens,
    }


def find_user(name: str, model: ModelSettings | None = None) -> NamedUser:
    """``scripted``, who says the instruction and is content with the first reply, or one that a model plays.

    Args:
        model: Who plays ``llm``, ``react``, ``verify`` and ``reflection``.

    Raises:
        SettingsError: There is no such user, it lacks a model or needs none, or the model cannot be asked.
    """
    if name == SCRIPTED:
        if model is not None:
            raise SettingsError(f"The user {name} asks no model, and one is given for it")
        return NamedUser(name, lambda seed: ScriptedUser(), {"user": name})
    if name not in _USER_STRATEGIES:
        raise SettingsError(
            f"There is no user '{name}'; expected {SCRIPTED}, which needs no model, or "
            f"{', '.join(_USER_STRATEGIES)}"
        )
    if model is None:
        raise SettingsError(
            f"The user {name} is played by a model: say which, as in --user-model openai/gpt-4o"
        )
    check_model(model)
    player, strategy = model, _USER_STRATEGIES[name]()

    def make(seed: int) -> ModelledUser:
        return ModelledUser(LitellmModel(player), seed, strategy)

    return NamedUser(f"{name}:{model.model}", make, {"user": name, **_identity(model)}, model)
