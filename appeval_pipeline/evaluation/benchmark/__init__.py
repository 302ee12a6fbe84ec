"""How fast, correct and good an app version is, in one result."""

from appeval_pipeline.evaluation.benchmark.result import ActionTiming, BenchmarkResult
from appeval_pipeline.evaluation.benchmark.running import run_benchmark

__all__ = ["ActionTiming", "BenchmarkResult", "run_benchmark"]
