"""What a new version of an app changes: behaviour, interface, quality and speed."""

from appeval_pipeline.evaluation.regression.detection import detect_regressions
from appeval_pipeline.evaluation.regression.report import (
    InterfaceChange,
    OutputChange,
    RegressionReport,
    VersionFailure,
)

__all__ = [
    "InterfaceChange",
    "OutputChange",
    "RegressionReport",
    "VersionFailure",
    "detect_regressions",
]
