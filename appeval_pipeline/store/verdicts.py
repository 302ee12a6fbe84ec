"""Whether a stored version is good enough: the bars that checks and summaries share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from appeval_pipeline.store.chains import BrokenChain
from appeval_pipeline.store.overview import VersionOverview

WARN_BELOW = 70.0
FAIL_BELOW = 50.0
REFERENCE_ABOVE = 80.0


class Severity(StrEnum):
    """How bad a finding is."""

    WARN = "warn"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One app version that does not meet one bar.

    ``check`` is the name of the Dagster check that reports it.
    """

    check: str
    partition_key: str
    severity: Severity
    message: str


def definition_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Versions whose definition cannot run."""
    return tuple(
        Verdict("definition_is_valid", version.partition_key, Severity.ERROR, version.error or version.status)
        for version in overview
        if version.status != "valid"
    )


def violation_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Landed versions whose file was edited."""
    return tuple(
        Verdict("landed_version_is_unchanged", version.partition_key, Severity.WARN, version.violation)
        for version in overview
        if version.violation
    )


def quality_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Versions of less quality than the bars: below 70 warns, below 50 or without a score fails."""
    return tuple(verdict for version in overview if (verdict := _quality_verdict(version)) is not None)


def scenario_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Versions of which not every scenario passes."""
    return tuple(
        Verdict(
            "all_scenarios_pass",
            version.partition_key,
            Severity.ERROR,
            f"{version.scenarios_passed} of {version.scenarios_total} scenarios pass; "
            + ", ".join(version.scenario_problems),
        )
        for version in overview
        if version.scenario_problems
    )


def robustness_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Versions of which an edge case misbehaves."""
    return tuple(
        Verdict(
            "edge_cases_are_robust",
            version.partition_key,
            Severity.WARN,
            f"{version.edge_case_robustness:.1f}% of the edge cases behave",
        )
        for version in overview
        if version.edge_case_robustness is not None and version.edge_case_robustness < 100
    )


def reference_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Reference apps that are no model: a scenario fails, or quality is not above 80."""
    return tuple(
        Verdict("reference_apps_are_models", version.partition_key, Severity.ERROR, problem)
        for version in overview
        if version.root == "benchmarks"
        for problem in _reference_problems(version)
    )


def regression_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Versions that break what their baseline did, or may break who calls them."""
    check = "no_breaking_regression"
    found = []
    for version in overview:
        against = f"against version {version.old_version}"
        if version.new_failures:
            names = ", ".join(version.new_failures)
            message = f"newly failing {against}: {names}"
            found.append(Verdict(check, version.partition_key, Severity.ERROR, message))
        if version.interface_breaks:
            changes = "; ".join(version.interface_breaks)
            message = f"interface {against}: {changes}"
            found.append(Verdict(check, version.partition_key, Severity.WARN, message))
    return tuple(found)


def oracle_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Versions where the oracle missed a goal that a plan was found for: search and app disagree."""
    return tuple(
        Verdict(
            "oracle_reaches_goals",
            version.partition_key,
            Severity.ERROR,
            "the oracle misses what a plan was found for: " + ", ".join(version.oracle_misses),
        )
        for version in overview
        if version.oracle_misses
    )


def task_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Tasks that cannot be done, or not as they say."""
    return tuple(
        Verdict("tasks_are_sound", version.partition_key, Severity.WARN, problem)
        for version in overview
        for problem in version.task_problems
    )


def evaluation_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """Versions of which an evaluation failed."""
    return tuple(
        Verdict("evaluation_succeeds", version.partition_key, Severity.ERROR, error)
        for version in overview
        for error in version.errors
    )


def lineage_verdicts(broken: Iterable[BrokenChain]) -> tuple[Verdict, ...]:
    """Results whose numbers cannot be followed to files and code."""
    return tuple(
        Verdict("lineage_complete", chain.partition_key, Severity.ERROR, f"{chain.asset_key}: {chain.reason}")
        for chain in broken
    )


VERDICTS: tuple[Callable[[Iterable[VersionOverview]], tuple[Verdict, ...]], ...] = (
    definition_verdicts,
    violation_verdicts,
    quality_verdicts,
    scenario_verdicts,
    robustness_verdicts,
    reference_verdicts,
    regression_verdicts,
    oracle_verdicts,
    task_verdicts,
    evaluation_verdicts,
)


def all_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """All of the above."""
    versions = tuple(overview)
    return tuple(verdict for verdicts in VERDICTS for verdict in verdicts(versions))


def _reference_problems(version: VersionOverview) -> Iterator[str]:
    if version.scenarios_passed < version.scenarios_total or not version.scenarios_total:
        yield f"{version.scenarios_passed} of {version.scenarios_total} scenarios pass, expected all of some"
    if version.overall_score is not None and version.overall_score <= REFERENCE_ABOVE:
        yield f"quality {version.overall_score:.1f} is not above {REFERENCE_ABOVE:.0f}"


def _quality_verdict(version: VersionOverview) -> Verdict | None:
    check, key = "quality_meets_bar", version.partition_key
    score = version.overall_score
    if version.quality_status is None:
        return None
    if score is None:
        return Verdict(check, key, Severity.ERROR, f"no quality score: {version.quality_status}")
    if score < FAIL_BELOW:
        return Verdict(check, key, Severity.ERROR, f"quality {score:.1f} is below {FAIL_BELOW:.0f}")
    if score < WARN_BELOW:
        return Verdict(check, key, Severity.WARN, f"quality {score:.1f} is below {WARN_BELOW:.0f}")
    return None
