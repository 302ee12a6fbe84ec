"""Evaluating one app version and turning the reports into rows.

Whatever goes wrong with one version becomes a row that says so: one version never costs another its results.
"""

from appeval_pipeline.store.recording.agents import Trying, finding_agents, record_agents
from appeval_pipeline.store.recording.benchmark import record_benchmark
from appeval_pipeline.store.recording.coverage import record_coverage
from appeval_pipeline.store.recording.edge_cases import record_edge_cases
from appeval_pipeline.store.recording.quality import record_quality
from appeval_pipeline.store.recording.regression import record_regression
from appeval_pipeline.store.recording.scenarios import record_scenarios

__all__ = [
    "Trying",
    "finding_agents",
    "record_agents",
    "record_benchmark",
    "record_coverage",
    "record_edge_cases",
    "record_quality",
    "record_regression",
    "record_scenarios",
]
