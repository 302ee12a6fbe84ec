"""Breadth-first search, on graphs whose shortest ways are known otherwise."""

from collections.abc import Iterable, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appeval_pipeline.agents import Budget, SearchResult, shortest_plan

AMPLE = Budget()
Edges = Mapping[int, Sequence[int]]


class Graph:
    """Numbers joined by edges; an action is named by where it leads."""

    def __init__(self, edges: Edges, goal: int | None, incomplete_at: int | None = None) -> None:
        self.edges, self.goal, self.incomplete_at = edges, goal, incomplete_at

    def key(self, state: int) -> int:
        return state

    def is_goal(self, state: int) -> bool:
        return state == self.goal

    def successors(self, state: int) -> Iterable[tuple[str, int]]:
        return [(f"to {number}", number) for number in self.edges.get(state, ())]

    def is_complete(self, state: int) -> bool:
        return state != self.incomplete_at


def search(graph: Graph, budget: Budget = AMPLE) -> SearchResult[str]:
    return shortest_plan(graph, 0, budget, lambda: 0.0)


DIAMOND = {0: [1, 2], 1: [3], 2: [3], 3: [4, 0]}


def test_the_shortest_way_is_found() -> None:
    result = search(Graph(DIAMOND, goal=4))
    assert (result.plan, result.distance, result.is_exact) == (("to 1", "to 3", "to 4"), 3, True)


def test_a_goal_that_is_reached_already_needs_nothing() -> None:
    assert (search(Graph(DIAMOND, goal=0)).plan, search(Graph(DIAMOND, goal=0)).is_exact) == ((), True)


def test_that_there_is_no_way_is_sure_once_everything_was_seen() -> None:
    result = search(Graph(DIAMOND, goal=9))
    assert (result.plan, result.is_exact, result.expanded, result.seen) == (None, True, 5, 5)


@pytest.mark.parametrize("budget", [Budget(max_states=50), Budget(max_depth=20)])
def test_a_budget_ends_a_search_and_nothing_is_sure_then(budget: Budget) -> None:
    line = {number: [number + 1] for number in range(1000)}
    result = search(Graph(line, goal=999), budget)
    assert (result.plan, result.is_exact) == (None, False)
    assert result.seen <= 51


def test_time_ends_a_search() -> None:
    line = {number: [number + 1] for number in range(1000)}
    ticks = iter(range(10_000))
    budget = Budget(max_time_s=5, max_depth=10_000)
    result = shortest_plan(Graph(line, goal=999), 0, budget, lambda: float(next(ticks)))
    assert (result.plan, result.is_exact) == (None, False)
    assert result.expanded < 10


def test_what_the_space_leaves_out_is_not_taken_for_impossible() -> None:
    assert not search(Graph(DIAMOND, goal=9, incomplete_at=2)).is_exact
    # A way found before the gap is a shortest way all the same.
    assert search(Graph(DIAMOND, goal=1, incomplete_at=3)).is_exact


@given(
    st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=3), max_size=8), st.integers(0, 7)
)
def test_the_distance_is_that_of_relaxing_every_edge(edges: dict[int, list[int]], goal: int) -> None:
    distances = {0: 0}
    for _ in range(8):
        for number, others in edges.items():
            for other in others:
                if number in distances:
                    distances[other] = min(distances.get(other, 99), distances[number] + 1)
    result = search(Graph(edges, goal))
    assert result.distance == distances.get(goal)
    assert result.is_exact
