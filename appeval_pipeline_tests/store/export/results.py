"""Made-up results of every asset but of agents, and hostile texts where texts may be anybody's."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from appeval_pipeline.store import Store
from appeval_pipeline.store.inputs import code_inputs
from appeval_pipeline.store.rows import (
    AppVersionRow,
    BenchmarkActionRow,
    BenchmarkResultRow,
    CoverageGapRow,
    CoverageReportRow,
    EdgeCaseReportRow,
    EdgeCaseResultRow,
    PartitionResult,
    QualityDimensionRow,
    QualityScoreRow,
    QualitySuggestionRow,
    RegressionChangeRow,
    RegressionReportRow,
    RegressionTimingRow,
    Row,
    ScenarioFailureRow,
    ScenarioRunRow,
    ScenarioStepRow,
)
from appeval_pipeline_tests.store import samples

R = TypeVar("R", bound=Row)

SCRIPT = "<script>alert('1')</script>"
FORMULA = '=HYPERLINK("http://example.org";"here")'
CONTROL = "a\x00b\x0bc\x1bd\ufffee\U0001f600"
DIMENSIONS = ("completeness", "consistency", "documentation", "error_handling", "state_safety", "validation")

_BLANK = {"str": "", "JsonText": "[]", "int": 0, "float": 0.0, "bool": False}


def row(row_type: type[R], app_id: str, version: int, **given: Any) -> R:
    """A row with the given values; lists and mappings become JSON, what is not given is null or blank."""
    values: dict[str, Any] = {"app_id": app_id, "version": version}
    for field in fields(row_type):
        kind = str(field.type)
        if field.name in given:
            value = given.pop(field.name)
            values[field.name] = json.dumps(value) if kind == "JsonText" else value
        elif field.name not in values:
            values[field.name] = None if kind.endswith("| None") else _BLANK[kind]
    assert not given, f"{row_type.TABLE} has no {sorted(given)}"
    return row_type(**values)


@dataclass(frozen=True)
class Result:
    """What one asset made of one app version."""

    asset: str
    partition: PartitionResult


def result(asset: str, app_id: str, version: int, *rows: Row) -> Result:
    return Result(asset, PartitionResult(app_id, version, rows, code_inputs()))


def store(database: Store, *stored: Result) -> None:
    """Write results, those of one asset together."""
    batches = [
        samples.batch(asset, *(one.partition for one in stored if one.asset == asset))
        for asset in dict.fromkeys(one.asset for one in stored)
    ]
    samples.write_together(database, batches)


def broken(app_id: str) -> tuple[Result, Result]:
    """A version that cannot run."""
    invalid = row(
        AppVersionRow, app_id, 1, status="invalid", error=f"actions: {SCRIPT}", file_path="apps/b/v1.yaml"
    )
    unscored = row(QualityScoreRow, app_id, 1, status="not_evaluated", error="There is no valid definition")
    return (
        result("app_definitions", app_id, 1, invalid),
        result("quality_scores", app_id, 1, unscored),
    )


def definition(app_id: str, version: int, name: str = f"Wallet {SCRIPT}") -> Result:
    made = row(
        AppVersionRow,
        app_id,
        version,
        status="valid",
        landed=True,
        root="apps",
        name=name,
        category="payment",
        definition=json.dumps({"app_id": app_id, "actions": [{"name": "transfer"}]}),
        definition_hash="abc",
        action_count=2,
        file_path=f"apps/{app_id}/v{version}.yaml",
        file_sha256="def",
        warnings=["one"],
        warning_count=1,
    )
    return result("app_definitions", app_id, version, made)


def quality(app_id: str, version: int, score: float) -> Result:
    return result(
        "quality_scores",
        app_id,
        version,
        row(
            QualityScoreRow,
            app_id,
            version,
            status="scored",
            overall_score=score,
            level="Good",
            suggestion_count=1,
        ),
        *(
            row(
                QualityDimensionRow,
                app_id,
                version,
                dimension=dimension,
                score=55.5 + 8 * place,
                details={"of": place},
            )
            for place, dimension in enumerate(DIMENSIONS)
        ),
        row(
            QualitySuggestionRow,
            app_id,
            version,
            dimension="documentation",
            location="actions.transfer.description",
            message=FORMULA,
            gain=1.5,
        ),
    )


def scenarios(app_id: str, version: int, *, passes: bool) -> Result:
    file = f"apps/{app_id}/scenarios/paying.yaml"
    run = row(
        ScenarioRunRow,
        app_id,
        version,
        file_path=file,
        scenario_name=f"Paying {SCRIPT}",
        status="passed" if passes else "failed",
        passed=passes,
        steps_passed=1 if passes else 0,
        steps_total=1,
        partial_credit=1.0 if passes else 0.0,
        failure_count=0 if passes else 1,
        duration_ms=2.5,
        tags=["smoke"],
    )
    step = row(
        ScenarioStepRow,
        app_id,
        version,
        file_path=file,
        scenario_name=run.scenario_name,
        step_name="pay",
        agent="ann",
        action="transfer",
        params={"amount": 5},
        passed=passes,
        success=passes,
        data={"total": 5} if passes else None,
        error=None if passes else CONTROL,
        error_kind=None if passes else "validation",
        state_diff={"ann.balance": {"old": 10, "new": 5}},
        trace=[{"block": "transfer.logic[0]"}],
        duration_ms=2.5,
        has_expectation=True,
    )
    failure = row(
        ScenarioFailureRow,
        app_id,
        version,
        file_path=file,
        scenario_name=run.scenario_name,
        step_name="pay",
        expected={"data.total": 5},
        actual={"data.total": None},
        error=CONTROL,
    )
    invalid = row(
        ScenarioRunRow,
        app_id,
        version,
        file_path="apps/wallet/scenarios/zz.yaml",
        scenario_name="zz.yaml",
        status="invalid",
        error="line 3: 'stepz' is not accepted",
    )
    rows = (run, step) if passes else (run, step, failure, invalid)
    return result("scenario_runs", app_id, version, *rows)


def coverage(app_id: str, version: int) -> Result:
    report = row(
        CoverageReportRow,
        app_id,
        version,
        status="analyzed",
        action_coverage=100.0,
        block_coverage=90.0,
        branch_coverage=75.0,
        path_coverage=50.0,
        paths_total=4,
        paths_capped=False,
        gap_count=1,
        recommendations=["Add a step that fails"],
        actions=[{"action": "transfer", "calls": 1}],
    )
    gap = row(
        CoverageGapRow,
        app_id,
        version,
        kind="branch",
        location="transfer.logic[1]",
        arm="else",
        reason="arm_never_taken",
        cause="transfer.logic[1]",
        message="`transfer.logic[1]`: the else arm is never taken",
        recommendation="Add a step that fails",
    )
    return result("coverage_reports", app_id, version, report, gap)


def edge_cases(app_id: str, version: int) -> Result:
    report = row(
        EdgeCaseReportRow,
        app_id,
        version,
        status="analyzed",
        edge_case_coverage=50.0,
        edge_case_robustness=100.0,
        case_count=2,
        covered_count=1,
        robust_count=2,
    )
    cases = [
        row(
            EdgeCaseResultRow,
            app_id,
            version,
            position=place,
            action="transfer",
            kind=kind,
            parameter="amount",
            call={"agent": "ann", "action": "transfer", "params": {"amount": -1.5}},
            expected="refused",
            outcome="refused: parameters",
            is_robust=True,
            covered_by=covered,
        )
        for place, (kind, covered) in enumerate((("below_min", ["Paying, step 1"]), ("required_missing", [])))
    ]
    return result("edge_case_reports", app_id, version, report, *cases)


def benchmark(app_id: str, version: int) -> Result:
    report = row(
        BenchmarkResultRow,
        app_id,
        version,
        status="measured",
        timestamp="2026-01-02T12:00:00Z",
        avg_action_latency_ms=0.0123,
        p50_action_latency_ms=0.0101,
        p95_action_latency_ms=0.0303,
        p99_action_latency_ms=0.0456,
        actions_per_second=81234.5,
        sample_count=1200,
        calibration_ms=0.05,
        avg_multiple=0.25,
        p50_multiple=0.2,
        p95_multiple=0.6,
        p99_multiple=0.9,
        scenario_pass_rate=1.0,
        edge_case_coverage=50.0,
        quality_score=72.5,
        dimension_scores={"validation": 60.0},
        environment={"python": "3.11.7", "processors": 2},
        histogram={"edges_ms": [0.001, 0.01, 0.02, 0.05, 0.1], "counts": [300, 700, 150, 50]},
    )
    action = row(
        BenchmarkActionRow,
        app_id,
        version,
        action="transfer",
        sample_count=1200,
        avg_latency_ms=0.0123,
        p50_latency_ms=0.0101,
        p95_latency_ms=0.0303,
        p99_latency_ms=0.0456,
        p50_multiple=0.2,
    )
    return result("benchmark_results", app_id, version, report, action)


def regressions(app_id: str) -> tuple[Result, Result]:
    """Version 1 has no baseline; version 2 breaks a scenario and an interface."""
    first = row(RegressionReportRow, app_id, 1, status="no_baseline", dimension_changes={})
    report = row(
        RegressionReportRow,
        app_id,
        2,
        status="compared",
        old_version=1,
        is_breaking=True,
        is_empty=False,
        new_failures=["Paying"],
        output_change_count=0,
        interface_breaking_count=1,
        interface_warning_count=0,
        interface_compatible_count=0,
        quality_score_delta=12.5,
        dimension_changes={"validation": -1.5},
        latency_change_pct=-4.2,
        throughput_change_pct=3.1,
    )
    failure = row(
        RegressionChangeRow,
        app_id,
        2,
        change="new_failure",
        severity="breaking",
        location="Paying",
        message="passes on version 1, fails on version 2",
    )
    change = row(
        RegressionChangeRow,
        app_id,
        2,
        position=1,
        change="interface_change",
        severity="breaking",
        kind="parameter_removed",
        location="actions.transfer.parameters.note",
        message="parameter 'note' was removed",
        old={"type": "string"},
        new=-1.5,
    )
    timing = row(
        RegressionTimingRow,
        app_id,
        2,
        action="transfer",
        pair_count=500,
        old_median_ms=0.0105,
        new_median_ms=0.0101,
        ratio=0.96,
        low=0.9,
        high=1.02,
    )
    return (
        result("regression_reports", app_id, 1, first),
        result("regression_reports", app_id, 2, report, failure, change, timing),
    )
