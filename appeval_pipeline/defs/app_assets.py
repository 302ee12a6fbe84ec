"""The assets of app versions, upstream first."""

from appeval_pipeline.defs.agent_evaluations import agent_evaluations
from appeval_pipeline.defs.app_definitions import app_definitions
from appeval_pipeline.defs.benchmark_results import benchmark_results
from appeval_pipeline.defs.coverage_reports import coverage_reports
from appeval_pipeline.defs.edge_case_reports import edge_case_reports
from appeval_pipeline.defs.quality_scores import quality_scores
from appeval_pipeline.defs.regression_reports import regression_reports
from appeval_pipeline.defs.scenario_runs import scenario_runs

app_assets = [
    app_definitions,
    quality_scores,
    scenario_runs,
    coverage_reports,
    edge_case_reports,
    benchmark_results,
    regression_reports,
    agent_evaluations,
]
