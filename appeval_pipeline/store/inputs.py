"""The code that every result depends on, as lineage inputs."""

from __future__ import annotations

from appeval_pipeline.store.rows import Input
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION

EVALUATOR = "evaluator"
PACKAGE = "appeval-pipeline"


def code_inputs() -> tuple[Input, ...]:
    """The evaluator, whose version decides what is stale, and the package, which is only recorded."""
    return (
        Input(kind="code", key=EVALUATOR, version=EVALUATOR_VERSION),
        Input(kind="code", key=PACKAGE, version=PACKAGE_VERSION),
    )
