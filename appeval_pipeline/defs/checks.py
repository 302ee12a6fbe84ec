"""Checks on what is stored: they read rows, so each can run by itself.

They judge all stored versions that have a file. A landed version without one is a record, and no check's
business.
"""

from collections.abc import Callable, Iterable, Sequence

import dagster as dg

from appeval_pipeline.defs.app_assets import app_assets
from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.benchmark_results import benchmark_results
from appeval_pipeline.defs.coverage_reports import coverage_reports
from appeval_pipeline.defs.edge_case_reports import edge_case_reports
from appeval_pipeline.defs.metadata import markdown_table
from appeval_pipeline.defs.quality_scores import quality_scores
from appeval_pipeline.defs.regression_reports import regression_reports
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.scenario_runs import scenario_runs
from appeval_pipeline.store import Severity, Verdict, VersionOverview, broken_chains, read_overview
from appeval_pipeline.store.freshness import storable_catalogue
from appeval_pipeline.store.verdicts import (
    definition_verdicts,
    evaluation_verdicts,
    quality_verdicts,
    reference_verdicts,
    regression_verdicts,
    robustness_verdicts,
    scenario_verdicts,
    violation_verdicts,
)


def judged_versions(workspace: Workspace) -> tuple[VersionOverview, ...]:
    """The stored versions that the catalogue has a file for."""
    there = {entry.partition_key for entry in storable_catalogue(workspace.data_path).entries}
    overview = read_overview(workspace.database)
    return tuple(version for version in overview if version.partition_key in there)


Judge = Callable[[Sequence[VersionOverview]], Sequence[Verdict]]


def build_check(
    name: str, asset: dg.AssetsDefinition, judge: Judge, description: str
) -> dg.AssetChecksDefinition:
    """A check that finds the versions which do not meet one bar."""

    @dg.asset_check(name=name, asset=asset, description=description)
    def check(workspace: Workspace) -> dg.AssetCheckResult:
        overview = judged_versions(workspace)
        return check_result(judge(overview), len(overview))

    return check


definition_is_valid = build_check(
    "definition_is_valid",
    app_definitions,
    definition_verdicts,
    "Every stored definition can run.",
)
landed_version_is_unchanged = build_check(
    "landed_version_is_unchanged",
    app_definitions,
    violation_verdicts,
    "No landed version was edited; warns, because the stored definition stays in use.",
)
quality_meets_bar = build_check(
    "quality_meets_bar",
    quality_scores,
    quality_verdicts,
    "Overall quality of every version: below 70 warns, below 50 (or no score) fails.",
)
all_scenarios_pass = build_check(
    "all_scenarios_pass",
    scenario_runs,
    scenario_verdicts,
    "Every scenario that applies to a version ran and passed.",
)
edge_cases_are_robust = build_check(
    "edge_cases_are_robust",
    edge_case_reports,
    robustness_verdicts,
    "Every edge case behaves: invalid input is refused cleanly, valid input runs; warns.",
)
reference_apps_are_models = build_check(
    "reference_apps_are_models",
    benchmark_results,
    reference_verdicts,
    "Every app under data/benchmarks passes all its scenarios and has a quality above 80.",
)
no_breaking_regression = build_check(
    "no_breaking_regression",
    regression_reports,
    regression_verdicts,
    "No scenario newly fails against the baseline; a breaking change of the interface warns.",
)


def build_success_check(asset: dg.AssetsDefinition) -> dg.AssetChecksDefinition:
    """A check that an asset's evaluation came to a result for every version."""
    name = asset.key.to_user_string()

    def judge(overview: Sequence[VersionOverview]) -> Sequence[Verdict]:
        return [found for found in evaluation_verdicts(overview) if found.message.startswith(f"{name}: ")]

    return build_check("evaluation_succeeds", asset, judge, "No evaluation of a version ended in an error.")


def build_lineage_check(asset: dg.AssetsDefinition) -> dg.AssetChecksDefinition:
    """A check that every metric of an asset can be followed to files and code."""

    @dg.asset_check(
        asset=asset,
        name="lineage_complete",
        description="Every stored metric has a complete chain down to a file and the evaluator's version.",
    )
    def lineage_complete(workspace: Workspace) -> dg.AssetCheckResult:
        overview = judged_versions(workspace)
        judged = {version.partition_key for version in overview}
        chains = broken_chains(workspace.database, asset.key.to_user_string())
        verdicts = [
            Verdict("lineage_complete", chain.partition_key, Severity.ERROR, chain.reason)
            for chain in chains
            if chain.partition_key in judged
        ]
        return check_result(verdicts, len(overview))

    return lineage_complete


def check_result(verdicts: Sequence[Verdict], version_count: int) -> dg.AssetCheckResult:
    """One check result for all versions: passed, or as severe as the worst of them."""
    worst = _worst(verdict.severity for verdict in verdicts)
    metadata: dict[str, dg.RawMetadataValue] = {"versions": version_count, "versions_failing": len(verdicts)}
    if verdicts:
        rows = [(verdict.partition_key, verdict.severity.value, verdict.message) for verdict in verdicts]
        metadata["failing"] = dg.MetadataValue.md(markdown_table(("version", "severity", "why"), rows))
    summary = "; ".join(f"{verdict.partition_key}: {verdict.message}" for verdict in verdicts)
    return dg.AssetCheckResult(
        passed=not verdicts,
        severity=dg.AssetCheckSeverity.ERROR if worst is Severity.ERROR else dg.AssetCheckSeverity.WARN,
        description=summary[:500] or None,
        metadata=metadata,
    )


def _worst(severities: Iterable[Severity]) -> Severity:
    return Severity.ERROR if Severity.ERROR in set(severities) else Severity.WARN


lineage_checks = [build_lineage_check(asset) for asset in app_assets]

checks = [
    definition_is_valid,
    landed_version_is_unchanged,
    quality_meets_bar,
    all_scenarios_pass,
    edge_cases_are_robust,
    reference_apps_are_models,
    no_breaking_regression,
    *map(build_success_check, (coverage_reports, edge_case_reports, benchmark_results, regression_reports)),
    *lineage_checks,
]
