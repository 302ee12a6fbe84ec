"""What every result depends on beside its sources, as lineage inputs: the code and the configuration.

Configuration is what could be set otherwise without another line of logic: limits, weights, budgets, plans.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache

from appeval_pipeline.agent_plan import DEFAULT_PLAN, AgentPlan
from appeval_pipeline.expr import limits
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.dependencies import (
    AGENTS,
    APP_ASSETS,
    BENCHMARKS,
    COVERAGE,
    EDGE_CASES,
    QUALITY,
    REGRESSIONS,
    TAU_LEADERBOARD,
    TAU_METRICS,
)
from appeval_pipeline.store.rows import Input
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION

EVALUATOR = "evaluator"
AGENT_PLAN = "agents.plan"
"""Which agents try the tasks: a setting, and so no constant of the code."""
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
    from appeval_pipeline.agents import Budget
    from appeval_pipeline.evaluation.agents import distances
    from appeval_pipeline.evaluation.coverage import analysis
    from appeval_pipeline.evaluation.edge_cases import examples, running, searching
    from appeval_pipeline.evaluation.quality import scoring
    from appeval_pipeline.evaluation.statistics import CONFIDENCE, RESAMPLES
    from appeval_pipeline.evaluation.timing import comparing, comparison, sampling
    from appeval_pipeline.store.recording.agents import LIMITS as TRIAL_LIMITS
    from appeval_pipeline.taubench.leaderboard import PUBLISHED
    from appeval_pipeline.taubench.scoring import KS, MAX_TURNS

    return (
        Configuration(
            "agents.limits",
            (AGENTS,),
            {
                "max_invalid_actions": TRIAL_LIMITS.max_invalid_actions,
                "max_tokens": TRIAL_LIMITS.max_tokens or 0,
                "max_time_s": TRIAL_LIMITS.max_time_s or 0,
            },
        ),
        Configuration("agents.search", (AGENTS,), {**asdict(Budget()), "share": distances.SHARE}),
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
            "tau.published",
            (TAU_LEADERBOARD,),
            {
                f"{row.domain} {row.strategy} pass^{k}": value
                for row in PUBLISHED
                for k, value in enumerate(row.pass_hat_k, 1)
            },
        ),
        Configuration(
            "tau.statistics",
            (TAU_METRICS,),
            {
                "confidence": CONFIDENCE,
                "resamples": RESAMPLES,
                "max_k": max(KS),
                "max_turns": MAX_TURNS,
            },
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


def config_inputs(asset: str, agents: AgentPlan = DEFAULT_PLAN) -> tuple[Input, ...]:
    """The configuration that can move the results of ``asset``; another hash makes them stale.

    Args:
        agents: Which agents try the tasks.
    """
    if asset != AGENTS:
        return _fixed_inputs(asset)
    return (Input(kind="config", key=AGENT_PLAN, version=agents.version), *_fixed_inputs(asset))


@cache
def _fixed_inputs(asset: str) -> tuple[Input, ...]:
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


def common_inputs(asset: str, agents: AgentPlan = DEFAULT_PLAN) -> tuple[Input, ...]:
    """The code and the configuration of ``asset``."""
    return (*code_inputs(), *config_inputs(asset, agents))
