"""How often agents succeed, how sure that is, and how agents and tasks differ."""

from appeval_pipeline.evaluation.statistics.agreement import (
    intraclass_correlation,
    minimum_detectable_difference,
    published_intraclass_correlation,
    published_standard_error,
)
from appeval_pipeline.evaluation.statistics.comparing import PairedComparison, compare_paired
from appeval_pipeline.evaluation.statistics.intervals import (
    CONFIDENCE,
    RESAMPLES,
    Estimate,
    bootstrap_interval,
    estimate_mean,
    estimate_mean_of_trials,
    wilson_interval,
)
from appeval_pipeline.evaluation.statistics.passing import (
    pass_hat_k,
    pass_hat_k_by_task,
    success_at_turn_by_task,
    success_within_turns_by_task,
)

__all__ = [
    "CONFIDENCE",
    "RESAMPLES",
    "Estimate",
    "PairedComparison",
    "bootstrap_interval",
    "compare_paired",
    "estimate_mean",
    "estimate_mean_of_trials",
    "intraclass_correlation",
    "minimum_detectable_difference",
    "pass_hat_k",
    "pass_hat_k_by_task",
    "published_intraclass_correlation",
    "published_standard_error",
    "success_at_turn_by_task",
    "success_within_turns_by_task",
    "wilson_interval",
]
