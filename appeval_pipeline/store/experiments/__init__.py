"""tau-bench experiments: their files, what of them is stale, and how they stand."""

from appeval_pipeline.store.experiments.files import (
    ExperimentFile,
    ExperimentFiles,
    find_experiment,
    read_experiment_files,
)
from appeval_pipeline.store.experiments.overview import ExperimentOverview, read_experiments
from appeval_pipeline.store.experiments.planning import (
    ExperimentNeed,
    ExperimentPlan,
    plan_experiments,
    read_unfinished,
)
from appeval_pipeline.store.experiments.verdicts import experiment_verdicts

__all__ = [
    "ExperimentFile",
    "ExperimentFiles",
    "ExperimentNeed",
    "ExperimentOverview",
    "ExperimentPlan",
    "experiment_verdicts",
    "find_experiment",
    "plan_experiments",
    "read_experiment_files",
    "read_experiments",
    "read_unfinished",
]
