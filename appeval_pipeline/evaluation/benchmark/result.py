"""What benchmarking an app version gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from appeval_pipeline.evaluation.timing.statistics import Histogram


@dataclass(frozen=True, slots=True)
class ActionTiming:
    """How long the calls of one action took.

    Attributes:
        sample_count: Timed calls, at least 1.
        avg_latency_ms, p50_latency_ms, p95_latency_ms: Milliseconds.
        p99_latency_ms: None for fewer than 1,000 calls.
        p50_multiple: Median latency as a multiple of the calibration loop.
    """

    action: str
    sample_count: int
    avg_latency_ms: float
    p50_latency_ms: float
    p95_latency_ms: float
    p99_latency_ms: float | None
    p50_multiple: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    """How fast an app version is, how correct and how good.

    Latencies, multiples and the throughput are None where nothing was timed, those of the 99th percentile
    for fewer than 1,000 samples, too.

    Attributes:
        app_id, version: What was measured; a definition that does not say its version is version 1.
        timestamp: When, as the caller says.
        avg_action_latency_ms, p50_action_latency_ms, p95_action_latency_ms, p99_action_latency_ms: Of all
            timed calls, refused ones too, in milliseconds; percentiles are interpolated.
        actions_per_second: Timed calls by the time spent in them.
        sample_count: Timed calls.
        calibration_ms: Median time of one pass of the calibration loop, which ran in between.
        avg_multiple, p50_multiple, p95_multiple, p99_multiple: The latencies, each as a multiple of the
            passes around it: machines and moments differ less in these.
        scenario_pass_rate: Share of the scenarios that pass, 0 to 1; None where there is none.
        edge_case_coverage: Edge cases that scenarios meet with an expectation, in percent.
        quality_score: Overall quality, 0 to 100; dimension_scores: the same by dimension.
        environment: Where it was measured.
        actions: By action, in the order of the definition.
        untimed_actions: Actions without a timed call: no scenario calls them, and no parameters were found
            that they accept, or the time budget ended before.
        histogram: Of the latencies.
    """

    app_id: str
    version: int
    timestamp: str | None
    avg_action_latency_ms: float | None
    p50_action_latency_ms: float | None
    p95_action_latency_ms: float | None
    p99_action_latency_ms: float | None
    actions_per_second: float | None
    sample_count: int
    calibration_ms: float | None
    avg_multiple: float | None
    p50_multiple: float | None
    p95_multiple: float | None
    p99_multiple: float | None
    scenario_pass_rate: float | None
    edge_case_coverage: float
    quality_score: float
    dimension_scores: Mapping[str, float]
    environment: Mapping[str, str]
    actions: tuple[ActionTiming, ...]
    untimed_actions: tuple[str, ...]
    histogram: Histogram

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON."""
        document = asdict(self)
        document["actions"] = [timing.to_dict() for timing in self.actions]
        document["untimed_actions"] = list(self.untimed_actions)
        document["histogram"] = self.histogram.to_dict()
        return document
