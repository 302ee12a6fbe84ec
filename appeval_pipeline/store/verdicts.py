"""Whether a stored version is good enough: the bars that checks and summaries share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from appeval_pipeline.store.results import VersionOverview

WARN_BELOW = 70.0
FAIL_BELOW = 50.0


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


def all_verdicts(overview: Iterable[VersionOverview]) -> tuple[Verdict, ...]:
    """All of the above."""
    versions = tuple(overview)
    return (
        *definition_verdicts(versions),
        *violation_verdicts(versions),
        *quality_verdicts(versions),
        *scenario_verdicts(versions),
    )


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
