"""The command line: parse, call, render."""

from appeval_pipeline.cli.main import main

__all__ = ["main"]
