"""All results as one HTML page for people: what is stored, drawn, and put into a template."""

from appeval_pipeline.store.export.report.page import write_report

__all__ = ["write_report"]
