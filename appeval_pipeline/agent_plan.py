"""Which agents the pipeline lets try every app's tasks, and how often."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

DEFAULT_AGENTS: Final = "oracle, noop, random*20"
MOST_TRIALS: Final = 1_000
_TRIALS: Final[Mapping[str, int]] = {"oracle": 1, "noop": 1, "random": 20}
"""Where nothing is said: the oracle and the idle agent do the same each time."""
_OTHER_TRIALS: Final = 4
"""Of any other agent: enough for pass^4."""
_ENTRY: Final = re.compile(r"(?P<name>[^\s,*]+)(?:\s*\*\s*(?P<trials>[0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class PlannedAgent:
    """An agent by its name, and its trials of each task."""

    name: str
    trials: int

    def __str__(self) -> str:
        return f"{self.name}*{self.trials}"


@dataclass(frozen=True, slots=True)
class AgentPlan:
    """The agents, in the order in which they were named; ``seed`` is that of each one's first trial."""

    agents: tuple[PlannedAgent, ...]
    seed: int = 0

    @property
    def version(self) -> str:
        """SHA-256 of the plan: another one makes the results stale."""
        return hashlib.sha256(f"{self}, seed {self.seed}".encode()).hexdigest()

    def __str__(self) -> str:
        return ", ".join(map(str, self.agents))


def parse_agent_plan(text: str) -> AgentPlan:
    """The plan that a text like ``oracle, noop, random*20, llm:openai/gpt-4o*4`` names.

    Args:
        text: Names of agents, by commas; ``*`` and a number say how often each task is tried.

    Raises:
        ValueError: It cannot be read; the message says what would be accepted.
    """
    agents: list[PlannedAgent] = []
    for part in text.split(","):
        match = _ENTRY.fullmatch(part.strip())
        if match is None:
            raise ValueError(
                f"{part.strip()!r} is no agent; accepted are names by commas, such as {DEFAULT_AGENTS}"
            )
        name = match["name"]
        trials = int(match["trials"]) if match["trials"] else _TRIALS.get(name, _OTHER_TRIALS)
        if not 1 <= trials <= MOST_TRIALS:
            raise ValueError(f"{name} is to try {trials} times; accepted are 1 to {MOST_TRIALS}")
        if name in {agent.name for agent in agents}:
            raise ValueError(f"{name} is named twice")
        agents.append(PlannedAgent(name, trials))
    return AgentPlan(tuple(agents))


DEFAULT_PLAN: Final = parse_agent_plan(DEFAULT_AGENTS)
