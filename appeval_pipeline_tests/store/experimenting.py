"""Evaluating experiments of tau-bench without Dagster, and agents that fail in ways of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from appeval_pipeline.agents import Briefing, Exchange, NoopAgent, Turn, Usage
from appeval_pipeline.store import Store, write_batch
from appeval_pipeline.store.dependencies import (
    TAU_ASSETS,
    TAU_LEADERBOARD,
    TAU_METRICS,
    TAU_TASKS,
    TAU_UPSTREAM,
)
from appeval_pipeline.store.experiments import find_experiment, plan_experiments
from appeval_pipeline.store.experiments.reading import read_experiment
from appeval_pipeline.store.recording.tau import (
    record_tau_leaderboard,
    record_tau_metrics,
    record_tau_tasks,
    record_tau_trials,
)
from appeval_pipeline.store.rows import ExperimentResult
from appeval_pipeline.store.sources import read_inputs
from appeval_pipeline_tests.store import samples


class Fragile(NoopAgent):
    """Does nothing, but breaks down in its first trial of this process."""

    name = "fragile"
    broke_down = False

    async def start(self, briefing: Briefing, seed: int) -> None:
        pass

    async def act(self, history: Sequence[Exchange]) -> Turn:
        if not Fragile.broke_down:
            Fragile.broke_down = True
            raise RuntimeError("the line went dead")
        return await super().act(history)


class Spender(NoopAgent):
    """Does nothing, for a dollar."""

    name = "spender"

    async def act(self, history: Sequence[Exchange]) -> Turn:
        return Turn((await super().act(history)).action, Usage(100, 10, 1.0))


def add_experiment(data: Path, name: str, text: str) -> Path:
    path = data / "tau" / "experiments" / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def evaluate(
    data: Path, database: Store, run_id: str = "run-1", trials_dir: Path | None = None
) -> dict[str, tuple[str, ...]]:
    """Evaluate what is stale; which assets that was, by experiment."""
    database.prepare()
    plan = plan_experiments(data, database)
    for asset in TAU_ASSETS:
        names = [need.partition_key for need in plan.needs if asset in need.assets]
        results = [record(data, database, name, asset, trials_dir) for name in names]
        if results:
            write_batch(database, samples.batch(asset, *results, run_id=run_id))
    return {need.partition_key: need.assets for need in plan.needs}


def record(
    data: Path, database: Store, name: str, asset: str, trials_dir: Path | None = None
) -> ExperimentResult:
    """What an asset makes of an experiment; finished trials are kept beside the data if nothing is said."""
    upstream = read_inputs(database, [name], TAU_UPSTREAM[asset]).get(name, ())
    if asset == TAU_TASKS:
        return record_tau_tasks(find_experiment(data, name))
    if asset == TAU_METRICS:
        return record_tau_metrics(read_experiment(database, name), upstream)
    if asset == TAU_LEADERBOARD:
        return record_tau_leaderboard(read_experiment(database, name), upstream)
    return record_tau_trials(find_experiment(data, name), upstream, trials_dir or data.parent / "trials")
