"""Stored results of app versions."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from appeval_pipeline.api.models.base import Answer, FromJson, Json, Source

Names = Annotated[list[str], FromJson]
Scores = Annotated[dict[str, float], FromJson]


class VersionSummary(Answer):
    """One app version with its headline results; null where there is no result."""

    app_id: str = Field(examples=["paypal"])
    version: int = Field(examples=[2])
    name: str | None
    category: str | None
    root: str = Field(description="Where it stands in the data directory: `apps` or `benchmarks`")
    status: str = Field(description="`valid`, or `invalid`: nothing else is known of it then")
    error: str | None
    violation: str | None = Field(description="That the file was edited after it had been evaluated")
    overall_score: float | None = Field(description="Quality, points of 100")
    level: str | None
    scenarios_passed: int
    scenarios_total: int
    action_coverage: float | None = Field(description="Percent")
    branch_coverage: float | None = Field(description="Percent")
    edge_case_coverage: float | None = Field(description="Percent")
    edge_case_robustness: float | None = Field(description="Percent")
    p50_action_latency_ms: float | None
    p99_action_latency_ms: float | None
    old_version: int | None = Field(description="The version that it was compared with")
    is_breaking: bool | None = Field(description="Whether a scenario fails that passed there")
    interface_breaking_count: int | None
    sources: list[Source] = Field(description="The results that these numbers were taken from")


class AppSummary(Answer):
    """One app: its versions, and how the latest stands."""

    app_id: str
    versions: list[int]
    latest: VersionSummary


class AppList(Answer):
    """Apps by id."""

    total: int = Field(description="How many there are")
    items: list[AppSummary]


class VersionList(Answer):
    """The versions of one app, oldest first."""

    app_id: str
    total: int
    items: list[VersionSummary]


class AppDefinitionAnswer(Answer):
    """One app version as it is stored: its definition, and what lint says of it."""

    app_id: str
    version: int
    versions: list[int] = Field(description="All stored versions of the app")
    name: str | None
    category: str | None
    status: str
    error: str | None
    definition: Json = Field(description="The definition as it was evaluated; null if it is invalid")
    definition_hash: str | None
    warnings: Json
    violation: str | None
    file_path: str | None
    file_sha256: str | None
    source: Source


class Suggestion(Answer):
    """Something that would raise the quality."""

    position: int = Field(description="0 is the best")
    dimension: str
    location: str
    message: str
    gain: float | None = Field(description="Points of the overall score that it would bring")


class QualityAnswer(Answer):
    """The quality of one app version."""

    app_id: str
    version: int
    status: str = Field(description="`scored`, `not_evaluated` or `error`")
    overall_score: float | None = Field(description="Points of 100")
    level: str | None
    dimension_scores: dict[str, float] = Field(description="Points of 100 by dimension")
    details: dict[str, Json] = Field(description="What each score was made of")
    suggestions: list[Suggestion]
    suggestions_left_out: int | None
    error: str | None
    source: Source


class Gap(Answer):
    """An action, block or arm that no scenario reaches."""

    kind: str
    location: str
    arm: str | None
    reason: str
    cause: str
    message: str
    recommendation: str


class CoverageAnswer(Answer):
    """How much of an app version's logic its scenarios reach, in percent."""

    app_id: str
    version: int
    status: str = Field(description="`analyzed`, `not_evaluated` or `error`")
    action_coverage: float | None
    block_coverage: float | None
    branch_coverage: float | None
    path_coverage: float | None
    paths_total: int | None
    paths_capped: bool | None
    gap_count: int | None
    gaps: list[Gap] = Field(description="The first thousand")
    recommendations: Names
    actions: Json = Field(description="The same by action")
    error: str | None
    source: Source


class ScenarioAnswer(Answer):
    """One scenario's run."""

    scenario_name: str
    file_path: str
    status: str
    passed: bool | None
    steps_passed: int | None
    steps_total: int | None
    partial_credit: float | None
    duration_ms: float | None
    error: str | None


class FailureAnswer(Answer):
    """An expectation or assertion that was not met."""

    scenario_name: str
    file_path: str
    step_name: str
    expected: Json
    actual: Json
    error: str


class ScenarioRuns(Answer):
    """The scenarios of one app version, as they ran last."""

    app_id: str
    version: int
    passed: int
    total: int
    scenarios: list[ScenarioAnswer]
    failures: list[FailureAnswer]
    source: Source | None


class ActionLatency(Answer):
    """The latency of one action, in milliseconds."""

    action: str
    sample_count: int
    avg_latency_ms: float
    p50_latency_ms: float
    p95_latency_ms: float
    p99_latency_ms: float | None
    p50_multiple: float


class BenchmarkAnswer(Answer):
    """Speed and quality of one app version; a multiple is of the calibration loop's time."""

    app_id: str
    version: int
    status: str = Field(description="`measured`, `not_evaluated` or `error`")
    timestamp: str | None
    avg_action_latency_ms: float | None
    p50_action_latency_ms: float | None
    p95_action_latency_ms: float | None
    p99_action_latency_ms: float | None
    actions_per_second: float | None
    sample_count: int | None
    calibration_ms: float | None
    avg_multiple: float | None
    p50_multiple: float | None
    p95_multiple: float | None
    p99_multiple: float | None
    scenario_pass_rate: float | None
    edge_case_coverage: float | None
    quality_score: float | None
    dimension_scores: Scores
    environment: Json
    untimed_actions: Names
    actions: list[ActionLatency]
    error: str | None
    source: Source


class BenchmarkEntry(Answer):
    """A benchmark: a reference app of the suite, and what it gave last."""

    benchmark_id: str = Field(description="The app's id", examples=["bench_wallet"])
    version: int = Field(description="Its latest version")
    name: str | None
    action_count: int | None
    result: BenchmarkAnswer | None = Field(description="Null where it has not been measured")


class BenchmarkList(Answer):
    """The benchmark suite."""

    total: int
    items: list[BenchmarkEntry]
