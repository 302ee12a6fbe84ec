"""The rows of what is evaluated without agents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from appeval_pipeline.store.rows.base import NOT_CONTENT, JsonText, VersionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class AppVersionRow(VersionRow):
    """One app version: its definition as stored, and what is wrong with it."""

    TABLE: ClassVar[str] = "app_versions"

    status: str
    landed: bool
    root: str
    name: str | None
    category: str | None
    definition: JsonText | None
    definition_hash: str | None
    action_count: int | None
    file_path: str | None = field(metadata=NOT_CONTENT)
    file_sha256: str | None = field(metadata=NOT_CONTENT)
    error: str | None
    warning_count: int
    warnings: JsonText
    violation: str | None = field(metadata=NOT_CONTENT)
    violating_sha256: str | None = field(metadata=NOT_CONTENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityScoreRow(VersionRow):
    """The quality of one app version."""

    TABLE: ClassVar[str] = "quality_scores"

    status: str
    overall_score: float | None
    level: str | None
    suggestion_count: int | None
    error: str | None
    suggestions_left_out: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityDimensionRow(VersionRow):
    """One dimension of the quality of one app version."""

    TABLE: ClassVar[str] = "quality_dimensions"

    dimension: str
    score: float
    details: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySuggestionRow(VersionRow):
    """One suggestion for one app version; position 0 is the best."""

    TABLE: ClassVar[str] = "quality_suggestions"

    position: int
    dimension: str
    location: str
    message: str
    gain: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRunRow(VersionRow):
    """One scenario, run on one app version, or the reason why it was not."""

    TABLE: ClassVar[str] = "scenario_runs"

    file_path: str
    scenario_name: str
    status: str
    passed: bool | None
    steps_passed: int | None
    steps_total: int | None
    partial_credit: float | None
    failure_count: int | None
    duration_ms: float | None = field(metadata=NOT_CONTENT)
    error: str | None
    description: str | None
    tags: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioStepRow(VersionRow):
    """One step of a scenario run."""

    TABLE: ClassVar[str] = "scenario_steps"

    file_path: str
    scenario_name: str
    step_index: int
    step_name: str
    agent: str
    action: str
    params: JsonText
    passed: bool
    success: bool
    data: JsonText
    error: str | None
    error_kind: str | None
    state_diff: JsonText
    observations: JsonText
    trace: JsonText
    duration_ms: float | None = field(metadata=NOT_CONTENT)
    has_expectation: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFailureRow(VersionRow):
    """One expectation or assertion that a scenario run did not meet."""

    TABLE: ClassVar[str] = "scenario_failures"

    file_path: str
    scenario_name: str
    failure_index: int
    step_name: str
    expected: JsonText
    actual: JsonText
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageReportRow(VersionRow):
    """How much of one app version's logic its scenarios reach."""

    TABLE: ClassVar[str] = "coverage_reports"

    status: str
    action_coverage: float | None
    block_coverage: float | None
    branch_coverage: float | None
    path_coverage: float | None
    paths_total: int | None
    paths_capped: bool | None
    gap_count: int | None
    recommendations: JsonText
    actions: JsonText
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageGapRow(VersionRow):
    """One action, block or arm that no scenario reaches."""

    TABLE: ClassVar[str] = "coverage_gaps"

    position: int
    kind: str
    location: str
    arm: str | None
    reason: str
    cause: str
    message: str
    recommendation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeCaseReportRow(VersionRow):
    """How many edge cases of one app version its scenarios meet, and how many behave."""

    TABLE: ClassVar[str] = "edge_case_reports"

    status: str
    edge_case_coverage: float | None
    edge_case_robustness: float | None
    case_count: int | None
    covered_count: int | None
    robust_count: int | None
    unsolved: JsonText
    capped: bool | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeCaseResultRow(VersionRow):
    """One edge case of one app version."""

    TABLE: ClassVar[str] = "edge_case_results"

    position: int
    action: str
    kind: str
    parameter: str | None
    call: JsonText
    expected: str
    outcome: str
    is_robust: bool
    covered_by: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkResultRow(VersionRow):
    """Speed and quality of one app version; whatever was measured is no content."""

    TABLE: ClassVar[str] = "benchmark_results"

    status: str
    timestamp: str | None = field(metadata=NOT_CONTENT)
    avg_action_latency_ms: float | None = field(metadata=NOT_CONTENT)
    p50_action_latency_ms: float | None = field(metadata=NOT_CONTENT)
    p95_action_latency_ms: float | None = field(metadata=NOT_CONTENT)
    p99_action_latency_ms: float | None = field(metadata=NOT_CONTENT)
    actions_per_second: float | None = field(metadata=NOT_CONTENT)
    sample_count: int | None = field(metadata=NOT_CONTENT)
    calibration_ms: float | None = field(metadata=NOT_CONTENT)
    avg_multiple: float | None = field(metadata=NOT_CONTENT)
    p50_multiple: float | None = field(metadata=NOT_CONTENT)
    p95_multiple: float | None = field(metadata=NOT_CONTENT)
    p99_multiple: float | None = field(metadata=NOT_CONTENT)
    scenario_pass_rate: float | None
    edge_case_coverage: float | None
    quality_score: float | None
    dimension_scores: JsonText
    environment: JsonText = field(metadata=NOT_CONTENT)
    histogram: JsonText = field(metadata=NOT_CONTENT)
    untimed_actions: JsonText
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkActionRow(VersionRow):
    """The latencies of one action of one app version."""

    TABLE: ClassVar[str] = "benchmark_actions"

    action: str
    sample_count: int = field(metadata=NOT_CONTENT)
    avg_latency_ms: float = field(metadata=NOT_CONTENT)
    p50_latency_ms: float = field(metadata=NOT_CONTENT)
    p95_latency_ms: float = field(metadata=NOT_CONTENT)
    p99_latency_ms: float | None = field(metadata=NOT_CONTENT)
    p50_multiple: float = field(metadata=NOT_CONTENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionReportRow(VersionRow):
    """What changed in one app version against its baseline, in numbers."""

    TABLE: ClassVar[str] = "regression_reports"

    status: str
    old_version: int | None
    is_breaking: bool | None
    is_empty: bool | None = field(metadata=NOT_CONTENT)
    new_failures: JsonText
    fixed_tests: JsonText
    still_failing: JsonText
    not_compared: JsonText
    not_timed: JsonText
    output_change_count: int | None
    output_changes_left_out: int | None
    interface_breaking_count: int | None
    interface_warning_count: int | None
    interface_compatible_count: int | None
    quality_score_delta: float | None
    dimension_changes: JsonText
    latency_change_pct: float | None = field(metadata=NOT_CONTENT)
    throughput_change_pct: float | None = field(metadata=NOT_CONTENT)
    significant_actions: JsonText = field(metadata=NOT_CONTENT)
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionChangeRow(VersionRow):
    """One difference of behaviour or interface between one app version and its baseline."""

    TABLE: ClassVar[str] = "regression_changes"

    position: int
    change: str
    severity: str | None
    kind: str | None
    location: str
    path: str | None
    message: str
    old: JsonText
    new: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class RegressionTimingRow(VersionRow):
    """The latency of one action in one app version beside its baseline's, timed in turns."""

    TABLE: ClassVar[str] = "regression_timings"

    action: str
    pair_count: int = field(metadata=NOT_CONTENT)
    old_median_ms: float = field(metadata=NOT_CONTENT)
    new_median_ms: float = field(metadata=NOT_CONTENT)
    ratio: float = field(metadata=NOT_CONTENT)
    low: float = field(metadata=NOT_CONTENT)
    high: float = field(metadata=NOT_CONTENT)
    is_significant: bool = field(metadata=NOT_CONTENT)
