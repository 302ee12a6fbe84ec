"""Checks on what is stored: they read rows, so each can run by itself.

They judge all stored versions that have a file. A landed version without one is a record, and no check's
business.
"""

from collections.abc import Iterable, Sequence

import dagster as dg

from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.metadata import markdown_table
from appeval_pipeline.defs.quality_scores import quality_scores
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.defs.scenario_runs import scenario_runs
from appeval_pipeline.store import Severity, Verdict, VersionOverview, broken_chains, read_overview
from appeval_pipeline.store.freshness import storable_catalogue
from appeval_pipeline.store.verdicts import (
    definition_verdicts,
    quality_verdicts,
    scenario_verdicts,
    violation_verdicts,
)


def judged_versions(workspace: Workspace) -> tuple[VersionOverview, ...]:
    """The stored versions that the catalogue has a file for."""
    there = {entry.partition_key for entry in storable_catalogue(workspace.data_path).entries}
    overview = read_overview(workspace.database)
    return tuple(version for version in overview if version.partition_key in there)


@dg.asset_check(asset=app_definitions, description="Every stored definition can run.")
def definition_is_valid(workspace: Workspace) -> dg.AssetCheckResult:
    """Fail for definitions that cannot run."""
    overview = judged_versions(workspace)
    return check_result(definition_verdicts(overview), len(overview))


@dg.asset_check(
    asset=app_definitions,
    description="No landed version was edited; warns, because the stored definition stays in use.",
)
def landed_version_is_unchanged(workspace: Workspace) -> dg.AssetCheckResult:
    """Warn of edited files of landed versions."""
    overview = judged_versions(workspace)
    return check_result(violation_verdicts(overview), len(overview))


@dg.asset_check(
    asset=quality_scores,
    description="Overall quality of every version: below 70 warns, below 50 (or no score) fails.",
)
def quality_meets_bar(workspace: Workspace) -> dg.AssetCheckResult:
    """Warn or fail for versions of low quality."""
    overview = judged_versions(workspace)
    return check_result(quality_verdicts(overview), len(overview))


@dg.asset_check(asset=scenario_runs, description="Every scenario that applies to a version ran and passed.")
def all_scenarios_pass(workspace: Workspace) -> dg.AssetCheckResult:
    """Fail for versions with a scenario that did not pass."""
    overview = judged_versions(workspace)
    return check_result(scenario_verdicts(overview), len(overview))


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


lineage_checks = [build_lineage_check(asset) for asset in (app_definitions, quality_scores, scenario_runs)]
