"""Which experiments are new or stale: their files, the code and the benchmark against what is stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from appeval_pipeline.errors import CatalogueError
from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.comparison import Cause, Reason
from appeval_pipeline.store.dependencies import TAU_ASSETS, TAU_TASKS, TAU_TRIALS, TAU_UPSTREAM
from appeval_pipeline.store.experiments.files import ExperimentFile, read_experiment_files
from appeval_pipeline.store.experiments.source import missing_source, source_inputs
from appeval_pipeline.store.inputs import EVALUATOR, PACKAGE, config_inputs
from appeval_pipeline.store.results import StoredResult, read_results
from appeval_pipeline.store.rows import Input
from appeval_pipeline.version import EVALUATOR_VERSION

Results = Mapping[tuple[str, str], StoredResult]


@dataclass(frozen=True, slots=True)
class ExperimentNeed:
    """An experiment that must be evaluated, wholly or in part.

    Attributes:
        file: Its file.
        assets: The assets to materialize, upstream first.
        reasons: Why, one an asset.
        fingerprint: The same need has the same one until something about it changes.
        causes: What made each asset stale, one an asset.
    """

    file: ExperimentFile
    assets: tuple[str, ...]
    reasons: tuple[str, ...]
    fingerprint: str
    causes: tuple[Cause, ...]

    @property
    def partition_key(self) -> str:
        return self.file.name

    def caused_by(self, *causes: Cause) -> tuple[str, ...]:
        """The assets that are stale for one of ``causes``, upstream first."""
        return tuple(asset for asset, cause in zip(self.assets, self.causes, strict=True) if cause in causes)


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """What to evaluate, and what not; experiments by name.

    Attributes:
        needs: What to evaluate.
        left: What is stale and costs money, where that was not asked for.
        fresh: What is up to date.
        problems: Files that are no experiments, each as its path and why.
        missing: Why nothing can be evaluated: tau-bench's tasks are not installed. None where they are, or
            there is nothing to evaluate.
    """

    needs: tuple[ExperimentNeed, ...] = ()
    left: tuple[ExperimentNeed, ...] = ()
    fresh: tuple[ExperimentFile, ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    missing: str | None = None


def plan_experiments(
    data_dir: Path,
    database: Store,
    *,
    names: Collection[str] | None = None,
    force: bool = False,
    costly: bool = True,
    unfinished: Collection[str] = (),
) -> ExperimentPlan:
    """Compare the experiments with what is stored.

    Args:
        names: These only; None for all.
        force: Treat everything as stale.
        costly: Also trials that ask a model, or an agent of one's own; else these experiments are ``left``.
        unfinished: Experiments whose trials are to go on.

    Raises:
        CatalogueError: There is no experiment of one of the names.
    """
    files = read_experiment_files(data_dir)
    chosen = _select(files.experiments, names)
    if not chosen:
        return ExperimentPlan(problems=files.problems)
    missing = missing_source()
    if missing is not None:
        return ExperimentPlan(problems=files.problems, missing=missing)
    results = read_results(database, TAU_ASSETS) if database.exists() else {}
    needs, left, fresh = [], [], []
    for file in chosen:
        need = _need(file, results, force, file.name in unfinished)
        if need is None:
            fresh.append(file)
        elif costly or file.is_free or TAU_TRIALS not in need.assets:
            needs.append(need)
        else:
            left.append(need)
    return ExperimentPlan(tuple(needs), tuple(left), tuple(fresh), files.problems)


def read_unfinished(database: Store) -> frozenset[str]:
    """The experiments that could not begin, lack trials, or have some that broke down."""
    with database.reader() as connection:
        rows = connection.execute(
            "SELECT partition_key FROM tau_experiments"
            " WHERE status IN ('error', 'incomplete') OR infra_errors > 0"
        ).fetchall()
    return frozenset(str(row[0]) for row in rows)


def _select(files: tuple[ExperimentFile, ...], names: Collection[str] | None) -> tuple[ExperimentFile, ...]:
    if names is None:
        return files
    known = {file.name for file in files}
    for name in names:
        if name not in known:
            there = ", ".join(sorted(known)) or "none"
            raise CatalogueError(f"There is no experiment '{name}'; the data directory has {there}")
    return tuple(file for file in files if file.name in names)


def _need(file: ExperimentFile, results: Results, force: bool, is_unfinished: bool) -> ExperimentNeed | None:
    source = source_inputs(file.settings.env, file.settings.task_split) if file.settings else ()
    stale: dict[str, Reason] = {}
    for asset in TAU_ASSETS:
        reason = Reason("asked for") if force else _reason(asset, file, source, results, stale)
        if reason is None and asset == TAU_TRIALS and is_unfinished:
            reason = Reason("some trials are missing or broke down")
        if reason is not None:
            stale[asset] = reason
    if not stale:
        return None
    assets = tuple(stale)
    fingerprint = sha256_of(
        {
            "assets": assets,
            "evaluator": EVALUATOR_VERSION,
            "source": [found.version for found in source],
            "config": {asset: [found.version for found in config_inputs(asset)] for asset in assets},
            "file": file.content_hash,
            "stored": {
                asset: results[asset, file.name].run_id
                for asset in TAU_ASSETS
                if (asset, file.name) in results
            },
        }
    )
    return ExperimentNeed(
        file,
        assets,
        tuple(f"{asset}: {reason.text}" for asset, reason in stale.items()),
        fingerprint,
        tuple(reason.cause for reason in stale.values()),
    )


def _reason(
    asset: str,
    file: ExperimentFile,
    source: tuple[Input, ...],
    results: Results,
    stale: Mapping[str, Reason],
) -> Reason | None:
    stored = results.get((asset, file.name))
    if stored is None:
        return Reason("never evaluated")
    if text := _code_reason(stored, source) or _config_reason(asset, stored, file, source):
        return Reason(text)
    for upstream in TAU_UPSTREAM[asset]:
        if upstream in stale:
            return replace(stale[upstream], text=f"{upstream} is evaluated again")
    used = {found.key: found.version for found in stored.inputs if found.kind == "asset"}
    for upstream in TAU_UPSTREAM[asset]:
        now = results.get((upstream, file.name))
        if now is None or used.get(upstream) != now.data_version:
            return Reason(f"{upstream} changed", Cause.RESULTS)
    return None


def _code_reason(stored: StoredResult, source: tuple[Input, ...]) -> str | None:
    used = {found.key: found.version for found in stored.inputs if found.kind == "code"}
    if used.get(EVALUATOR) != EVALUATOR_VERSION:
        return f"evaluator changed to {EVALUATOR_VERSION}"
    packages = {key: version for key, version in used.items() if key not in (EVALUATOR, PACKAGE)}
    present = {found.key: found.version for found in source if found.kind == "code"}
    if packages and packages != present:
        return "tau-bench's package changed: " + ", ".join(f"{key} {present[key]}" for key in present)
    return None


def _config_reason(
    asset: str, stored: StoredResult, file: ExperimentFile, source: tuple[Input, ...]
) -> str | None:
    used = {found.key: found.version for found in stored.inputs if found.kind == "config"}
    present = {found.key: found.version for found in config_inputs(asset)}
    if asset in (TAU_TASKS, TAU_TRIALS):
        own = (*file.config_inputs(asset), *(found for found in source if found.kind == "config"))
        present |= {found.key: found.version for found in own}
        read = {found.version for found in stored.inputs if found.kind == "file"}
        if file.settings is None and read != {file.sha256}:
            return "its file changed"
    changed = sorted(name for name in used.keys() | present.keys() if used.get(name) != present.get(name))
    return f"its configuration changed: {', '.join(changed)}" if changed else None
