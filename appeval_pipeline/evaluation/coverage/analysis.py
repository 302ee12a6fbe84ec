"""The coverage of an app by what ran."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation.coverage.execution import Evidence, ExecutedAction, executed_actions
from appeval_pipeline.evaluation.coverage.gaps import find_gaps
from appeval_pipeline.evaluation.coverage.graph import FlowGraph
from appeval_pipeline.evaluation.coverage.report import ActionCoverage, CoverageReport

MAX_PATHS: Final = 10_000
"""Paths of one action that count."""

MAX_COUNT: Final = 2**53 - 1
"""Where counting ends: what every reader of JSON, and a 64-bit column, holds exactly."""


def analyze_coverage(app: AppDefinition, evidence: Iterable[Evidence]) -> CoverageReport:
    """How much of the actions, blocks, branches and paths of ``app`` the ``evidence`` reaches.

    Args:
        app: The definition that ran.
        evidence: Results of scenarios, of their steps or of single actions, or traces; in any order, and
            no matter how often. Results know more than bare traces: see `execution`.

    Raises:
        TraceError: A trace is of another app.
    """
    graphs = {action.name: FlowGraph.of(action) for action in app.actions}
    executed = executed_actions(graphs, evidence, MAX_PATHS)
    gaps = [find_gaps(graph, executed[name]) for name, graph in graphs.items()]
    counts = [_counts(graph, executed[name]) for name, graph in graphs.items()]
    recommendations = dict.fromkeys(gap.recommendation for found in gaps for gap in found.in_order)
    return CoverageReport(
        app_id=app.app_id,
        version=app.version,
        action_coverage=_percentage([(int(done.calls > 0), 1) for done in executed.values()]),
        block_coverage=_percentage([(count.blocks_covered, count.blocks_total) for count in counts]),
        branch_coverage=_percentage([(count.branches_covered, count.branches_total) for count in counts]),
        path_coverage=_percentage(
            [(count.paths_covered, min(count.paths_total, MAX_PATHS)) for count in counts]
        ),
        uncovered_actions=tuple(found.action for found in gaps if found.action is not None),
        uncovered_blocks=tuple(gap for found in gaps for gap in found.blocks),
        uncovered_branches=tuple(gap for found in gaps for gap in found.branches),
        paths_total=min(sum(graph.paths_total for graph in graphs.values()), MAX_COUNT),
        paths_capped=any(count.paths_capped for count in counts),
        recommendations=tuple(recommendations),
        actions=tuple(counts),
    )


def _counts(graph: FlowGraph, done: ExecutedAction) -> ActionCoverage:
    arms = graph.possible_arms
    return ActionCoverage(
        action=graph.action.name,
        calls=done.calls,
        refused_calls=done.refused_calls,
        blocks_covered=len(done.blocks & graph.reachable),
        blocks_total=len(graph.reachable),
        branches_covered=len(done.arms & arms),
        branches_total=len(arms),
        paths_covered=min(len(done.paths), MAX_PATHS),
        paths_total=min(graph.paths_total, MAX_COUNT),
        paths_capped=graph.paths_total > MAX_PATHS,
    )


def _percentage(shares: Sequence[tuple[int, int]]) -> float:
    """All parts of all wholes in percent; 100 where there is nothing."""
    whole = sum(total for _, total in shares)
    return 100.0 * sum(part for part, _ in shares) / whole if whole else 100.0
