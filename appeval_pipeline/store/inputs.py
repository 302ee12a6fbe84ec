"""What every result depends on beside its sources, as lineage inputs: the code and the configuration.

Configuration is what could be set otherwise without another line of logic: limits, weights, budgets, plans.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache

from appeval_pipeline.expr import limits
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.dependencies import (
    APP_ASSETS,
    BENCHMARKS,
    COVERAGE,
    EDGE_CASES,
    QUALITY,
    REGRESSIONS,
)
from appeval_pipeline.store.rows import Input
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION

EVALUATOR = "evaluator"
PACKAGE = "appeval-pipeline"

Value = int | float | str


@dataclass(frozen=True, slots=True)
class Configuration:
    """A named configuration, and the assets whose results it can move."""

    name: str
    assets: tuple[str, ...]
    values: Mapping[str, Value]

    @property
    def version(self) -> str:
        """SHA-256 of the values: equal on every machine, whatever their order."""
        return sha256_of(dict(self.values))


@cache
def configurations() -> tuple[Configuration, ...]:
    """All of them, by name."""
    # Here, since whoever only reads the store needs none of the evaluations: they are half its start.
    from appeval_pipeline.evaluation.coverage import analysis
    from appeval_pipeline.evaluation.edge_cases import examples, running, searching
    from appeval_pipeline.evaluation.quality import scoring
    from appeval_pipeline.evaluation.timing import comparing, comparison, sampling

    return (
        Configuration(
            "coverage.limits", (COVERAGE,), {"max_paths": analysis.MAX_PATHS, "max_count": analysis.MAX_COUNT}
        ),
        Configuration(
            "edge_cases.budgets",
            (EDGE_CASES, BENCHMARKS),
            {
                "search": running.SEARCH_BUDGET,
                "cases": running.CASES_BUDGET,
                "max_worlds": searching.MAX_WORLDS,
                "max_candidates": examples.MAX_CANDIDATES,
            },
        ),
        Configuration(
            "engine.limits",
            APP_ASSETS,
            {name.lower(): value for name, value in vars(limits).items() if name.startswith("MAX_")},
        ),
        Configuration(
            "quality.weights",
            (QUALITY, BENCHMARKS, REGRESSIONS),
            {dimension.name: dimension.weight for dimension in scoring.DIMENSIONS},
        ),
        Configuration(
            "timing.comparison",
            (REGRESSIONS,),
            {
                "pairs": comparing.PAIRS,
                "replay_pairs": comparing.REPLAY_PAIRS,
                "budget_s": comparing.BUDGET_S,
                "confidence": comparison.CONFIDENCE,
            },
        ),
        Configuration(
            "timing.plan",
            (BENCHMARKS,),
            {**asdict(sampling.SamplingPlan()), "calls_a_pass": sampling.CALLS_A_PASS},
        ),
    )


@cache
def config_inputs(asset: str) -> tuple[Input, ...]:
    """The configuration that can move the results of ``asset``; another hash makes them stale."""
    return tuple(
        Input(kind="config", key=found.name, version=found.version)
        for found in configurations()
        if asset in found.assets
    )


def code_inputs() -> tuple[Input, ...]:
    """The evaluator, whose version decides what is stale, and the package, which is only recorded."""
    return (
        Input(kind="code", key=EVALUATOR, version=EVALUATOR_VERSION),
        Input(kind="code", key=PACKAGE, version=PACKAGE_VERSION),
    )


def common_inputs(asset: str) -> tuple[Input, ...]:
    """The code and the configuration of ``asset``."""
    return (*code_inputs(), *config_inputs(asset))
