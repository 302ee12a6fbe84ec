"""What is at the edge of what an app takes: derived, looked for in scenarios, and run."""

from appeval_pipeline.evaluation.edge_cases.analysis import edge_cases
from appeval_pipeline.evaluation.edge_cases.examples import candidate_parameters, example_parameters
from appeval_pipeline.evaluation.edge_cases.report import EdgeCase, EdgeCaseReport, UnsolvedCase

__all__ = [
    "EdgeCase",
    "EdgeCaseReport",
    "UnsolvedCase",
    "candidate_parameters",
    "edge_cases",
    "example_parameters",
]
