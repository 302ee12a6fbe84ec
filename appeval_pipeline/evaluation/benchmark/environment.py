"""What the speed of a measurement depends on."""

from __future__ import annotations

import os
import platform
from functools import cache

from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION


@cache
def describe_environment() -> dict[str, str]:
    """The Python, machine and package that this process runs on."""
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cpu_count": str(os.cpu_count() or "unknown"),
        "package": PACKAGE_VERSION,
        "evaluator": EVALUATOR_VERSION,
    }
