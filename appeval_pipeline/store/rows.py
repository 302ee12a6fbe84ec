"""The rows of the store's tables, as plain values, without the provenance that every row also carries.

A field's metadata says what does not belong to the content that a data version hashes: ``measured`` values
(times) and ``origin`` values (which file it came from; the lineage has that).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

from appeval_pipeline.store.canonical import sha256_of

NOT_CONTENT = {"content": False}

JsonText = str
"""JSON in its canonical text form (:func:`appeval_pipeline.store.canonical.canonical_json`)."""

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of one table; subclasses have one field a column."""

    TABLE: ClassVar[str]

    app_id: str
    version: int

    def content(self) -> dict[str, Scalar]:
        """The values that count for the data version."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.metadata.get("content", True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AppVersionRow(Row):
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
class QualityScoreRow(Row):
    """The quality of one app version."""

    TABLE: ClassVar[str] = "quality_scores"

    status: str
    overall_score: float | None
    level: str | None
    suggestion_count: int | None
    error: str | None
    suggestions_left_out: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityDimensionRow(Row):
    """One dimension of the quality of one app version."""

    TABLE: ClassVar[str] = "quality_dimensions"

    dimension: str
    score: float
    details: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySuggestionRow(Row):
    """One suggestion for one app version; position 0 is the best."""

    TABLE: ClassVar[str] = "quality_suggestions"

    position: int
    dimension: str
    location: str
    message: str
    gain: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRunRow(Row):
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
class ScenarioStepRow(Row):
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
class ScenarioFailureRow(Row):
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
class CoverageReportRow(Row):
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
class CoverageGapRow(Row):
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
class EdgeCaseReportRow(Row):
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
class EdgeCaseResultRow(Row):
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
class BenchmarkResultRow(Row):
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
class BenchmarkActionRow(Row):
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
class RegressionReportRow(Row):
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
class RegressionChangeRow(Row):
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
class RegressionTimingRow(Row):
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


ROW_TYPES: tuple[type[Row], ...] = (
    AppVersionRow,
    QualityScoreRow,
    QualityDimensionRow,
    QualitySuggestionRow,
    ScenarioRunRow,
    ScenarioStepRow,
    ScenarioFailureRow,
    CoverageReportRow,
    CoverageGapRow,
    EdgeCaseReportRow,
    EdgeCaseResultRow,
    BenchmarkResultRow,
    BenchmarkActionRow,
    RegressionReportRow,
    RegressionChangeRow,
    RegressionTimingRow,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What a result was computed from.

    Attributes:
        kind: ``asset``, ``file``, ``code``, ``config`` or ``upstream_version``.
        key: An asset's key, a file's path relative to the data directory, or a name.
        version: A data version, a file's SHA-256, a code version, or the hash of a value.
        partition_key: The partition, for the kinds asset and upstream_version.
        run_id: The run that made it, for the kinds asset and upstream_version.
        content_hash: Hash of a file's meaning: comments and layout do not move it.
    """

    kind: str
    key: str
    version: str
    partition_key: str | None = None
    run_id: str | None = None
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionResult:
    """What one asset made of one partition: rows of any of the asset's tables, and its inputs."""

    app_id: str
    version: int
    rows: tuple[Row, ...]
    inputs: tuple[Input, ...]

    @property
    def partition_key(self) -> str:
        """The Dagster partition, ``<app_id>@<version>``."""
        return f"{self.app_id}@{self.version}"

    @property
    def data_version(self) -> str:
        """SHA-256 of the content: equal results have equal versions, whenever and wherever they were made."""
        return sha256_of([[row.TABLE, row.content()] for row in self.rows])
