"""The shortest way to a goal, by breadth-first search."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

S = TypeVar("S")
A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)


class SearchSpace(Protocol[S, A_co]):
    """States, what may be done in each, and which are goals."""

    def key(self, state: S) -> Hashable:
        """States with the same key are the same as far as the future goes."""

    def is_goal(self, state: S) -> bool:
        """Whether the goal is reached."""

    def successors(self, state: S) -> Iterable[tuple[A_co, S]]:
        """What may be done, each with the state after it."""

    def is_complete(self, state: S) -> bool:
        """Whether ``successors`` leaves nothing out that it should offer, in any state up to this one."""


@dataclass(frozen=True, slots=True)
class SearchResult(Generic[A]):
    """What a search found.

    Attributes:
        plan: The shortest sequence of actions to the goal; None if none was found.
        is_exact: Whether the plan is shortest, or that there is none is sure, among the actions that the
            space offers: neither a budget nor the space cut anything off that could matter.
        ruled_out: It is sure that no plan has so few actions; -1 where not even that the start is no goal.
        expanded: States whose successors were looked at.
        seen: Different states that were met.
        elapsed_s: Measured time, in seconds.
    """

    plan: tuple[A, ...] | None
    is_exact: bool
    ruled_out: int
    expanded: int
    seen: int
    elapsed_s: float

    @property
    def distance(self) -> int | None:
        """Actions to the goal; None if no plan was found."""
        return None if self.plan is None else len(self.plan)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a search may take; the states decide, the time is a backstop that differs between machines."""

    max_states: int = 20_000
    max_depth: int = 30
    max_time_s: float = 30.0


def shortest_plan(
    space: SearchSpace[S, A], start: S, budget: Budget, clock: Callable[[], float]
) -> SearchResult[A]:
    """Search breadth-first from ``start``; among plans of equal length, the first in the space's order.

    Args:
        clock: Tells seconds.
    """
    began = clock()
    if space.is_goal(start):
        return SearchResult((), True, -1, 0, 1, clock() - began)
    reached: dict[Hashable, tuple[Hashable, A] | None] = {(start_key := space.key(start)): None}
    frontier: list[tuple[Hashable, S]] = [(start_key, start)]
    expanded, depth, ruled_out, complete = 0, 0, 0, True
    while frontier and depth < budget.max_depth:
        depth += 1
        following: list[tuple[Hashable, S]] = []
        for key, state in frontier:
            if len(reached) >= budget.max_states or clock() - began > budget.max_time_s:
                return SearchResult(None, False, ruled_out, expanded, len(reached), clock() - began)
            expanded += 1
            for action, after in space.successors(state):
                after_key = space.key(after)
                if after_key in reached:
                    continue
                reached[after_key] = (key, action)
                if space.is_goal(after):
                    plan = _plan(reached, after_key)
                    return SearchResult(plan, complete, ruled_out, expanded, len(reached), clock() - began)
                following.append((after_key, after))
            complete = complete and space.is_complete(state)
        frontier = following
        if complete:
            ruled_out = depth
    exact = complete and not frontier
    return SearchResult(None, exact, ruled_out, expanded, len(reached), clock() - began)


def _plan(reached: dict[Hashable, tuple[Hashable, A] | None], goal: Hashable) -> tuple[A, ...]:
    actions: list[A] = []
    link = reached[goal]
    while link is not None:
        key, action = link
        actions.append(action)
        link = reached[key]
    return tuple(reversed(actions))
