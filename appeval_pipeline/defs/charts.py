"""Charts in the Dagster UI: pictures inside Markdown, which shows PNG only."""

import base64
import json
from collections.abc import Sequence

import dagster as dg

from appeval_pipeline.defs.metadata import rows_of
from appeval_pipeline.store import charts
from appeval_pipeline.store.rows import (
    AgentEvaluationRow,
    AnyResult,
    BenchmarkResultRow,
    CoverageReportRow,
    PartitionResult,
    QualityDimensionRow,
    TauMetricRow,
)

MOST_CHARTS = 20
"""Partitions of one step that get a chart: drawing takes longer than evaluating. The tables hold the same."""

MOST_INTERVALS = 24
"""Agents and tasks in one chart; the table has all."""


def charted_partitions(results: Sequence[AnyResult]) -> frozenset[str]:
    """Which partitions of a step get a chart: the latest of each app first, then the latest of all."""
    latest = {result.app_id or result.partition_key: result.partition_key for result in results}
    order = [*latest.values(), *(result.partition_key for result in reversed(results))]
    return frozenset(list(dict.fromkeys(order))[:MOST_CHARTS])


def chart_metadata(result: AnyResult) -> dict[str, object]:
    """The charts of a result, if its asset has any."""
    return {name: _picture(drawing) for name, drawing in _drawings(result).items()}


def _picture(drawing: charts.Drawing) -> dg.MetadataValue[str]:
    picture = base64.b64encode(charts.png(drawing)).decode()
    return dg.MetadataValue.md(f"![{drawing.description}](data:image/png;base64,{picture})")


def _drawings(result: AnyResult) -> dict[str, charts.Drawing]:
    if isinstance(result, PartitionResult):
        drawing = _drawing(result)
        return {} if drawing is None else {"chart": drawing}
    rows = [
        row
        for row in rows_of(result, TauMetricRow)
        if row.counting == "scored_only" and row.without_flag is None
    ]
    found = {
        "chart": ("Tasks passed in all of k trials", _points(rows, "pass_hat", "pass^")),
        "chart_of_turns": (
            "Trials that succeed within so many turns",
            _points(rows, "success_within_turns", "within "),
        ),
    }
    return {
        name: charts.intervals(points[:MOST_INTERVALS], caption)
        for name, (caption, points) in found.items()
        if points
    }


def _points(rows: Sequence[TauMetricRow], metric: str, prefix: str) -> list[tuple[str, float, float, float]]:
    return [
        (f"{prefix}{row.k}", row.value, row.low, row.high)
        for row in rows
        if row.metric == metric and row.low is not None and row.high is not None
    ]


def _drawing(result: PartitionResult) -> charts.Drawing | None:
    dimensions = [(row.dimension, row.score) for row in rows_of(result, QualityDimensionRow)]
    if dimensions:
        return charts.bars(dimensions, "Quality by dimension")
    for row in rows_of(result, CoverageReportRow):
        shares = {
            "actions": row.action_coverage,
            "blocks": row.block_coverage,
            "branches": row.branch_coverage,
            "paths": row.path_coverage,
        }
        known = [(name, share) for name, share in shares.items() if share is not None]
        return charts.bars(known, "Coverage in percent") if known else None
    for timed in rows_of(result, BenchmarkResultRow):
        histogram = json.loads(timed.histogram)
        if not histogram.get("counts"):
            return None
        marks = {"p50": timed.p50_action_latency_ms, "p99": timed.p99_action_latency_ms}
        return charts.histogram(
            histogram["edges_ms"],
            histogram["counts"],
            [(name, mark) for name, mark in marks.items() if mark is not None],
            "Latency of actions",
        )
    rates = [
        (f"{row.task}, {row.agent}", row.goal_rate, row.goal_rate_low, row.goal_rate_high)
        for row in rows_of(result, AgentEvaluationRow)
    ]
    tried = [
        (name, rate, low, high)
        for name, rate, low, high in rates
        if rate is not None and low is not None and high is not None
    ]
    return charts.intervals(tried[:MOST_INTERVALS], "Goals reached") if tried else None
