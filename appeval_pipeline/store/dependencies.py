"""Which asset is computed from what: the graph that staleness, lineage and Dagster share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DEFINITIONS = "app_definitions"
QUALITY = "quality_scores"
SCENARIOS = "scenario_runs"
COVERAGE = "coverage_reports"
EDGE_CASES = "edge_case_reports"
BENCHMARKS = "benchmark_results"
REGRESSIONS = "regression_reports"
AGENTS = "agent_evaluations"
TAU_TASKS = "tau_tasks"
TAU_TRIALS = "tau_trials"
TAU_METRICS = "tau_metrics"
TAU_LEADERBOARD = "tau_leaderboard"


@dataclass(frozen=True, slots=True)
class Sources:
    """What an asset is computed from, beside the code.

    Attributes:
        upstream: Assets of the same app version.
        scenarios: Whether the scenario files are read.
        tasks: Whether the task files are read.
        baseline: Assets of the baseline, the next lower valid version.
    """

    upstream: tuple[str, ...] = ()
    scenarios: bool = False
    tasks: bool = False
    baseline: tuple[str, ...] = ()


SOURCES: Mapping[str, Sources] = {
    DEFINITIONS: Sources(),
    QUALITY: Sources((DEFINITIONS,)),
    SCENARIOS: Sources((DEFINITIONS,), scenarios=True),
    COVERAGE: Sources((DEFINITIONS, SCENARIOS)),
    EDGE_CASES: Sources((DEFINITIONS, SCENARIOS)),
    BENCHMARKS: Sources((DEFINITIONS, QUALITY, SCENARIOS, EDGE_CASES), scenarios=True),
    REGRESSIONS: Sources(
        (DEFINITIONS, QUALITY, SCENARIOS), scenarios=True, baseline=(DEFINITIONS, QUALITY, SCENARIOS)
    ),
    # Last, since it may take longer than all others together.
    AGENTS: Sources((DEFINITIONS,), tasks=True),
}
"""The assets of an app version, upstream first."""

APP_ASSETS = tuple(SOURCES)
"""The assets that are evaluated for every app version, upstream first."""

TAU_UPSTREAM: Mapping[str, tuple[str, ...]] = {
    TAU_TASKS: (),
    TAU_TRIALS: (TAU_TASKS,),
    TAU_METRICS: (TAU_TASKS, TAU_TRIALS),
    TAU_LEADERBOARD: (TAU_TRIALS, TAU_METRICS),
}
"""The assets of a tau-bench experiment, upstream first, with those that each rests on."""

TAU_ASSETS = tuple(TAU_UPSTREAM)
"""The assets that are evaluated for every experiment, upstream first."""
