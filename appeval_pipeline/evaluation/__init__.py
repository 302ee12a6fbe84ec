"""The evaluations of an app version: pure functions of a definition and its scenarios."""

from appeval_pipeline.evaluation.agents import AgentEvaluation, EvaluationTask, evaluate_agent, load_task
from appeval_pipeline.evaluation.benchmark import BenchmarkResult, run_benchmark
from appeval_pipeline.evaluation.coverage import CoverageReport, analyze_coverage
from appeval_pipeline.evaluation.edge_cases import EdgeCase, EdgeCaseReport, edge_cases
from appeval_pipeline.evaluation.quality import QualityReport, Suggestion, score_quality
from appeval_pipeline.evaluation.regression import RegressionReport, detect_regressions
from appeval_pipeline.evaluation.scenarios import (
    Scenario,
    ScenarioResult,
    StepFailure,
    StepResult,
    load_scenario,
    run_scenario,
)
from appeval_pipeline.evaluation.statistics import pass_hat_k

__all__ = [
    "AgentEvaluation",
    "BenchmarkResult",
    "CoverageReport",
    "EdgeCase",
    "EdgeCaseReport",
    "EvaluationTask",
    "QualityReport",
    "RegressionReport",
    "Scenario",
    "ScenarioResult",
    "StepFailure",
    "StepResult",
    "Suggestion",
    "analyze_coverage",
    "detect_regressions",
    "edge_cases",
    "evaluate_agent",
    "load_scenario",
    "load_task",
    "pass_hat_k",
    "run_benchmark",
    "run_scenario",
    "score_quality",
]
