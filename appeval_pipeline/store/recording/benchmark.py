"""Benchmark results as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from appeval_pipeline.evaluation import BenchmarkResult, run_benchmark
from appeval_pipeline.evaluation.known import KnownFigures
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.dependencies import BENCHMARKS
from appeval_pipeline.store.recording.boundary import Rows, base_inputs, evaluated_rows
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import BenchmarkActionRow, BenchmarkResultRow, Input, PartitionResult, Row
from appeval_pipeline.store.scenario_files import ScenarioFile


def record_benchmark(
    stored: StoredVersion,
    files: tuple[ScenarioFile, ...],
    upstream: tuple[Input, ...],
    known: KnownFigures | None,
    timestamp: str,
    benchmark: Callable[..., BenchmarkResult] = run_benchmark,
) -> PartitionResult:
    """Benchmark a version on its scenarios: ``benchmark_results`` and ``benchmark_actions`` rows.

    Args:
        upstream: The stored results of this version that the row repeats figures of.
        known: These figures; found again where they are not stored.
        timestamp: When, ISO 8601, UTC.
    """
    app_id, version = stored.app_id, stored.version
    scenarios = [file.scenario for file in files if file.scenario is not None]

    def without(status: str, error: str) -> Rows:
        blank = dict.fromkeys(_FIGURES)
        row = BenchmarkResultRow(
            app_id=app_id,
            version=version,
            status=status,
            timestamp=timestamp,
            **blank,
            sample_count=None,
            dimension_scores="{}",
            environment="{}",
            histogram="{}",
            untimed_actions="[]",
            error=error,
        )
        return (row,)

    rows = evaluated_rows(
        stored,
        lambda engine: _rows(app_id, version, benchmark(engine, scenarios, known=known, timestamp=timestamp)),
        without,
    )
    inputs = (*base_inputs(stored, BENCHMARKS), *upstream, *(file.as_input() for file in files))
    return PartitionResult(app_id, version, rows, inputs)


_FIGURES = (
    "avg_action_latency_ms",
    "p50_action_latency_ms",
    "p95_action_latency_ms",
    "p99_action_latency_ms",
    "actions_per_second",
    "calibration_ms",
    "avg_multiple",
    "p50_multiple",
    "p95_multiple",
    "p99_multiple",
    "scenario_pass_rate",
    "edge_case_coverage",
    "quality_score",
)


def _rows(app_id: str, version: int, result: BenchmarkResult) -> Iterator[Row]:
    document = result.to_dict()
    yield BenchmarkResultRow(
        app_id=app_id,
        version=version,
        status="measured",
        timestamp=result.timestamp,
        **{name: document[name] for name in _FIGURES},
        sample_count=result.sample_count,
        dimension_scores=canonical_json(document["dimension_scores"]),
        environment=canonical_json(document["environment"]),
        histogram=canonical_json(document["histogram"]),
        untimed_actions=canonical_json(document["untimed_actions"]),
        error=None,
    )
    for action in result.actions:
        yield BenchmarkActionRow(
            app_id=app_id,
            version=version,
            action=action.action,
            sample_count=action.sample_count,
            avg_latency_ms=action.avg_latency_ms,
            p50_latency_ms=action.p50_latency_ms,
            p95_latency_ms=action.p95_latency_ms,
            p99_latency_ms=action.p99_latency_ms,
            p50_multiple=action.p50_multiple,
        )
