"""Checks on stored tau-bench experiments that have a file, all in one step, which reads once."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import dagster as dg

from appeval_pipeline.defs.checks import Bar, check_result
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store import Severity, Verdict, broken_chains
from appeval_pipeline.store.chains import BrokenChain
from appeval_pipeline.store.dependencies import TAU_ASSETS, TAU_METRICS, TAU_TASKS, TAU_TRIALS
from appeval_pipeline.store.experiments import (
    ExperimentNeed,
    ExperimentOverview,
    plan_experiments,
    read_experiment_files,
    read_experiments,
)
from appeval_pipeline.store.experiments.verdicts import (
    noop_verdicts,
    oracle_verdicts,
    success_verdicts,
    task_verdicts,
    trial_verdicts,
)
from appeval_pipeline.store.verdicts import lineage_verdicts


@dataclass(frozen=True, slots=True)
class ExperimentEvidence:
    """What the checks judge.

    Attributes:
        experiments: The stored experiments that have a file.
        broken: What their lineage lacks.
        stale: What of them is out of date.
    """

    experiments: tuple[ExperimentOverview, ...]
    broken: tuple[BrokenChain, ...]
    stale: tuple[ExperimentNeed, ...]


def _lineage_bar(asset: str) -> Bar[ExperimentEvidence]:
    def judge(evidence: ExperimentEvidence) -> Sequence[Verdict]:
        return lineage_verdicts(chain for chain in evidence.broken if chain.asset_key == asset)

    description = "Every stored metric has a complete chain down to a file and the evaluator's version."
    return Bar("lineage_complete", asset, description, judge)


def _freshness_bar(asset: str) -> Bar[ExperimentEvidence]:
    def judge(evidence: ExperimentEvidence) -> Sequence[Verdict]:
        return [
            Verdict("results_are_fresh", need.partition_key, Severity.WARN, reason)
            for need in evidence.stale
            for stale, reason in zip(need.assets, need.reasons, strict=True)
            if stale == asset
        ]

    description = (
        "Every stored result is what the experiment's file, the evaluator and the results upstream would "
        "give now; warns with what is stale and why. New experiments are not counted."
    )
    return Bar("results_are_fresh", asset, description, judge)


EXPERIMENT_BARS: tuple[Bar[ExperimentEvidence], ...] = (
    Bar(
        "tasks_are_usable",
        TAU_TASKS,
        "Every task of the split can be used: its instruction is there, and its actions are valid; warns.",
        lambda evidence: task_verdicts(evidence.experiments),
    ),
    Bar(
        "experiment_runs",
        TAU_TRIALS,
        "Every experiment's file is valid, and its agent and user could begin.",
        lambda evidence: success_verdicts(evidence.experiments),
    ),
    Bar(
        "no_missing_trials",
        TAU_TRIALS,
        "Every task of every experiment has all its trials, each with a reward.",
        lambda evidence: trial_verdicts(evidence.experiments),
    ),
    Bar(
        "oracle_solves_every_task",
        TAU_METRICS,
        "The oracle, who does what each task expects, has reward 1 in every trial: this proves the harness.",
        lambda evidence: oracle_verdicts(evidence.experiments),
    ),
    Bar(
        "noop_solves_null_passable_only",
        TAU_METRICS,
        "Whoever does nothing succeeds in null_passable tasks only.",
        lambda evidence: noop_verdicts(evidence.experiments),
    ),
    *map(_lineage_bar, TAU_ASSETS),
    *map(_freshness_bar, TAU_ASSETS),
)


@dg.multi_asset_check(specs=[bar.spec for bar in EXPERIMENT_BARS], can_subset=True)
def tau_experiment_checks(
    context: dg.AssetCheckExecutionContext, workspace: Workspace
) -> Iterator[dg.AssetCheckResult]:
    """Judge what is stored of experiments by the bars that were selected."""
    yield from experiment_check_results(workspace, context.selected_asset_check_keys)


def experiment_check_results(
    workspace: Workspace, selected: Collection[dg.AssetCheckKey]
) -> Iterator[dg.AssetCheckResult]:
    """The results of the selected checks."""
    evidence = gather_experiment_evidence(workspace)
    for bar in EXPERIMENT_BARS:
        if bar.key in selected:
            yield check_result(bar, bar.judge(evidence), len(evidence.experiments), "experiment")


def gather_experiment_evidence(workspace: Workspace) -> ExperimentEvidence:
    """What is stored of the experiments that have a file."""
    there = {file.name for file in read_experiment_files(workspace.data_path).experiments}
    experiments = tuple(one for one in read_experiments(workspace.database) if one.name in there)
    stored = {one.name for one in experiments}
    needs = plan_experiments(workspace.data_path, workspace.database).needs
    return ExperimentEvidence(
        experiments,
        tuple(chain for chain in broken_chains(workspace.database) if chain.partition_key in there),
        tuple(need for need in needs if need.partition_key in stored),
    )
