"""How far states are from a task's goal, each searched for once."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import replace

from appeval_pipeline.agents import Budget, SearchResult, ToolCall, shortest_plan
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.agents.calling import State
from appeval_pipeline.evaluation.agents.space import AppSpace
from appeval_pipeline.evaluation.agents.task import EvaluationTask


class Distances:
    """The shortest plans from states to a task's goal.

    An agent may wander anywhere, so what is told of its ways has a budget for all searches together; beyond
    it nothing is exact.

    Args:
        budget: Of the first search, and once more of all others together.
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
        self._left = budget.max_states

    def plan(self, state: State) -> SearchResult[ToolCall]:
        """The shortest plan from ``state``, as far as the budget goes."""
        node = self._space.node(state)
        key = self._space.key(node)
        result = self._known.get(key)
        if result is None:
            budget = self._budget if not self._known else replace(self._budget, max_states=self._left)
            result = shortest_plan(self._space, node, budget, self._clock)
            if self._known:
                self._left = max(0, self._left - result.seen)
            self._known[key] = result
        return result

    def shortens(self, before: State, after: State) -> bool | None:
        """Whether the goal is nearer after than before; None where a search is not exact.

        From where no plan leads to the goal, nothing is nearer.
        """
        first = self.plan(before)
        if not first.is_exact:
            return None
        second = self.plan(after)
        if not second.is_exact:
            return None
        if second.distance is None:
            return False
        return first.distance is None or second.distance < first.distance
