"""An app and a task as a space to search."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.agents.calling import Caller, State, canonical_bytes
from appeval_pipeline.evaluation.agents.candidates import Candidates
from appeval_pipeline.evaluation.agents.goal import Goal
from appeval_pipeline.evaluation.agents.task import EvaluationTask
from appeval_pipeline.expr.limits import LimitExceeded
from appeval_pipeline.expr.values import copy_plain

_ID: Final = re.compile(rb"[0-9a-f]{16}(?![0-9a-f])(?<![0-9a-f.:,\[].{16})(?<![:,\[]-.{16})", re.DOTALL)
"""What `generate_id` hands out, in canonical bytes. What follows a colon, comma or bracket at once, or a
point, may be a number of as many digits (1/3 is one), and numbers are not names. The digits are looked for
first: so many are rare."""

MOST_KNOWN: Final = 2_000
"""States of which it is remembered what may be done in them."""


@dataclass(slots=True)
class Node:
    """A state on the way, and its canonical bytes."""

    state: State
    state_bytes: bytes
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class _Expansion:
    """What may be done in a state."""

    successors: tuple[tuple[ToolCall, Node], ...]
    is_complete: bool


class AppSpace:
    """The states of an app that one agent's calls lead through.

    What may be done in a state is remembered: searches from neighbouring states go over the same ground.
    """

    def __init__(self, engine: Engine, task: EvaluationTask) -> None:
        self._caller = Caller(engine, task.agent.id, task.roles, task.config)
        self._candidates = Candidates(engine.app, task)
        self._goal = Goal(engine.app, task)
        self._known: dict[bytes, _Expansion] = {}
        given = canonical_bytes([engine.app.model_dump(mode="json"), task.model_dump(mode="json")])
        # Quotes in expressions are no part of a JSON text: whatever looks like an id counts here.
        self._given = frozenset(re.findall(rb"[0-9a-f]{16}", given))

    def node(self, state: State) -> Node:
        """A state as a place to start from."""
        return Node(state, canonical_bytes(state))

    def key(self, node: Node) -> Hashable:
        """The state but for which ids were handed out: these are numbered in order of appearance.

        An id that the app or the task names is not one of these: the goal may ask for it, and for no other.
        """
        numbers: dict[bytes, bytes] = {}

        def number(match: re.Match[bytes]) -> bytes:
            if match[0] in self._given:
                return match[0]
            # No JSON text has such a character: it cannot be what somebody wrote.
            return numbers.setdefault(match[0], b"\x00%d" % len(numbers))

        return _ID.sub(number, node.state_bytes)

    def is_goal(self, node: Node) -> bool:
        """Whether the task's goal is reached."""
        return self._goal.is_reached(node.state)

    def successors(self, node: Node) -> Iterator[tuple[ToolCall, Node]]:
        """The calls that succeed and change something, each with the state after it."""
        known = self._known.get(node.state_bytes)
        if known is not None:
            node.is_complete = known.is_complete
            yield from known.successors
            return
        found = []
        for call, after in self._tried(node):
            found.append((call, after))
            yield call, after
        if len(self._known) < MOST_KNOWN:
            self._known[node.state_bytes] = _Expansion(tuple(found), node.is_complete)

    def _tried(self, node: Node) -> Iterator[tuple[ToolCall, Node]]:
        candidates = self._candidates.calls(node.state)
        node.is_complete = candidates.is_complete
        position = self._caller.at(node.state, node.state_bytes)

        def another(live: State) -> Node | None:
            live_bytes = canonical_bytes(live)
            if live_bytes == node.state_bytes:
                return None
            return Node(copy_plain(live), live_bytes)  # type: ignore[arg-type]

        for call in candidates.calls:
            try:
                after = position.peek(call, another)
            except LimitExceeded:
                node.is_complete = False
                continue
            if after is not None:
                yield call, after

    def is_complete(self, node: Node) -> bool:
        """Whether every call worth trying was tried."""
        return node.is_complete
