"""FastWorkflow's agent behind the protocol of agents."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Collection, Sequence
from pathlib import Path

from appeval_pipeline.agents.fastworkflow.bridge import Bridge, Failed, Question
from appeval_pipeline.agents.fastworkflow.folder import folder_of, known_to_the_example
from appeval_pipeline.agents.fastworkflow.library import load_fastworkflow
from appeval_pipeline.agents.fastworkflow.session import converse
from appeval_pipeline.agents.models import Model
from appeval_pipeline.agents.protocol import Briefing, Exchange, Tool, Turn, Usage
from appeval_pipeline.errors import SettingsError


class FastWorkflowAgent:
    """Lets FastWorkflow decide: its plan, its ReAct loop, its parsing of commands.

    FastWorkflow blocks until it has an answer for the user, and calls tools meanwhile. It runs in a thread of
    its own, which stops at each call, and at each answer, until the environment's observation is there. Its
    questions to the model are asked here, so that a time limit cuts them off, and are counted. The thread
    ends with the episode: when the agent begins another one, fails, is cancelled, or is let go of.

    Args:
        model: Who is asked, for every part of FastWorkflow.
        as_in_the_example: Whether commands are those of FastWorkflow's example ``retail_workflow``, with its
            hints and checks; they act through the environment all the same.
        needed: Tools without which there is nothing to be tried.

    Raises:
        SettingsError: FastWorkflow is not installed.
    """

    def __init__(
        self,
        model: Model,
        name: str = "fastworkflow",
        *,
        as_in_the_example: bool = False,
        needed: Collection[str] = (),
    ) -> None:
        load_fastworkflow()  # takes many seconds, once, that are none of a trial's
        self.name = name
        self._model = model
        self._as_in_the_example = as_in_the_example
        self._needed = frozenset(needed)
        self._seed = 0
        self._bridge: Bridge | None = None
        self._is_waiting = False
        """Whether the thread waits for what came of the last action."""

    async def start(self, briefing: Briefing, seed: int) -> None:
        """Make the tools FastWorkflow's commands, and begin a conversation.

        Raises:
            SettingsError: A tool cannot be a command of FastWorkflow's, or one is needed that it lacks.
        """
        self.end()
        folder = await asyncio.to_thread(self._folder, briefing.tools)
        self._seed, self._is_waiting = seed, False
        bridge = self._bridge = Bridge()
        weakref.finalize(self, bridge.end)
        bridge.start(lambda bridge: converse(bridge, folder, briefing))

    async def act(self, history: Sequence[Exchange]) -> Turn:
        """Tell FastWorkflow what came of its last action, and wait for the next.

        Raises:
            ModelError: A question to the model had no answer.
            Exception: FastWorkflow broke down.
        """
        bridge = self._bridge
        if bridge is None:
            raise RuntimeError("The episode has not begun, or is over")
        if self._is_waiting:
            bridge.answer(history[-1].observation)
        usage = Usage()
        try:
            while True:
                request = await bridge.next_request()
                match request:
                    case Question(messages):
                        reply = await self._model.complete(messages, seed=self._seed)
                        usage += reply.usage
                        bridge.answer(reply)
                    case Failed(failure):
                        raise failure
                    case _:
                        self._is_waiting = True
                        return Turn(request, usage)
        except BaseException:
            self.end()
            raise

    def _folder(self, tools: tuple[Tool, ...]) -> Path:
        if self._as_in_the_example:
            tools = known_to_the_example(tools)
        if lacking := sorted(self._needed - {tool.name for tool in tools}):
            raise SettingsError(f"FastWorkflow lacks what the task needs: {', '.join(lacking)}")
        return folder_of(tools, as_in_the_example=self._as_in_the_example)

    def end(self) -> None:
        """End the episode, if one is under way."""
        if self._bridge is not None:
            self._bridge.end()
            self._bridge = None
