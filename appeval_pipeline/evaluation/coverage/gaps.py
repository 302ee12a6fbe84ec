"""The difference: what is possible and was not executed, and why."""

from __future__ import annotations

from dataclasses import dataclass

from appeval_pipeline.evaluation.coverage.causes import (
    Cause,
    NotEntered,
    Unreachable,
    arm_cause,
    block_causes,
    describe_outcome,
)
from appeval_pipeline.evaluation.coverage.execution import ExecutedAction
from appeval_pipeline.evaluation.coverage.graph import Arm, FlowGraph, Node
from appeval_pipeline.evaluation.coverage.report import Gap


@dataclass(frozen=True, slots=True)
class ActionGaps:
    """What one action lacks; ``in_order`` is all of it, each block before its arms."""

    action: Gap | None
    blocks: tuple[Gap, ...]
    branches: tuple[Gap, ...]
    in_order: tuple[Gap, ...]


def find_gaps(graph: FlowGraph, done: ExecutedAction) -> ActionGaps:
    """What of ``graph`` was not ``done``."""
    causes = block_causes(graph, done)
    blocks = []
    branches = []
    in_order = []
    action = None if done.calls else _action_gap(graph, done)
    if action is not None:
        in_order.append(action)
    for node in graph.nodes.values():
        if node.id in causes:
            blocks.append(_block_gap(node, causes[node.id]))
            in_order.append(blocks[-1])
        for arm in node.arms if node.id in graph.reachable else ():
            if arm not in done.arms:
                branches.append(_arm_gap(node, arm, arm_cause(node, arm, causes)))
                in_order.append(branches[-1])
    return ActionGaps(action, tuple(blocks), tuple(branches), tuple(in_order))


def _action_gap(graph: FlowGraph, done: ExecutedAction) -> Gap:
    cause = NotEntered(graph.action.name, refused=done.refused_calls > 0)
    return _gap(cause.action, None, cause, str(cause))


def _block_gap(node: Node, cause: Cause) -> Gap:
    verb = "is never reached" if isinstance(cause, Unreachable) else "never runs"
    return _gap(node.id, None, cause, f"`{node.id}` {verb}: {cause}")


def _arm_gap(node: Node, arm: Arm, cause: Cause) -> Gap:
    message = f"`{node.id}`: {describe_outcome(node.block, arm.outcome)}"
    if message != str(cause):
        message = f"{message} ({cause})"
    return _gap(node.id, arm.outcome, cause, message)


def _gap(location: str, arm: str | None, cause: Cause, message: str) -> Gap:
    return Gap(location, arm, cause.reason, cause.location, message, cause.recommendation)
