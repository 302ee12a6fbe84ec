"""Checks on what is stored: they read rows, so each can run by itself; all in one step, which reads once.

They judge all stored versions that have a file. A landed version without one is a record, and no check's
business.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import dagster as dg

from appeval_pipeline.defs.metadata import markdown_table
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store import Severity, Verdict, VersionOverview, broken_chains, read_overview
from appeval_pipeline.store.chains import BrokenChain
from appeval_pipeline.store.dependencies import (
    AGENTS,
    APP_ASSETS,
    BENCHMARKS,
    COVERAGE,
    DEFINITIONS,
    EDGE_CASES,
    QUALITY,
    REGRESSIONS,
    SCENARIOS,
)
from appeval_pipeline.store.freshness import Need, make_plan, storable_catalogue
from appeval_pipeline.store.results import read_state
from appeval_pipeline.store.verdicts import (
    definition_verdicts,
    evaluation_verdicts,
    lineage_verdicts,
    oracle_verdicts,
    quality_verdicts,
    reference_verdicts,
    regression_verdicts,
    robustness_verdicts,
    scenario_verdicts,
    task_verdicts,
    violation_verdicts,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the checks judge.

    Attributes:
        overview: The stored versions that have a file.
        broken: What their lineage lacks.
        stale: What of them is out of date.
    """

    overview: tuple[VersionOverview, ...]
    broken: tuple[BrokenChain, ...]
    stale: tuple[Need, ...]


Judged = TypeVar("Judged")


@dataclass(frozen=True)
class Bar(Generic[Judged]):
    """A check: what every version, or every experiment, has to meet."""

    name: str
    asset: str
    description: str
    judge: Callable[[Judged], Sequence[Verdict]]

    @property
    def key(self) -> dg.AssetCheckKey:
        """How Dagster names the check."""
        return dg.AssetCheckKey(dg.AssetKey(self.asset), self.name)

    @property
    def spec(self) -> dg.AssetCheckSpec:
        """How Dagster describes the check."""
        return dg.AssetCheckSpec(self.name, asset=self.asset, description=self.description)


def _success_bar(asset: str) -> Bar[Evidence]:
    def judge(evidence: Evidence) -> Sequence[Verdict]:
        found = evaluation_verdicts(evidence.overview)
        return [verdict for verdict in found if verdict.message.startswith(f"{asset}: ")]

    return Bar("evaluation_succeeds", asset, "No evaluation of a version ended in an error.", judge)


def _lineage_bar(asset: str) -> Bar[Evidence]:
    def judge(evidence: Evidence) -> Sequence[Verdict]:
        return lineage_verdicts(chain for chain in evidence.broken if chain.asset_key == asset)

    description = "Every stored metric has a complete chain down to a file and the evaluator's version."
    return Bar("lineage_complete", asset, description, judge)


def _freshness_bar(asset: str) -> Bar[Evidence]:
    def judge(evidence: Evidence) -> Sequence[Verdict]:
        return [
            Verdict("results_are_fresh", need.partition_key, Severity.WARN, reason)
            for need in evidence.stale
            for reason in need.only((asset,)).reasons
        ]

    description = (
        "Every stored result is what the files, the evaluator and the results upstream would give now; warns "
        "with what is stale and why. New versions are not counted."
    )
    return Bar("results_are_fresh", asset, description, judge)


BARS: tuple[Bar[Evidence], ...] = (
    Bar(
        "definition_is_valid",
        DEFINITIONS,
        "Every stored definition can run.",
        lambda evidence: definition_verdicts(evidence.overview),
    ),
    Bar(
        "landed_version_is_unchanged",
        DEFINITIONS,
        "No landed version was edited; warns, because the stored definition stays in use.",
        lambda evidence: violation_verdicts(evidence.overview),
    ),
    Bar(
        "quality_meets_bar",
        QUALITY,
        "Overall quality of every version: below 70 warns, below 50 (or no score) fails.",
        lambda evidence: quality_verdicts(evidence.overview),
    ),
    Bar(
        "all_scenarios_pass",
        SCENARIOS,
        "Every scenario that applies to a version ran and passed.",
        lambda evidence: scenario_verdicts(evidence.overview),
    ),
    Bar(
        "edge_cases_are_robust",
        EDGE_CASES,
        "Every edge case behaves: invalid input is refused cleanly, valid input runs; warns.",
        lambda evidence: robustness_verdicts(evidence.overview),
    ),
    Bar(
        "reference_apps_are_models",
        BENCHMARKS,
        "Every app under data/benchmarks passes all its scenarios and has a quality above 80.",
        lambda evidence: reference_verdicts(evidence.overview),
    ),
    Bar(
        "no_breaking_regression",
        REGRESSIONS,
        "No scenario newly fails against the baseline; a breaking change of the interface warns.",
        lambda evidence: regression_verdicts(evidence.overview),
    ),
    Bar(
        "oracle_reaches_goals",
        AGENTS,
        "The oracle reaches every goal that a plan was found for.",
        lambda evidence: oracle_verdicts(evidence.overview),
    ),
    Bar(
        "tasks_are_sound",
        AGENTS,
        "Every task has a plan, or is tagged unreachable, and its optimal_steps are the fewest; warns.",
        lambda evidence: task_verdicts(evidence.overview),
    ),
    *map(_success_bar, (COVERAGE, EDGE_CASES, BENCHMARKS, REGRESSIONS, AGENTS)),
    *map(_lineage_bar, APP_ASSETS),
    *map(_freshness_bar, APP_ASSETS),
)


@dg.multi_asset_check(specs=[bar.spec for bar in BARS], can_subset=True)
def app_version_checks(
    context: dg.AssetCheckExecutionContext, workspace: Workspace
) -> Iterator[dg.AssetCheckResult]:
    """Judge what is stored by the bars that were selected."""
    yield from check_results(workspace, context.selected_asset_check_keys)


def check_results(
    workspace: Workspace, selected: Collection[dg.AssetCheckKey]
) -> Iterator[dg.AssetCheckResult]:
    """The results of the selected checks."""
    evidence = gather_evidence(workspace)
    for bar in BARS:
        if bar.key in selected:
            yield check_result(bar, bar.judge(evidence), len(evidence.overview))


def gather_evidence(workspace: Workspace) -> Evidence:
    """What is stored of the versions that the catalogue has a file for."""
    there = {entry.partition_key for entry in storable_catalogue(workspace.data_path).entries}
    overview = [found for found in read_overview(workspace.database) if found.partition_key in there]
    chains = broken_chains(workspace.database)
    state = read_state(workspace.database)
    needs = make_plan(workspace.data_path, state, agents=workspace.agent_plan).needs
    return Evidence(
        tuple(overview),
        tuple(chain for chain in chains if chain.partition_key in there),
        tuple(need for need in needs if need.partition_key in state.versions),
    )


def check_result(
    bar: Bar[Judged], verdicts: Sequence[Verdict], count: int, judged: str = "version"
) -> dg.AssetCheckResult:
    """One check result for all versions or experiments: passed, or as severe as the worst of them."""
    worst = _worst(verdict.severity for verdict in verdicts)
    metadata: dict[str, dg.RawMetadataValue] = {f"{judged}s": count, f"{judged}s_failing": len(verdicts)}
    if verdicts:
        rows = [(verdict.partition_key, verdict.severity.value, verdict.message) for verdict in verdicts]
        metadata["failing"] = dg.MetadataValue.md(markdown_table((judged, "severity", "why"), rows))
    summary = "; ".join(f"{verdict.partition_key}: {verdict.message}" for verdict in verdicts)
    return dg.AssetCheckResult(
        asset_key=bar.key.asset_key,
        check_name=bar.name,
        passed=not verdicts,
        severity=dg.AssetCheckSeverity.ERROR if worst is Severity.ERROR else dg.AssetCheckSeverity.WARN,
        description=summary[:500] or None,
        metadata=metadata,
    )


def _worst(severities: Iterable[Severity]) -> Severity:
    return Severity.ERROR if Severity.ERROR in set(severities) else Severity.WARN
