"""How long actions take, alone and against another version."""

from appeval_pipeline.evaluation.timing.comparing import compare_timings
from appeval_pipeline.evaluation.timing.comparison import ActionComparison, TimingComparison

__all__ = ["ActionComparison", "TimingComparison", "compare_timings"]
