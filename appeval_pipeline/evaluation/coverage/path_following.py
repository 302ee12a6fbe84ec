"""Which paths of the graph a run took.

A path goes through a loop's body at most once; a run may go through it many times, each time another way. The
run takes *every* path that it goes along if, of each run of a loop, one iteration is looked at and the
others are not:

* a loop with iterations that went ways a and b, and then on to the end, takes two paths: a and on, b and on;
* two such loops after each other take each pair, a loop inside a loop what its iterations take together;
* where an iteration ends the action, by `return`, `error` or a failing `validate`, the run takes only that
  iteration's path: none of the others led to the end.

So each path is taken by a run whose loops run once along it, where the app's data allow such a run; and as
runs only ever add paths, more runs never lower coverage. A run that an expression or a limit broke off took
no path: it came to no end that the logic knows.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Literal, assert_never

from appeval_pipeline.appdef.schema import (
    AnyBlock,
    BranchBlock,
    ErrorBlock,
    LoopBlock,
    NotifyBlock,
    ReturnBlock,
    UpdateBlock,
    ValidateBlock,
)
from appeval_pipeline.engine import TraceEvent
from appeval_pipeline.evaluation.coverage.graph import FlowGraph


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What a list of blocks did: how it was left, and the numbers of the ways through it that count.

    It ``goes on`` behind the list, ``ends`` the action, or ``stops`` where no end is.
    """

    left: Literal["goes on", "ends", "stops"]
    ways: Set[int]


_STOPS = _Stretch("stops", frozenset())


def covered_paths(graph: FlowGraph, trace: Sequence[TraceEvent], max_paths: int) -> Set[int]:
    """The numbers of the paths that a run took; empty if it came to no end.

    Args:
        graph: The graph of the action that ran.
        trace: All that it did.
        max_paths: How many paths to look for; where there are more, some of them are given, at least
            this many.
    """
    follower = _Follower(graph, trace, max_paths)
    stretch = follower.follow(graph.action.logic, f"{graph.action.name}.logic")
    is_whole = stretch.left != "stops" and follower.position == len(trace)
    return stretch.ways if is_whole else frozenset()


class _Follower:
    """Reads a trace along the definition."""

    def __init__(self, graph: FlowGraph, trace: Sequence[TraceEvent], max_paths: int) -> None:
        self.graph = graph
        self.trace = trace
        self.max_paths = max_paths
        self.position = 0

    def follow(self, blocks: Sequence[AnyBlock], arm: str) -> _Stretch:
        ways: Set[int] = frozenset((0,))
        for index, block in enumerate(blocks):
            name = f"{arm}[{index}]"
            if not self._is_next(name):
                return _STOPS
            outcome = self.trace[self.position].outcome
            self.position += 1
            stretch = self._block(block, name, outcome)
            if stretch.left == "stops":
                return _STOPS
            ways = self._joined(ways, stretch.ways, self.graph.numbers[name, outcome])
            if stretch.left == "ends":
                return _Stretch("ends", ways)
        return _Stretch("goes on", ways)

    def _is_next(self, name: str) -> bool:
        return self.position < len(self.trace) and self.trace[self.position].block == name

    def _block(self, block: AnyBlock, name: str, outcome: str) -> _Stretch:
        match block:
            case ValidateBlock():
                return _Stretch("goes on" if outcome == "pass" else "ends", {0})
            case UpdateBlock() | NotifyBlock():
                return _Stretch("goes on", {0})
            case ReturnBlock() | ErrorBlock():
                return _Stretch("ends", {0})
            case BranchBlock():
                taken = block.then if outcome == "then" else block.else_
                return self.follow(taken or (), f"{name}.{outcome}")
            case LoopBlock():
                if outcome == "0" or not block.body:
                    return _Stretch("goes on", {0})
                return self._iterations(block, name)
            case _:
                assert_never(block)

    def _iterations(self, block: LoopBlock, name: str) -> _Stretch:
        ways: set[int] = set()
        while self._is_next(f"{name}.body[0]"):
            iteration = self.follow(block.body, f"{name}.body")
            if iteration.left != "goes on":
                return iteration
            if len(ways) < self.max_paths:
                ways |= iteration.ways
        return _Stretch("goes on", ways) if ways else _STOPS

    def _joined(self, ways: Set[int], further: Set[int], number: int) -> Set[int]:
        """Every way with every further one, over the edge with ``number``.

        No two pairs give the same sum: the numbers of all paths differ.
        """
        if len(further) == 1:
            (only,) = further
            offset = only + number
            return {way + offset for way in ways} if offset else ways
        pairs = (way + number + more for way in ways for more in further)
        return set(islice(pairs, self.max_paths))
