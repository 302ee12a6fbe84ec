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


@dataclass(frozen=True, slots=True)
class Sources:
    """What an asset is computed from, beside the code.

    Attributes:
        upstream: Assets of the same app version.
        scenarios: Whether the scenario files are read.
        baseline: Assets of the baseline, the next lower valid version.
    """

    upstream: tuple[str, ...] = ()
    scenarios: bool = False
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
}
"""The assets of an app version, upstream first."""

APP_ASSETS = tuple(SOURCES)
"""The assets that are evaluated for every app version, upstream first."""
