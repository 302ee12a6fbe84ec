"""Which code produced a result."""

PACKAGE_VERSION = "0.1.0"

EVALUATOR_VERSION = "2"
"""Bumped by every change that can move a score; the code version of the evaluation assets."""
