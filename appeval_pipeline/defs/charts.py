"""Charts in the Dagster UI: pictures inside Markdown, which shows PNG only."""

import base64
import json

import dagster as dg

from appeval_pipeline.defs.metadata import rows_of
from appeval_pipeline.store import charts
from appeval_pipeline.store.rows import (
    BenchmarkResultRow,
    CoverageReportRow,
    PartitionResult,
    QualityDimensionRow,
)

MOST_CHARTS = 20
"""Partitions of one step that get a chart: drawing takes longer than evaluating. The tables hold the same."""


def chart_metadata(result: PartitionResult) -> dict[str, object]:
    """The chart of a result, if its asset has one."""
    drawing = _drawing(result)
    if drawing is None:
        return {}
    picture = base64.b64encode(charts.png(drawing)).decode()
    return {"chart": dg.MetadataValue.md(f"![{drawing.description}](data:image/png;base64,{picture})")}


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
    return None
