"""Agents of tau-bench's own kind: the one that knows the answer, and one that is not to think aloud."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from appeval_pipeline.agents import Action, Agent, Briefing, Exchange, Reply, Stop, Turn
from appeval_pipeline.taubench.tasks import TauTask
from appeval_pipeline.taubench.toolset import TERMINATING

_NOTHING_TO_SAY: Final = "All is done."


class OracleTauAgent:
    """Does what a task expects, says what it requires, and so proves the environment: its reward is 1.

    What ends an episode comes last, and after what has to be said.

    Attributes:
        actions: All that it does, in order.
    """

    name = "oracle"

    def __init__(self, task: TauTask) -> None:
        ending = tuple(call for call in task.actions if call.name in TERMINATING)
        before = tuple(call for call in task.actions if call.name not in TERMINATING)
        # A user ends the episode when told of the end; without one to tell, a transfer does.
        said = (Reply("\n".join(task.outputs) or _NOTHING_TO_SAY),) if task.outputs or not ending else ()
        self.actions: tuple[Action, ...] = (*before, *said, *ending)

    async def start(self, briefing: Briefing, seed: int) -> None:
        """Nothing to prepare."""

    async def act(self, history: Sequence[Exchange]) -> Turn:
        """The action whose turn it is."""
        done = len(history)
        return Turn(self.actions[done] if done < len(self.actions) else Stop())


THINK: Final = "think"
"""A tool that does nothing: tau-bench has it for agents that want to reason before they act."""


class ThoughtlessAgent:
    """Another agent, which is not offered the tool ``think``."""

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self._agent = agent

    async def start(self, briefing: Briefing, seed: int) -> None:
        """Begin, with a tool less."""
        tools = tuple(tool for tool in briefing.tools if tool.name != THINK)
        await self._agent.start(replace(briefing, tools=tools), seed)

    async def act(self, history: Sequence[Exchange]) -> Turn:
        """The other agent's action."""
        return await self._agent.act(history)
