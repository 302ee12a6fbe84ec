"""All stored results as files: JSON, CSV and Parquet for programs, JUnit XML for CI, HTML for people."""

from appeval_pipeline.store.export.exporting import Format, Written, export

__all__ = ["Format", "Written", "export"]
