"""Coverage as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation import CoverageReport, ScenarioResult, analyze_coverage
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.dependencies import COVERAGE
from appeval_pipeline.store.recording.boundary import NOT_EVALUATED, Rows, base_inputs, evaluated_rows
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import CoverageGapRow, CoverageReportRow, PartitionResult, Row
from appeval_pipeline.store.stored_runs import NO_RUNS, StoredRuns

Analyze = Callable[[AppDefinition, Sequence[ScenarioResult]], CoverageReport]


def record_coverage(
    stored: StoredVersion, runs: StoredRuns | None, analyze: Analyze = analyze_coverage
) -> PartitionResult:
    """Analyze what the stored scenario runs reach: ``coverage_reports`` and ``coverage_gaps`` rows."""
    app_id, version = stored.app_id, stored.version

    def without(status: str, error: str) -> Rows:
        row = CoverageReportRow(
            app_id=app_id,
            version=version,
            status=status,
            action_coverage=None,
            block_coverage=None,
            branch_coverage=None,
            path_coverage=None,
            paths_total=None,
            paths_capped=None,
            gap_count=None,
            recommendations="[]",
            actions="[]",
            error=error,
        )
        return (row,)

    if runs is None:
        return PartitionResult(
            app_id, version, without(NOT_EVALUATED, NO_RUNS), base_inputs(stored, COVERAGE)
        )
    rows = evaluated_rows(
        stored, lambda engine: _rows(app_id, version, analyze(engine.app, runs.results)), without
    )
    return PartitionResult(app_id, version, rows, (*base_inputs(stored, COVERAGE), runs.source))


def _rows(app_id: str, version: int, report: CoverageReport) -> Iterable[Row]:
    gaps = tuple(_gap_rows(app_id, version, report))
    yield CoverageReportRow(
        app_id=app_id,
        version=version,
        status="analyzed",
        action_coverage=report.action_coverage,
        block_coverage=report.block_coverage,
        branch_coverage=report.branch_coverage,
        path_coverage=report.path_coverage,
        paths_total=report.paths_total,
        paths_capped=report.paths_capped,
        gap_count=len(gaps),
        recommendations=canonical_json(list(report.recommendations)),
        actions=canonical_json([action.to_dict() for action in report.actions]),
        error=None,
    )
    yield from gaps


def _gap_rows(app_id: str, version: int, report: CoverageReport) -> Iterator[CoverageGapRow]:
    position = 0
    for kind, gaps in (
        ("action", report.uncovered_actions),
        ("block", report.uncovered_blocks),
        ("branch", report.uncovered_branches),
    ):
        for gap in gaps:
            yield CoverageGapRow(
                app_id=app_id,
                version=version,
                position=position,
                kind=kind,
                location=gap.location,
                arm=gap.arm,
                reason=gap.reason,
                cause=gap.cause,
                message=gap.message,
                recommendation=gap.recommendation,
            )
            position += 1
