"""The verdicts of the store as JUnit XML, which CI systems show as test results."""

from __future__ import annotations

from pathlib import Path

import duckdb

from appeval_pipeline.junit import write_suites
from appeval_pipeline.store.export.junit_cases import read_suites

FILE_NAME = "junit.xml"


def write_junit(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """Write ``junit.xml``."""
    write_suites(read_suites(connection), directory / FILE_NAME)
