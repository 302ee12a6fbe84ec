"""Regression reports as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import RegressionReport, detect_regressions
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.dependencies import REGRESSIONS
from appeval_pipeline.store.recording.boundary import (
    NOT_EVALUATED,
    Rows,
    base_inputs,
    evaluated_rows,
)
from appeval_pipeline.store.recording.engines import engine_of
from appeval_pipeline.store.rows import (
    PartitionResult,
    RegressionChangeRow,
    RegressionReportRow,
    RegressionTimingRow,
    Row,
)
from appeval_pipeline.store.sources import Comparand

NO_BASELINE = "no_baseline"
_INVALID = "The version has no valid definition"
_FIXED = "The scenario fails on the baseline and passes here"

Detect = Callable[..., RegressionReport]


def record_regression(comparand: Comparand, detect: Detect = detect_regressions) -> PartitionResult:
    """Compare a version with its baseline: ``regression_reports``, ``…_changes`` and ``…_timings`` rows."""
    stored, baseline = comparand.stored, comparand.baseline
    files = tuple(file.as_input() for file in comparand.files)
    inputs = (*base_inputs(stored, REGRESSIONS), *comparand.inputs, *files)
    scenarios = [file.scenario for file in comparand.files if file.scenario is not None]

    def without(status: str, error: str | None) -> Rows:
        return (_row_without(comparand, status, error),)

    if baseline is None or baseline.definition is None:
        rows = without(NO_BASELINE, None) if stored.status == "valid" else without(NOT_EVALUATED, _INVALID)
        return PartitionResult(stored.app_id, stored.version, rows, inputs)
    old = baseline.definition

    def compare(engine: Engine) -> Iterator[Row]:
        report = detect(engine_of(old), engine, scenarios, known=comparand.known)
        return _rows(stored.app_id, stored.version, report)

    rows = evaluated_rows(stored, compare, without)
    return PartitionResult(stored.app_id, stored.version, rows, inputs)


def _row_without(comparand: Comparand, status: str, error: str | None) -> RegressionReportRow:
    return RegressionReportRow(
        app_id=comparand.stored.app_id,
        version=comparand.stored.version,
        status=status,
        old_version=comparand.baseline.version if comparand.baseline else None,
        is_breaking=None,
        is_empty=None,
        new_failures="[]",
        fixed_tests="[]",
        still_failing="[]",
        not_compared="[]",
        not_timed="[]",
        output_change_count=None,
        output_changes_left_out=None,
        interface_breaking_count=None,
        interface_warning_count=None,
        interface_compatible_count=None,
        quality_score_delta=None,
        dimension_changes="{}",
        latency_change_pct=None,
        throughput_change_pct=None,
        significant_actions="[]",
        error=error,
    )


def _rows(app_id: str, version: int, report: RegressionReport) -> Iterator[Row]:
    severities = [change.severity for change in report.interface_changes]
    significant = [timing.action for timing in report.timing if timing.is_significant]
    yield RegressionReportRow(
        app_id=app_id,
        version=version,
        status="compared",
        old_version=report.old_version,
        is_breaking=report.is_breaking,
        is_empty=report.is_empty,
        new_failures=canonical_json(list(report.new_failures)),
        fixed_tests=canonical_json(list(report.fixed_tests)),
        still_failing=canonical_json(list(report.still_failing)),
        not_compared=canonical_json(list(report.not_compared)),
        not_timed=canonical_json(list(report.not_timed)),
        output_change_count=len(report.output_changes) + report.output_changes_left_out,
        output_changes_left_out=report.output_changes_left_out,
        interface_breaking_count=severities.count("breaking"),
        interface_warning_count=severities.count("warning"),
        interface_compatible_count=severities.count("compatible"),
        quality_score_delta=report.quality_score_delta,
        dimension_changes=canonical_json(dict(report.dimension_changes)),
        latency_change_pct=report.latency_change_pct,
        throughput_change_pct=report.throughput_change_pct,
        significant_actions=canonical_json(significant),
        error=None,
    )
    yield from _change_rows(app_id, version, report)
    for timing in report.timing:
        yield RegressionTimingRow(
            app_id=app_id,
            version=version,
            action=timing.action,
            pair_count=timing.pair_count,
            old_median_ms=timing.old_median_ms,
            new_median_ms=timing.new_median_ms,
            ratio=timing.ratio,
            low=timing.low,
            high=timing.high,
            is_significant=timing.is_significant,
        )


def _change_rows(app_id: str, version: int, report: RegressionReport) -> Iterator[RegressionChangeRow]:
    for position, (change, severity, kind, location, path, message, old, new) in enumerate(_changes(report)):
        yield RegressionChangeRow(
            app_id=app_id,
            version=version,
            position=position,
            change=change,
            severity=severity,
            kind=kind,
            location=location,
            path=path,
            message=message,
            old=canonical_json(old),
            new=canonical_json(new),
        )


_Change = tuple[str, str | None, str | None, str, str | None, str, object, object]


def _changes(report: RegressionReport) -> Iterator[_Change]:
    """Change, severity, kind, location, path, message, old and new of each difference."""
    for failure in report.failures:
        place = f"{failure.scenario} › {failure.step}"
        expected, actual = dict(failure.expected), dict(failure.actual)
        yield "new_failure", "breaking", failure.action, place, None, failure.error, expected, actual
    for name in report.fixed_tests:
        yield "fixed_test", None, None, name, None, _FIXED, None, None
    for found in report.interface_changes:
        yield (
            *("interface_change", found.severity, found.kind, found.location),
            *(None, found.message, found.old, found.new),
        )
    for output in report.output_changes:
        place = f"{output.scenario} › {output.step}"
        message = f"{output.action}: {output.path} {output.kind}"
        yield "output_change", None, output.aspect, place, output.path, message, output.old, output.new
