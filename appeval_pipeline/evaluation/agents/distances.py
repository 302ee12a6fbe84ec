"""How far states are from a task's goal, each searched for once."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from copy import copy
from typing import Final

from appeval_pipeline.agents import Budget, SearchResult, ToolCall, shortest_plan
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.agents.calling import State
from appeval_pipeline.evaluation.agents.space import AppSpace, Node
from appeval_pipeline.evaluation.agents.task import EvaluationTask

SHARE: Final = 40
"""An agent that is lost may come to ever new states, each with all there is behind it."""


class Distances:
    """The shortest plans from states to a task's goal.

    An agent may wander anywhere, so what is told of its ways has a budget for all searches together; beyond
    it nothing is exact.

    Args:
        budget: Of the first search; a fortieth of its states, and its time once more, is for all others
            together.
        clock: Tells seconds.
    """

    def __init__(
        self,
        engine: Engine,
        task: EvaluationTask,
        budget: Budget,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._space = AppSpace(engine, task)
        self._budget = budget
        self._clock = clock
        self._known: dict[Hashable, SearchResult[ToolCall]] = {}
        self._first: dict[Hashable, SearchResult[ToolCall]] = {}
        """What the first search tells: of where it began, and of the states on the way to the goal."""
        self._left = budget.max_states // SHARE
        self._time_left_s = budget.max_time_s

    def afresh(self) -> Distances:
        """The same with the first search done and nothing else: what one agent is told costs no other."""
        other = copy(self)
        other._known = dict(self._first)
        other._left = self._budget.max_states // SHARE
        other._time_left_s = self._budget.max_time_s
        return other

    def plan(self, state: State) -> SearchResult[ToolCall]:
        """The shortest plan from ``state``, as far as the budget goes."""
        node = self._space.node(state)
        key = self._space.key(node)
        result = self._known.get(key)
        if result is None:
            if self._known:
                result = self._search(node, self._budget.max_depth)
                self._known[key] = result
            else:
                result = shortest_plan(self._space, node, self._budget, self._clock)
                self._first = self._along(node, result)
                self._known.update(self._first)
        return result

    def _along(self, node: Node, result: SearchResult[ToolCall]) -> dict[Hashable, SearchResult[ToolCall]]:
        """What a search tells of where it began, and of each state on its plan: the rest is shortest."""
        known = {self._space.key(node): result}
        if result.plan is None or not result.is_exact:
            return known
        for done, call in enumerate(result.plan, start=1):
            node = next(after for tried, after in self._space.successors(node) if tried == call)
            rest = result.plan[done:]
            known[self._space.key(node)] = SearchResult(rest, True, len(rest) - 1, 0, 0, 0.0)
        return known

    def shortens(self, before: State, after: State) -> bool | None:
        """Whether the goal is nearer after than before; None where a search is not exact.

        From where no plan leads to the goal, nothing is nearer.
        """
        first_node, second_node = self._space.node(before), self._space.node(after)
        if self._space.key(first_node) == self._space.key(second_node):
            return False
        if self._space.is_goal(second_node):
            return not self._space.is_goal(first_node)
        first = self.plan(before)
        if not first.is_exact:
            return None
        if first.distance is None:
            second = self.plan(after)
            return second.distance is not None if second.is_exact else None
        # Farther away or lost for ever: it need not be known which, and that may be much to find out.
        return self._is_within(after, first.distance - 1)

    def _is_within(self, state: State, distance: int) -> bool | None:
        """Whether the goal is so near; None where that is not sure."""
        node = self._space.node(state)
        known = self._known.get(self._space.key(node))
        if known is None:
            known = self._search(node, distance)
            if known.is_exact:
                self._known[self._space.key(node)] = known
        if known.distance is not None and known.distance <= distance:
            return True
        return False if known.is_exact or known.ruled_out >= distance else None

    def _search(self, node: Node, max_depth: int) -> SearchResult[ToolCall]:
        budget = Budget(self._left, max_depth, self._time_left_s)
        result = shortest_plan(self._space, node, budget, self._clock)
        self._left = max(0, self._left - result.seen)
        self._time_left_s = max(0.0, self._time_left_s - result.elapsed_s)
        return result
