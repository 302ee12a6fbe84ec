"""Test scenarios: read, run, and compared with what they expect."""

from appeval_pipeline.evaluation.scenarios.loading import load_scenario
from appeval_pipeline.evaluation.scenarios.result import ScenarioResult, StepFailure, StepResult
from appeval_pipeline.evaluation.scenarios.running import run_scenario
from appeval_pipeline.evaluation.scenarios.schema import Scenario

__all__ = ["Scenario", "ScenarioResult", "StepFailure", "StepResult", "load_scenario", "run_scenario"]
