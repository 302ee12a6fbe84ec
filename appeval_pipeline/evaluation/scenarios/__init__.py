"""Test scenarios: read, linted, run, and compared with what they expect."""

from appeval_pipeline.evaluation.scenarios.linting import (
    SuiteFinding,
    lint_for_version,
    lint_scenarios,
    lint_suite,
)
from appeval_pipeline.evaluation.scenarios.loading import LoadedScenario, load_scenario, read_scenario
from appeval_pipeline.evaluation.scenarios.result import ScenarioResult, StepFailure, StepResult
from appeval_pipeline.evaluation.scenarios.running import run_scenario
from appeval_pipeline.evaluation.scenarios.schema import Scenario

__all__ = [
    "LoadedScenario",
    "Scenario",
    "ScenarioResult",
    "StepFailure",
    "StepResult",
    "SuiteFinding",
    "lint_for_version",
    "lint_scenarios",
    "lint_suite",
    "load_scenario",
    "read_scenario",
    "run_scenario",
]
