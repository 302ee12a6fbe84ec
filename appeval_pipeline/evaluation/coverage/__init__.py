"""How much of an app's logic ran: what is possible, what was executed, the difference, and a report."""

from appeval_pipeline.evaluation.coverage.analysis import analyze_coverage
from appeval_pipeline.evaluation.coverage.execution import Evidence
from appeval_pipeline.evaluation.coverage.report import ActionCoverage, CoverageReport, Gap, Reason

__all__ = ["ActionCoverage", "CoverageReport", "Evidence", "Gap", "Reason", "analyze_coverage"]
