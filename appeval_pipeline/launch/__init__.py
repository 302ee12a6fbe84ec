"""The main job: find app versions and experiments, evaluate what is new or stale, and say what came of it."""

from appeval_pipeline.launch.experiments import (
    ExperimentRequest,
    ExperimentsSummary,
    ExperimentSummary,
    run_experiments,
)
from appeval_pipeline.launch.progress import Progress
from appeval_pipeline.launch.versions import EvaluationRequest, RunSummary, VersionSummary, run

__all__ = [
    "EvaluationRequest",
    "ExperimentRequest",
    "ExperimentSummary",
    "ExperimentsSummary",
    "Progress",
    "RunSummary",
    "VersionSummary",
    "run",
    "run_experiments",
]
