"""Evaluating app versions: what is new or stale, and what came of it.

Dagster is imported only when there is something to evaluate or to forget.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from appeval_pipeline.appdef.catalogue import CatalogueProblem
from appeval_pipeline.dagster_home import prepare_dagster_home
from appeval_pipeline.launch.experiments import ExperimentRequest, ExperimentsSummary, run_experiments
from appeval_pipeline.launch.progress import Progress
from appeval_pipeline.settings import Settings
from appeval_pipeline.store.chains import broken_chains
from appeval_pipeline.store.changes import Change, Findings, find_changes, read_findings
from appeval_pipeline.store.experiments import ExperimentPlan
from appeval_pipeline.store.freshness import Plan, make_plan
from appeval_pipeline.store.opening import open_store
from appeval_pipeline.store.overview import VersionOverview, read_overview
from appeval_pipeline.store.results import read_state, read_unasked
from appeval_pipeline.store.verdicts import Verdict, all_verdicts, lineage_verdicts
from appeval_pipeline.store_address import StoreAddress

if TYPE_CHECKING:
    from appeval_pipeline.defs.execution import Outcome, Step


NOTHING = Findings(frozenset(), {}, {}, {}, {})


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to evaluate.

    Attributes:
        app_id: This app only; None for all.
        version: This version only; None for all.
        everything: Evaluate what is fresh, too.
        check_lineage: Look in the end whether every stored number can be followed to files and code.
    """

    app_id: str | None = None
    version: int | None = None
    everything: bool = False
    check_lineage: bool = False


@dataclass(frozen=True, slots=True)
class VersionSummary:
    """One app version after the run.

    Attributes:
        app_id: The app.
        version: The version.
        progress: What this run did with it.
        reasons: Why it was evaluated, one an asset; empty for a fresh one.
        overview: What is stored of it; None if nothing is, because the run failed.
    """

    app_id: str
    version: int
    progress: Progress
    reasons: tuple[str, ...]
    overview: VersionOverview | None

    @property
    def could_not_run(self) -> bool:
        """Whether an evaluation of this version has no result: quality, a scenario, or what rests on them."""
        overview = self.overview
        return (
            self.progress is Progress.RUN_FAILED
            or overview is None
            or overview.overall_score is None
            or overview.scenarios_not_run > 0
            or bool(overview.errors)
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "app_id": self.app_id,
            "version": self.version,
            "this_run": self.progress.value,
            "reasons": list(self.reasons),
            "could_not_run": self.could_not_run,
            "overview": asdict(self.overview) if self.overview else None,
        }


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What one call of :func:`run` did, and how the app versions stand.

    Attributes:
        versions: The versions asked for, in natural order.
        verdicts: Their failed checks, warnings included.
        changes: What is different now of versions that had been evaluated before.
        first_count: Versions evaluated for the first time.
        violations: Landed versions whose file was edited.
        problems: Files and folders that break the catalogue's rules.
        errors: Why runs failed.
        run_ids: The Dagster runs.
        elapsed_s: Wall time.
        store: Where the results are.
        dagster_home: Where Dagster keeps the runs.
        experiments: What became of the tau-bench experiments that cost nothing; None if only some app or
            version was asked for.
    """

    versions: tuple[VersionSummary, ...]
    verdicts: tuple[Verdict, ...]
    changes: tuple[Change, ...]
    first_count: int
    violations: tuple[str, ...]
    problems: tuple[CatalogueProblem, ...]
    errors: tuple[str, ...]
    run_ids: tuple[str, ...]
    elapsed_s: float
    store: StoreAddress
    dagster_home: Path
    experiments: ExperimentsSummary | None = None

    @property
    def evaluated_count(self) -> int:
        """Versions of which this run evaluated anything."""
        return sum(1 for version in self.versions if version.progress is Progress.EVALUATED)

    @property
    def fresh_count(self) -> int:
        """Versions that were up to date."""
        return sum(1 for version in self.versions if version.progress is Progress.FRESH)

    @property
    def could_not_run(self) -> tuple[VersionSummary, ...]:
        """Versions with an evaluation that has no result."""
        return tuple(version for version in self.versions if version.could_not_run)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "versions": [version.to_dict() for version in self.versions],
            "verdicts": [asdict(verdict) for verdict in self.verdicts],
            "changes": [change.to_dict() for change in self.changes],
            "evaluated_count": self.evaluated_count,
            "first_count": self.first_count,
            "fresh_count": self.fresh_count,
            "violations": list(self.violations),
            "problems": [{"path": str(it.path), "message": it.message} for it in self.problems],
            "errors": list(self.errors),
            "run_ids": list(self.run_ids),
            "elapsed_s": self.elapsed_s,
            "store": str(self.store),
            "dagster_home": str(self.dagster_home),
            "experiments": self.experiments.to_dict() if self.experiments else None,
        }


def run(
    settings: Settings,
    request: EvaluationRequest = EvaluationRequest(),
    *,
    report: Callable[[Plan], None] | None = None,
    report_experiments: Callable[[ExperimentPlan], None] | None = None,
    follow: Callable[[Step], None] | None = None,
) -> RunSummary:
    """Evaluate the app versions that are new or stale; then the experiments that cost nothing.

    Experiments are left alone where only some app or version is asked for.

    Args:
        settings: Where everything is.
        request: What to evaluate.
        report: Called with the plan before the evaluation starts.
        report_experiments: Called with the plan of the experiments before theirs starts.
        follow: Called with each step of an evaluation that begins; steps of other processes are not seen.

    Raises:
        CatalogueError: There is no such app or version, or no data directory.
        StoreError: The store cannot be read or written.
        SettingsError: Dagster's home cannot be used, or its dagster.yaml is broken.
    """
    started = time.monotonic()
    database = open_store(settings.store)
    database.prepare()
    plan = make_plan(
        settings.data_dir,
        read_state(database),
        agents=settings.agent_plan,
        unasked=read_unasked(database),
        app_id=request.app_id,
        version=request.version,
        force=request.everything,
    )
    if report is not None:
        report(plan)
    keys = [need.partition_key for need in plan.needs]
    before = read_findings(database, read_overview(database), keys) if keys else NOTHING
    outcomes: tuple[Outcome, ...] = ()
    if plan.needs or plan.gone:
        outcomes = _evaluate(settings, plan, follow)
    overview = read_overview(database)
    after = read_findings(database, overview, keys) if keys else NOTHING
    versions = _summarize(plan, outcomes, overview)
    verdicts = all_verdicts(version.overview for version in versions if version.overview)
    if request.check_lineage:
        asked = {f"{version.app_id}@{version.version}" for version in versions}
        broken = [chain for chain in broken_chains(database) if chain.partition_key in asked]
        verdicts += lineage_verdicts(broken)
    experiments = None
    if request.app_id is None and request.version is None:
        asked_for = ExperimentRequest(
            everything=request.everything, costly=False, check_lineage=request.check_lineage
        )
        experiments = run_experiments(settings, asked_for, report=report_experiments, follow=follow)
    return RunSummary(
        versions=versions,
        verdicts=verdicts,
        changes=find_changes(before, after),
        first_count=len(after.evaluated - before.evaluated),
        violations=plan.violations,
        problems=plan.problems,
        errors=tuple(outcome.error for outcome in outcomes if outcome.error),
        run_ids=tuple(outcome.run_id for outcome in outcomes if outcome.run_id),
        elapsed_s=time.monotonic() - started,
        store=settings.store,
        dagster_home=settings.dagster_home,
        experiments=experiments,
    )


def _evaluate(settings: Settings, plan: Plan, follow: Callable[[Step], None] | None) -> tuple[Outcome, ...]:
    prepare_dagster_home(settings.dagster_home)
    from appeval_pipeline.defs.execution import evaluate  # imports Dagster, which takes a second

    return evaluate(settings, plan.needs, plan.gone, follow=follow)


def _summarize(
    plan: Plan, outcomes: tuple[Outcome, ...], overview: tuple[VersionOverview, ...]
) -> tuple[VersionSummary, ...]:
    stored = {version.partition_key: version for version in overview}
    failed = {key for outcome in outcomes if outcome.error for key in outcome.partition_keys}
    needs = {need.partition_key: need for need in plan.needs}
    entries = sorted([*plan.fresh, *(need.entry for need in plan.needs)])
    versions = []
    for entry in entries:
        key = entry.partition_key
        need = needs.get(key)
        progress = Progress.RUN_FAILED if key in failed else Progress.EVALUATED if need else Progress.FRESH
        reasons = need.reasons if need else ()
        versions.append(VersionSummary(entry.app_id, entry.version, progress, reasons, stored.get(key)))
    return tuple(versions)
