"""An app and a task as a space to search."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.agents.calling import Caller, State, canonical_bytes
from appeval_pipeline.evaluation.agents.candidates import Candidates
from appeval_pipeline.evaluation.agents.goal import Goal
from appeval_pipeline.evaluation.agents.task import EvaluationTask

_ID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])")
"""What `generate_id` hands out."""


@dataclass(slots=True)
class Node:
    """A state on the way, and its canonical bytes."""

    state: State
    state_bytes: bytes
    is_complete: bool = True


class AppSpace:
    """The states of an app that one agent's calls lead through."""

    def __init__(self, engine: Engine, task: EvaluationTask) -> None:
        self._caller = Caller(engine, task.agent.id, task.roles, task.config)
        self._candidates = Candidates(engine.app, task)
        self._goal = Goal(engine.app, task)

    def node(self, state: State) -> Node:
        """A state as a place to start from."""
        return Node(state, canonical_bytes(state))

    def key(self, node: Node) -> Hashable:
        """The state but for which ids were handed out: these are numbered in order of appearance."""
        numbers: dict[bytes, bytes] = {}

        def number(match: re.Match[bytes]) -> bytes:
            return numbers.setdefault(match[0], b"#%d" % len(numbers))

        return _ID.sub(number, node.state_bytes)

    def is_goal(self, node: Node) -> bool:
        """Whether the task's goal is reached."""
        return self._goal.is_reached(node.state)

    def successors(self, node: Node) -> Iterator[tuple[ToolCall, Node]]:
        """The calls that succeed and change something, each with the state after it."""
        candidates = self._candidates.calls(node.state)
        node.is_complete = candidates.is_complete
        position = self._caller.at(node.state, node.state_bytes)
        for call in candidates.calls:
            result = position.call(call)
            if not result.success:
                if not result.deterministic:
                    node.is_complete = False
                continue
            after = result.state_after
            after_bytes = canonical_bytes(after)
            if after_bytes != node.state_bytes:
                yield call, Node(after, after_bytes)

    def is_complete(self, node: Node) -> bool:
        """Whether every call worth trying was tried."""
        return node.is_complete
