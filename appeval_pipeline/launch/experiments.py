"""Carrying out experiments of tau-bench: what is new or stale, and what came of it.

Dagster is imported only when there is something to evaluate.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from appeval_pipeline.dagster_home import prepare_dagster_home
from appeval_pipeline.launch.progress import Progress
from appeval_pipeline.settings import Settings
from appeval_pipeline.store.chains import broken_chains
from appeval_pipeline.store.experiments import (
    ExperimentOverview,
    ExperimentPlan,
    experiment_verdicts,
    plan_experiments,
    read_experiments,
    read_unfinished,
)
from appeval_pipeline.store.opening import open_store
from appeval_pipeline.store.verdicts import Verdict, lineage_verdicts
from appeval_pipeline.store_address import StoreAddress

if TYPE_CHECKING:
    from appeval_pipeline.defs.execution import Outcome, Step


@dataclass(frozen=True, slots=True)
class ExperimentRequest:
    """Which experiments to evaluate.

    Attributes:
        names: These only; None for all.
        everything: Evaluate what is fresh, too.
        costly: Also those that ask a model, or an agent of one's own.
        check_lineage: Look in the end whether every stored number can be followed to files and code.
    """

    names: tuple[str, ...] | None = None
    everything: bool = False
    costly: bool = True
    check_lineage: bool = False


@dataclass(frozen=True, slots=True)
class ExperimentSummary:
    """One experiment after the run.

    Attributes:
        progress: What this run did with it.
        reasons: Why it was evaluated, one an asset; empty for a fresh one.
        overview: What is stored of it; None if nothing is, because the run failed.
    """

    name: str
    progress: Progress
    reasons: tuple[str, ...]
    overview: ExperimentOverview | None

    @property
    def could_not_run(self) -> bool:
        """Whether it has no result."""
        if self.progress is Progress.RUN_FAILED or self.overview is None:
            return True
        return self.overview.status in ("invalid", "error")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "name": self.name,
            "this_run": self.progress.value,
            "reasons": list(self.reasons),
            "could_not_run": self.could_not_run,
            "overview": asdict(self.overview) if self.overview else None,
        }


@dataclass(frozen=True, slots=True)
class ExperimentsSummary:
    """What one call of :func:`run_experiments` did, and how the experiments stand.

    Attributes:
        experiments: Those asked for, by name, but for those that are ``left``.
        left: Those that are new or stale and may cost money, which was not asked for.
        missing: Why none could be evaluated: tau-bench's tasks are not installed; else None.
        verdicts: Their failed checks, warnings included.
        problems: Files that are no experiments, each as its path and why.
        errors: Why runs failed.
        run_ids: The Dagster runs.
        elapsed_s: Wall time.
        store: Where the results are.
    """

    experiments: tuple[ExperimentSummary, ...]
    left: tuple[str, ...]
    missing: str | None
    verdicts: tuple[Verdict, ...]
    problems: tuple[tuple[str, str], ...]
    errors: tuple[str, ...]
    run_ids: tuple[str, ...]
    elapsed_s: float
    store: StoreAddress

    @property
    def could_not_run(self) -> bool:
        """Whether some experiment has no result."""
        return bool(self.errors) or any(one.could_not_run for one in self.experiments)

    @property
    def has_missing_trials(self) -> bool:
        """Whether trials are missing or broke down."""
        return any(verdict.check == "no_missing_trials" for verdict in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "experiments": [one.to_dict() for one in self.experiments],
            "left": list(self.left),
            "missing": self.missing,
            "verdicts": [asdict(verdict) for verdict in self.verdicts],
            "problems": [{"path": path, "message": message} for path, message in self.problems],
            "errors": list(self.errors),
            "run_ids": list(self.run_ids),
            "elapsed_s": self.elapsed_s,
            "store": str(self.store),
        }


def run_experiments(
    settings: Settings,
    request: ExperimentRequest = ExperimentRequest(),
    *,
    report: Callable[[ExperimentPlan], None] | None = None,
    follow: Callable[[Step], None] | None = None,
) -> ExperimentsSummary:
    """Carry out the experiments that are new or stale, and go on with those that are not finished.

    Args:
        settings: Where everything is.
        request: What to evaluate.
        report: Called with the plan before the evaluation starts.
        follow: Called with each step of an evaluation that begins; steps of other processes are not seen.

    Raises:
        CatalogueError: There is no such experiment.
        StoreError: The store cannot be read or written.
        SettingsError: Dagster's home cannot be used, or its dagster.yaml is broken.
    """
    started = time.monotonic()
    database = open_store(settings.store)
    database.prepare()
    plan = plan_experiments(
        settings.data_dir,
        database,
        names=request.names,
        force=request.everything,
        costly=request.costly,
        unfinished=read_unfinished(database),
    )
    if report is not None:
        report(plan)
    outcomes = _evaluate(settings, plan, follow) if plan.needs else ()
    experiments = _summarize(plan, outcomes, read_experiments(database))
    verdicts = experiment_verdicts(one.overview for one in experiments if one.overview)
    if request.check_lineage:
        asked = {one.name for one in experiments}
        broken = [chain for chain in broken_chains(database) if chain.partition_key in asked]
        verdicts += lineage_verdicts(broken)
    return ExperimentsSummary(
        experiments=experiments,
        left=tuple(need.partition_key for need in plan.left),
        missing=plan.missing,
        verdicts=verdicts,
        problems=plan.problems,
        errors=tuple(outcome.error for outcome in outcomes if outcome.error),
        run_ids=tuple(outcome.run_id for outcome in outcomes if outcome.run_id),
        elapsed_s=time.monotonic() - started,
        store=settings.store,
    )


def _evaluate(
    settings: Settings, plan: ExperimentPlan, follow: Callable[[Step], None] | None
) -> tuple[Outcome, ...]:
    prepare_dagster_home(settings.dagster_home)
    from appeval_pipeline.defs.execution import evaluate_experiments  # imports Dagster, which takes a second

    return evaluate_experiments(settings, plan.needs, follow=follow)


def _summarize(
    plan: ExperimentPlan, outcomes: tuple[Outcome, ...], overview: tuple[ExperimentOverview, ...]
) -> tuple[ExperimentSummary, ...]:
    stored = {one.name: one for one in overview}
    failed = {key for outcome in outcomes if outcome.error for key in outcome.partition_keys}
    needs = {need.partition_key: need for need in plan.needs}
    summaries = []
    for name in sorted([*needs, *(file.name for file in plan.fresh)]):
        need = needs.get(name)
        progress = Progress.RUN_FAILED if name in failed else Progress.EVALUATED if need else Progress.FRESH
        reasons = need.reasons if need else ()
        summaries.append(ExperimentSummary(name, progress, reasons, stored.get(name)))
    return tuple(summaries)
