"""Agents by name."""

from __future__ import annotations

import importlib
from typing import Final

from appeval_pipeline.agents import Agent
from appeval_pipeline.errors import SettingsError
from appeval_pipeline.evaluation.agents.evaluating import AgentChoice

PLAIN_AGENTS: Final = ("noop", "random", "oracle")


def find_agent(name: str) -> AgentChoice:
    """A plain agent's name as it is; for ``module:Class``, what makes one of these a trial.

    Raises:
        SettingsError: There is no such agent.
    """
    if name in PLAIN_AGENTS:
        return name
    module_name, _, class_name = name.partition(":")
    if not class_name:
        raise SettingsError(
            f"There is no agent '{name}'; expected {', '.join(PLAIN_AGENTS)}, or module:Class for your own"
        )
    try:
        made = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingsError(f"The agent '{name}' cannot be loaded: {error}") from error
    if not isinstance(made, type) or not all(hasattr(made, part) for part in ("start", "act")):
        raise SettingsError(f"'{name}' is no agent: it needs a name, and the methods start and act")

    def make() -> Agent:
        agent = made()
        assert isinstance(agent, Agent)
        return agent

    return make
