"""What is possible: the control-flow graph of an action, its arms and its paths.

A loop runs zero times or once or more; "once or more" leads through its body one time and on, so the graph
has no cycles. A path is the sequence of decisions from the first block to an end: a failing `validate`, a
`return`, an `error`, or the end of the logic. Every edge leads to a block that stands later in the
definition, so one pass in either direction is enough for whatever is asked of the graph.

Paths are counted, never listed. They are numbered 0 … total - 1 as Ball and Larus do ("Efficient path
profiling", MICRO 1996): each edge has a number, and the sum over the edges of a path is its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, assert_never

from appeval_pipeline.appdef.schema import (
    ActionDefinition,
    AnyBlock,
    BranchBlock,
    ErrorBlock,
    LoopBlock,
    NotifyBlock,
    ReturnBlock,
    UpdateBlock,
    ValidateBlock,
)
from appeval_pipeline.appdef.scopes import arms

_END: Final = None
"""Where an edge leads that ends the action."""


class Edge(NamedTuple):
    """An outcome of a block, and the id of the block that follows; None where the action ends."""

    outcome: str
    target: str | None


class Arm(NamedTuple):
    """One way out of a block that decides; its fields are those of a trace event."""

    block: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Node:
    """A block, by its id, and its ways out."""

    id: str
    block: AnyBlock
    edges: tuple[Edge, ...]

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The ways out of a `validate`, `branch` or `loop`; other blocks decide nothing."""
        if len(self.edges) < 2:
            return ()
        return tuple(Arm(self.id, edge.outcome) for edge in self.edges)


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """The control flow of one action.

    Attributes:
        nodes: Every block by its id, in the order of the definition.
        entry: The first block; None where there is no logic.
        reachable: The blocks that some path leads to; those after an end are not.
        paths_total: How many paths there are, exactly; at least 1.
        numbers: The number of each edge, by block and outcome.
    """

    action: ActionDefinition
    nodes: Mapping[str, Node]
    entry: str | None
    reachable: frozenset[str]
    paths_total: int
    numbers: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, action: ActionDefinition) -> FlowGraph:
        """The graph of ``action``."""
        nodes = {node.id: node for node in _nodes(action.logic, f"{action.name}.logic", _END)}
        entry = next(iter(nodes), None)
        counts: dict[str | None, int] = {_END: 1}
        numbers = {}
        for node in reversed(nodes.values()):
            paths = 0
            for outcome, target in node.edges:
                numbers[node.id, outcome] = paths
                paths += counts[target]
            counts[node.id] = paths
        return cls(action, nodes, entry, _reachable(nodes, entry), counts[entry], numbers)

    @property
    def possible_arms(self) -> frozenset[Arm]:
        """The arms of every block that can be reached."""
        return frozenset(arm for name in self.reachable for arm in self.nodes[name].arms)


def _nodes(blocks: Sequence[AnyBlock], arm: str, after: str | None) -> Iterator[Node]:
    """The blocks of a list, outer before inner; ``after`` is what follows the list."""
    for index, block in enumerate(blocks):
        name = f"{arm}[{index}]"
        following = f"{arm}[{index + 1}]" if index + 1 < len(blocks) else after
        yield Node(name, block, _edges(block, name, following))
        for key, inner in arms(block):
            yield from _nodes(inner, f"{name}.{key}", following)


def _edges(block: AnyBlock, name: str, following: str | None) -> tuple[Edge, ...]:
    def first(blocks: Sequence[AnyBlock] | None, key: str) -> str | None:
        return f"{name}.{key}[0]" if blocks else following

    match block:
        case ValidateBlock():
            return Edge("pass", following), Edge("fail", _END)
        case UpdateBlock() | NotifyBlock():
            return (Edge("run", following),)
        case ReturnBlock():
            return (Edge("return", _END),)
        case ErrorBlock():
            return (Edge("error", _END),)
        case BranchBlock():
            return Edge("then", first(block.then, "then")), Edge("else", first(block.else_, "else"))
        case LoopBlock():
            return Edge("0", following), Edge("1+", first(block.body, "body"))
        case _:
            assert_never(block)


def _reachable(nodes: Mapping[str, Node], entry: str | None) -> frozenset[str]:
    reached: set[str | None] = {entry}
    for node in nodes.values():
        if node.id in reached:
            reached.update(edge.target for edge in node.edges)
    return frozenset(name for name in reached if name is not None)
