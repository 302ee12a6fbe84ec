"""Edge cases as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import EdgeCaseReport, ScenarioResult, edge_cases
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.dependencies import EDGE_CASES
from appeval_pipeline.store.recording.boundary import NOT_EVALUATED, Rows, base_inputs, evaluated_rows
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import EdgeCaseReportRow, EdgeCaseResultRow, PartitionResult, Row
from appeval_pipeline.store.stored_runs import NO_RUNS, StoredRuns

Analyze = Callable[[Engine, Sequence[ScenarioResult]], EdgeCaseReport]


def record_edge_cases(
    stored: StoredVersion, runs: StoredRuns | None, analyze: Analyze = edge_cases
) -> PartitionResult:
    """Derive and run the edge cases of a version: ``edge_case_reports`` and ``edge_case_results`` rows."""
    app_id, version = stored.app_id, stored.version

    def without(status: str, error: str) -> Rows:
        row = EdgeCaseReportRow(
            app_id=app_id,
            version=version,
            status=status,
            edge_case_coverage=None,
            edge_case_robustness=None,
            case_count=None,
            covered_count=None,
            robust_count=None,
            unsolved="[]",
            capped=None,
            error=error,
        )
        return (row,)

    if runs is None:
        return PartitionResult(
            app_id, version, without(NOT_EVALUATED, NO_RUNS), base_inputs(stored, EDGE_CASES)
        )
    rows = evaluated_rows(
        stored, lambda engine: _rows(app_id, version, analyze(engine, runs.results)), without
    )
    return PartitionResult(app_id, version, rows, (*base_inputs(stored, EDGE_CASES), runs.source))


def _rows(app_id: str, version: int, report: EdgeCaseReport) -> Iterator[Row]:
    yield EdgeCaseReportRow(
        app_id=app_id,
        version=version,
        status="analyzed",
        edge_case_coverage=report.edge_case_coverage,
        edge_case_robustness=report.edge_case_robustness,
        case_count=len(report.cases),
        covered_count=sum(bool(case.covered_by) for case in report.cases),
        robust_count=sum(case.is_robust for case in report.cases),
        unsolved=canonical_json([case.to_dict() for case in report.unsolved]),
        capped=report.capped,
        error=None,
    )
    for position, case in enumerate(report.cases):
        yield EdgeCaseResultRow(
            app_id=app_id,
            version=version,
            position=position,
            action=case.action,
            kind=case.kind,
            parameter=case.parameter,
            call=canonical_json(case.call),
            expected=case.expected,
            outcome=case.outcome,
            is_robust=case.is_robust,
            covered_by=canonical_json(list(case.covered_by)),
        )
