"""The trials that a command of ``appeval tau`` is given by name: a results file, or a stored experiment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from appeval_pipeline.cli.tau_names import Env, TaskSplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from appeval_pipeline.store import Store
    from appeval_pipeline.store.experiments.reading import StoredExperiment
    from appeval_pipeline.taubench.breakdown import FaultSource
    from appeval_pipeline.taubench.results import TauResult


@dataclass(frozen=True, slots=True)
class NamedTrials:
    """Trials with what explains them.

    Attributes:
        name: As they are shown.
        domain: Whose tasks they are of; None where that is not known.
        explained_by: Tells their faults; None where nothing does, and why_not then says why.
    """

    name: str
    results: tuple[TauResult, ...]
    domain: str | None
    explained_by: FaultSource | None
    why_not: str | None = None


def find_trials(name: str, env: Env | None, split: TaskSplit) -> NamedTrials:
    """The trials of a results file, or of the stored experiment of that name.

    Raises:
        ResultsError: The file cannot be used.
        StoreError: The store cannot be read.
        TauBenchError: There is neither.
    """
    path = Path(name)
    return _of_file(path, env, split) if path.is_file() else _of_experiment(name)


def _of_file(path: Path, env: Env | None, split: TaskSplit) -> NamedTrials:
    from appeval_pipeline.cli.tau_score import explainer_or_reason, split_ids
    from appeval_pipeline.taubench.results import read_results

    results = read_results(path, split_ids(env, split) if env else None)
    explainer, why_not = explainer_or_reason(results, env, split)
    domain = explainer.suite.domain.name if explainer else None
    return NamedTrials(path.name, results, domain, explainer, why_not)


def _of_experiment(name: str) -> NamedTrials:
    from appeval_pipeline.store.experiments.explained import read_faults

    store, stored = find_experiment(name)
    return NamedTrials(name, stored.results, stored.env, read_faults(store, stored))


def find_experiment(name: str) -> tuple[Store, StoredExperiment]:
    """A stored experiment that has trials, with the store that it is in.

    Raises:
        StoreError: The store cannot be read.
        TauBenchError: There is no such experiment.
    """
    from appeval_pipeline.errors import TauBenchError
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import open_store
    from appeval_pipeline.store.experiments import read_experiments
    from appeval_pipeline.store.experiments.reading import read_experiment

    store = open_store(load_settings().store)
    if not store.exists():
        raise TauBenchError(f"There is no file {name}, and no store that could have such an experiment")
    stored = read_experiment(store, name)
    if not stored.results:
        known = ", ".join(one.name for one in read_experiments(store)) or "none"
        raise TauBenchError(f"There is no file {name}, and no trial of such an experiment; stored: {known}")
    return store, stored


def whole_experiments() -> Iterator[StoredExperiment]:
    """The stored experiments on whole test splits, by name; none where there is no store.

    Raises:
        StoreError: The store cannot be read.
    """
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import open_store
    from appeval_pipeline.store.experiments import read_experiments
    from appeval_pipeline.store.experiments.reading import read_experiment

    store = open_store(load_settings().store)
    for one in read_experiments(store) if store.exists() else ():
        if one.task_split == "test":
            stored = read_experiment(store, one.name)
            if stored.is_whole_split and stored.results:
                yield stored
