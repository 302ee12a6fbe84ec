"""The jobs that evaluate app versions and experiments, and what a run of them is asked to do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import dagster as dg

from appeval_pipeline.appdef.catalogue import parse_partition_key
from appeval_pipeline.defs.app_assets import app_assets
from appeval_pipeline.defs.tau_assets import tau_assets
from appeval_pipeline.store.experiments import ExperimentNeed
from appeval_pipeline.store.freshness import Need

EVALUATE_JOB = "evaluate_app_versions"
EXPERIMENTS_JOB = "evaluate_tau_experiments"

RANGE_START_TAG = "dagster/asset_partition_range_start"
RANGE_END_TAG = "dagster/asset_partition_range_end"
"""The tags by which Dagster knows a run over several partitions."""

APP_TAG = "appeval/app"
"""Names the app of a run: ``dagster.yaml`` allows one run an app at a time, so that baselines come first."""

SEVERAL_APPS = "several"

evaluate_app_versions = dg.define_asset_job(
    name=EVALUATE_JOB,
    selection=dg.AssetSelection.assets(*app_assets),
    description="Read, score, test, time and compare app versions: one, or a range of them in one run.",
)

evaluate_tau_experiments = dg.define_asset_job(
    name=EXPERIMENTS_JOB,
    selection=dg.AssetSelection.assets(*tau_assets),
    description="Carry out a tau-bench experiment, and score it: its tasks, trials, metrics and leaderboard.",
)


class Needed(Protocol):
    """A partition that is to be evaluated."""

    @property
    def partition_key(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One run of a job: some assets of neighbouring partitions.

    Attributes:
        assets: Asset keys, upstream first.
        needs: The app versions, or the experiment, in the order of the partitions.
        job: The job.
    """

    assets: tuple[str, ...]
    needs: tuple[Needed, ...]
    job: str = EVALUATE_JOB

    @property
    def name(self) -> str:
        """The partition or range, for people and run keys."""
        first, last = self.needs[0].partition_key, self.needs[-1].partition_key
        return first if first == last else f"{first}..{last}"

    @property
    def tags(self) -> dict[str, str]:
        """The run tags that name the partitions to Dagster; none for a single one."""
        if len(self.needs) == 1:
            return {}
        return {
            RANGE_START_TAG: self.needs[0].partition_key,
            RANGE_END_TAG: self.needs[-1].partition_key,
        }

    @property
    def app_tags(self) -> dict[str, str]:
        """The run tag that names the app."""
        apps = {parse_partition_key(need.partition_key)[0] for need in self.needs}
        return {APP_TAG: apps.pop() if len(apps) == 1 else SEVERAL_APPS}

    @property
    def partition_key(self) -> str | None:
        """The partition, None for a range."""
        return self.needs[0].partition_key if len(self.needs) == 1 else None

    @property
    def asset_selection(self) -> list[dg.AssetKey]:
        """The assets, for Dagster."""
        return [dg.AssetKey(asset) for asset in self.assets]


def group_evaluations(needs: Iterable[Need], partitions: Sequence[str]) -> tuple[Evaluation, ...]:
    """As few runs as can be: one for each stretch of neighbouring partitions that need the same assets.

    Args:
        needs: What to evaluate.
        partitions: All partition keys in Dagster's order, those of ``needs`` among them.
    """
    by_key = {need.partition_key: need for need in needs}
    groups: list[list[Need]] = []
    previous: Need | None = None
    for key in partitions:
        need = by_key.get(key)
        if need is not None:
            if previous is not None and previous.assets == need.assets:
                groups[-1].append(need)
            else:
                groups.append([need])
        previous = need
    return tuple(Evaluation(group[0].assets, tuple(group)) for group in groups)


def experiment_evaluations(needs: Iterable[ExperimentNeed]) -> tuple[Evaluation, ...]:
    """A run an experiment, since each may take an hour; they do not wait for each other's end."""
    return tuple(Evaluation(need.assets, (need,), EXPERIMENTS_JOB) for need in needs)
