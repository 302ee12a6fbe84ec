"""Benchmarking an app version."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.benchmark.environment import describe_environment
from appeval_pipeline.evaluation.benchmark.examples import example_workloads
from appeval_pipeline.evaluation.benchmark.result import ActionTiming, BenchmarkResult
from appeval_pipeline.evaluation.edge_cases import edge_cases
from appeval_pipeline.evaluation.known import KnownFigures, KnownQuality
from appeval_pipeline.evaluation.quality import score_quality
from appeval_pipeline.evaluation.scenarios import Scenario, ScenarioResult, run_scenario
from appeval_pipeline.evaluation.timing.measuring import Timer
from appeval_pipeline.evaluation.timing.sampling import Samples, SamplingPlan, time_actions
from appeval_pipeline.evaluation.timing.statistics import histogram, percentile
from appeval_pipeline.evaluation.timing.workload import applicable, workloads_of

MIN_P99_SAMPLES: Final = 1_000
"""Of fewer the 99th percentile is the work of less than ten calls, and is not told."""

_NS_PER_MS: Final = 1e6


def run_benchmark(
    app: AppDefinition | Engine,
    scenarios: Iterable[Scenario],
    *,
    known: KnownFigures | None = None,
    timestamp: str | None = None,
    timer: Timer = time.perf_counter_ns,
    environment: Callable[[], Mapping[str, str]] = describe_environment,
    plan: SamplingPlan | None = None,
) -> BenchmarkResult:
    """Measure how fast the actions of ``app`` are; run its scenarios and score it, too.

    Every call of every scenario is timed alone, the refused ones, too, over and over, until there are at
    least 1,000. Actions that no scenario calls are called with parameters that they accept. A slow app ends
    the budget of the plan before: then there are fewer samples, and no 99th percentile.

    All but the times is a function of the app and the scenarios.

    Args:
        app: The app, or an engine of it where there is one.
        scenarios: Those that are meant for this version of this app count, others do not.
        known: What was found of this definition and these scenarios before; found again if None.
        timestamp: What the result says of when it was measured.
        timer: Where times come from.
        environment: Tells where it was measured.
        plan: How much is timed.

    Raises:
        DefinitionError: The definition cannot run.
    """
    engine = app if isinstance(app, Engine) else Engine(app)
    app = engine.app
    suite = applicable(app, scenarios)
    found = known or _figures(engine, suite)
    workloads = workloads_of(suite, engine)
    workloads += example_workloads(app, workloads)
    samples = time_actions(engine, workloads, plan or SamplingPlan(), timer)
    latencies = [call.latency_ns / _NS_PER_MS for call in samples.calls]
    latency, multiple = _Summary.of(latencies), _Summary.of(samples.multiples())
    actions = _action_timings(app, samples)
    timed = {timing.action for timing in actions}
    return BenchmarkResult(
        app_id=app.app_id,
        version=app.version or 1,
        timestamp=timestamp,
        avg_action_latency_ms=latency.avg if latency else None,
        p50_action_latency_ms=latency.p50 if latency else None,
        p95_action_latency_ms=latency.p95 if latency else None,
        p99_action_latency_ms=latency.p99 if latency else None,
        actions_per_second=1_000 / latency.avg if latency and latency.avg else None,
        sample_count=len(latencies),
        calibration_ms=_median_ms(samples.passes_ns),
        avg_multiple=multiple.avg if multiple else None,
        p50_multiple=multiple.p50 if multiple else None,
        p95_multiple=multiple.p95 if multiple else None,
        p99_multiple=multiple.p99 if multiple else None,
        scenario_pass_rate=found.scenario_pass_rate,
        edge_case_coverage=found.edge_case_coverage,
        quality_score=found.quality.overall_score,
        dimension_scores=dict(found.quality.dimension_scores),
        environment=dict(environment()),
        actions=actions,
        untimed_actions=tuple(action.name for action in app.actions if action.name not in timed),
        histogram=histogram(latencies),
    )


def _figures(engine: Engine, suite: Sequence[Scenario]) -> KnownFigures:
    results = [run_scenario(engine, scenario) for scenario in suite]
    quality = score_quality(engine.app)
    return KnownFigures(
        quality=KnownQuality(quality.overall_score, quality.dimension_scores),
        scenario_pass_rate=_pass_rate(results),
        edge_case_coverage=edge_cases(engine, results).edge_case_coverage,
    )


@dataclass(frozen=True, slots=True)
class _Summary:
    """The figures of one sample; no 99th percentile of a small one."""

    avg: float
    p50: float
    p95: float
    p99: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> _Summary | None:
        """None if there are no values."""
        if not values:
            return None
        ordered = sorted(values)
        return cls(
            avg=math.fsum(ordered) / len(ordered),
            p50=percentile(ordered, 0.50),
            p95=percentile(ordered, 0.95),
            p99=percentile(ordered, 0.99) if len(ordered) >= MIN_P99_SAMPLES else None,
        )


def _action_timings(app: AppDefinition, samples: Samples) -> tuple[ActionTiming, ...]:
    latencies: dict[str, list[float]] = {}
    multiples: dict[str, list[float]] = {}
    for call, multiple in zip(samples.calls, samples.multiples(), strict=True):
        latencies.setdefault(call.action, []).append(call.latency_ns / _NS_PER_MS)
        multiples.setdefault(call.action, []).append(multiple)
    timings = []
    for action in app.actions:
        latency = _Summary.of(latencies.get(action.name, ()))
        if latency is not None:
            timings.append(
                ActionTiming(
                    action=action.name,
                    sample_count=len(latencies[action.name]),
                    avg_latency_ms=latency.avg,
                    p50_latency_ms=latency.p50,
                    p95_latency_ms=latency.p95,
                    p99_latency_ms=latency.p99,
                    p50_multiple=percentile(sorted(multiples[action.name]), 0.50),
                )
            )
    return tuple(timings)


def _median_ms(times_ns: Sequence[int]) -> float | None:
    return percentile(sorted(times_ns), 0.50) / _NS_PER_MS if times_ns else None


def _pass_rate(results: Sequence[ScenarioResult]) -> float | None:
    return sum(result.passed for result in results) / len(results) if results else None
