"""The rows that tau-bench publishes, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from appeval_pipeline.evaluation.statistics import (
    Estimate,
    minimum_detectable_difference,
    published_intraclass_correlation,
    published_standard_error,
)
from appeval_pipeline.taubench.results import TauResult, missing_trials
from appeval_pipeline.taubench.scoring import score

Domain = Literal["retail", "airline"]

SPLIT_SIZES: Final[Mapping[tuple[Domain, str], int]] = {
    ("retail", "test"): 115,
    ("retail", "dev"): 20,
    ("retail", "train"): 500,
    ("airline", "test"): 50,
}
"""Numbers of tasks; their ids count from 0. Published rows are of the test splits."""

PUBLISHED_TRIALS: Final = 4
"""The fewest that a pass^4 takes; rows do not say how many they are of, and more would lower the errors."""

OUTDATED: Final = "tau-bench's own README calls its tasks outdated, and points to its successor."


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of the leaderboard in tau-bench's README.

    Attributes:
        domain: Of the tasks.
        strategy: How the agent asks its model: TC (tool calling), Act or ReAct; and the model.
        pass_hat_k: pass^1 to pass^4, rounded to three decimals.
    """

    domain: Domain
    strategy: str
    pass_hat_k: tuple[float, float, float, float]

    @property
    def task_count(self) -> int:
        return SPLIT_SIZES[self.domain, "test"]

    @property
    def standard_error(self) -> float:
        """Of pass^1, over tasks, from the published numbers alone."""
        first, second, *_ = self.pass_hat_k
        return published_standard_error(first, second, trials=PUBLISHED_TRIALS, tasks=self.task_count)

    @property
    def intraclass_correlation(self) -> float:
        """How much alike trials of a task are."""
        first, second, *_ = self.pass_hat_k
        return published_intraclass_correlation(first, second)

    @property
    def minimum_detectable_difference(self) -> float:
        """In pass^1, to an independent row of the same standard error, with power 0.8."""
        return minimum_detectable_difference(2**0.5 * self.standard_error)

    def to_dict(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "strategy": self.strategy,
            "pass_hat_k": {str(k): value for k, value in enumerate(self.pass_hat_k, 1)},
            "standard_error": self.standard_error,
            "intraclass_correlation": self.intraclass_correlation,
            "minimum_detectable_difference": self.minimum_detectable_difference,
            "task_count": self.task_count,
            "assumed_trials": PUBLISHED_TRIALS,
        }


PUBLISHED: Final = (
    PublishedRow("retail", "TC claude-3-5-sonnet-20241022", (0.692, 0.576, 0.509, 0.462)),
    PublishedRow("retail", "TC gpt-4o", (0.604, 0.491, 0.430, 0.383)),
    PublishedRow("retail", "TC claude-3-5-sonnet-20240620", (0.626, 0.506, 0.435, 0.387)),
    PublishedRow("airline", "TC claude-3-5-sonnet-20241022", (0.460, 0.326, 0.263, 0.225)),
    PublishedRow("airline", "TC gpt-4o", (0.420, 0.273, 0.220, 0.200)),
    PublishedRow("airline", "TC claude-3-5-sonnet-20240620", (0.360, 0.224, 0.169, 0.139)),
    PublishedRow("airline", "TC gpt-4o-mini", (0.225, 0.140, 0.110, 0.100)),
    PublishedRow("airline", "Act gpt-4o", (0.365, 0.217, 0.160, 0.140)),
    PublishedRow("airline", "ReAct gpt-4o", (0.325, 0.233, 0.185, 0.160)),
)
"""In the order of the README."""


@dataclass(frozen=True, slots=True)
class OwnRow:
    """A row of our own: an experiment on all test tasks of a domain, each with all its trials scored.

    Attributes:
        pass_hat_k: pass^1 to pass^4; None where there are fewer trials a task.
        trials: Of each task.
        intraclass_correlation, minimum_detectable_difference: As with a published row; None where undefined.
    """

    domain: Domain
    strategy: str
    pass_hat_k: Mapping[int, Estimate | None]
    task_count: int
    trials: int
    intraclass_correlation: float | None
    minimum_detectable_difference: float | None

    def to_dict(self) -> dict[str, Any]:
        first = self.pass_hat_k[1]
        return {
            "domain": self.domain,
            "strategy": self.strategy,
            "pass_hat_k": {str(k): one.value if one else None for k, one in self.pass_hat_k.items()},
            "intervals": {str(k): [one.low, one.high] if one else None for k, one in self.pass_hat_k.items()},
            "standard_error": first.standard_error if first else None,
            "intraclass_correlation": self.intraclass_correlation,
            "minimum_detectable_difference": self.minimum_detectable_difference,
            "task_count": self.task_count,
            "trials": self.trials,
        }


@dataclass(frozen=True, slots=True)
class NoRow:
    """An experiment that is no row: a task that lacks a trial would make it another benchmark.

    Attributes:
        missing: Trials that tasks of the split lack.
        infra_errors: Trials that broke down, and have no reward.
    """

    domain: Domain
    strategy: str
    missing: int
    infra_errors: int

    def __str__(self) -> str:
        counts = ((self.missing, "missing"), (self.infra_errors, "not scored, as they broke down"))
        lacking = " and ".join(f"{count:,} {what}" for count, what in counts if count)
        return f"{self.strategy} is no row: of its trials {lacking}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "strategy": self.strategy,
            "missing": self.missing,
            "infra_errors": self.infra_errors,
        }


def own_row(domain: Domain, strategy: str, results: Sequence[TauResult], *, seed: int = 0) -> OwnRow | NoRow:
    """What an experiment is on the leaderboard of a domain's test split.

    Args:
        strategy: What the row is called.
        results: Of that split's tasks, at least one.
        seed: Of the bootstraps.
    """
    tasks = range(SPLIT_SIZES[domain, "test"])
    missing = sum(len(one.trials) for one in missing_trials(results, tasks))
    broken = sum(result.reward is None for result in results)
    if missing or broken:
        return NoRow(domain, strategy, missing, broken)
    made = score(results, task_ids=tasks, seed=seed).scored_only
    return OwnRow(
        domain=domain,
        strategy=strategy,
        pass_hat_k=made.pass_hat_k,
        task_count=made.task_count,
        trials=made.fewest_trials,
        intraclass_correlation=made.intraclass_correlation,
        minimum_detectable_difference=made.minimum_detectable_difference,
    )
