"""Why something was not covered, as data: the decision, failure or missing call that it goes back to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from appeval_pipeline.appdef.schema import AnyBlock, BranchBlock, LoopBlock, ValidateBlock
from appeval_pipeline.evaluation.coverage.execution import ExecutedAction
from appeval_pipeline.evaluation.coverage.graph import Arm, FlowGraph, Node
from appeval_pipeline.evaluation.coverage.report import Reason

_LONGEST_EXPRESSION: Final = 100


@dataclass(frozen=True, slots=True)
class NotEntered:
    """No call came to the logic of the action; ``refused`` if there were calls."""

    action: str
    refused: bool

    @property
    def reason(self) -> Reason:
        return "always_refused" if self.refused else "never_called"

    @property
    def location(self) -> str:
        return self.action

    def __str__(self) -> str:
        if self.refused:
            return f"every call of `{self.action}` is refused before its logic begins"
        return f"`{self.action}` is never called"

    @property
    def recommendation(self) -> str:
        if self.refused:
            return f"Add a step that calls `{self.action}` with parameters, and as an agent, that it accepts"
        return f"Add a step that calls `{self.action}`"


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A block decided, and never for this outcome."""

    block: AnyBlock
    location: str
    outcome: str
    reason: Reason = "arm_never_taken"

    def __str__(self) -> str:
        return f"`{self.location}`: {describe_outcome(self.block, self.outcome)}"

    @property
    def recommendation(self) -> str:
        return f"Add a step that reaches `{self.location}` where {_wanted(self.block, self.outcome)}"


@dataclass(frozen=True, slots=True)
class BrokenOff:
    """Runs came to ``after``, None being the first block's beginning, and none of them to ``location``."""

    after: str | None
    location: str
    reason: Reason = "always_breaks_off"

    def __str__(self) -> str:
        return f"every run breaks off with an error {self._where}"

    @property
    def recommendation(self) -> str:
        return f"Add a step that does not break off {self._where}, or correct the logic there"

    @property
    def _where(self) -> str:
        if self.after is None:
            return f"in `{self.location}`, the first block"
        return f"between `{self.after}` and `{self.location}`"


@dataclass(frozen=True, slots=True)
class Unreachable:
    """No path leads to the block."""

    location: str
    reason: Reason = "unreachable"

    def __str__(self) -> str:
        return "the action has always ended before it"

    @property
    def recommendation(self) -> str:
        return f"Remove `{self.location}`, or what ends the action before it"


Cause: TypeAlias = NotEntered | NotTaken | BrokenOff | Unreachable


def block_causes(graph: FlowGraph, done: ExecutedAction) -> dict[str, Cause]:
    """Why each block that did not run did not, in the order of the definition.

    The cause is found where the paths to the block leave what ran: at an arm that was not taken, rather
    than at a failure, rather than at what kept the blocks before it from running.
    """
    causes: dict[str, Cause] = {}
    ways_in = _ways_in(graph)
    for name in graph.nodes:
        if name in done.blocks:
            continue
        if name not in graph.reachable:
            causes[name] = Unreachable(name)
        elif not done.calls:
            causes[name] = NotEntered(graph.action.name, refused=done.refused_calls > 0)
        else:
            causes[name] = _cause(name, graph, done, ways_in[name], causes)
    return causes


def arm_cause(node: Node, arm: Arm, causes: dict[str, Cause]) -> Cause:
    """Why an arm was not taken, given why blocks did not run."""
    return causes.get(node.id) or NotTaken(node.block, node.id, arm.outcome)


def describe_outcome(block: AnyBlock, outcome: str) -> str:
    """That ``outcome`` never came, in words."""
    match block:
        case ValidateBlock():
            return "the validate never passes" if outcome == "pass" else "the validate never fails"
        case LoopBlock():
            return "the loop is never empty" if outcome == "0" else "the loop body never runs"
        case _:
            return f"the {outcome} arm is never taken"


def _ways_in(graph: FlowGraph) -> dict[str, list[Arm]]:
    """The edges that lead to each block, from blocks that can be reached, in the order of the definition."""
    ways: dict[str, list[Arm]] = {name: [] for name in graph.nodes}
    for node in graph.nodes.values():
        if node.id in graph.reachable:
            for outcome, target in node.edges:
                if target is not None:
                    ways[target].append(Arm(node.id, outcome))
    return ways


def _cause(
    name: str, graph: FlowGraph, done: ExecutedAction, ways_in: list[Arm], causes: dict[str, Cause]
) -> Cause:
    if name == graph.entry:
        return BrokenOff(None, name)
    ran = [way for way in ways_in if way.block in done.blocks]
    for way in ran:
        node = graph.nodes[way.block]
        if node.arms and way not in done.arms:
            return NotTaken(node.block, node.id, way.outcome)
    if ran:
        return BrokenOff(ran[0].block, name)
    return causes[ways_in[0].block]


def _wanted(block: AnyBlock, outcome: str) -> str:
    match block:
        case ValidateBlock() | BranchBlock():
            truth = "true" if outcome in ("pass", "then") else "false"
            return f"`{_shortened(block.condition)}` is {truth}"
        case LoopBlock():
            return f"`{_shortened(block.collection)}` " + ("is empty" if outcome == "0" else "is not empty")
        case _:
            raise AssertionError(block)


def _shortened(expression: str) -> str:
    line = " ".join(expression.split())
    return line if len(line) <= _LONGEST_EXPRESSION else line[: _LONGEST_EXPRESSION - 1] + "…"
