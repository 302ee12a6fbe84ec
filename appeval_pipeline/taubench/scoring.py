"""What a results file comes to: pass^k and what goes with it, each with an interval."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from appeval_pipeline.evaluation.statistics import (
    Estimate,
    estimate_mean,
    estimate_mean_of_trials,
    intraclass_correlation,
    minimum_detectable_difference,
    pass_hat_k_by_task,
    success_at_turn_by_task,
    success_within_turns_by_task,
)
from appeval_pipeline.taubench.results import MissingTrials, Spending, TauResult, missing_trials

KS: Final = (1, 2, 3, 4)
"""The k of pass^k that leaderboards tell, and that the overall score is made of."""

MAX_TURNS: Final = 30
"""Success by turns is told for no later turn: an episode has no more steps by default."""

_LONGEST_ERROR: Final = 200


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Scores over one set of trials.

    Attributes:
        task_count, trial_count: What they are over.
        fewest_trials: Of a task.
        pass_hat_k: pass^k by k, 1 to 4; None where a task has fewer than k trials.
        overall_score: Mean of pass^1 to pass^4; None where one of them is undefined.
        average_reward: Mean over trials; None where there is none.
        intraclass_correlation: How much alike trials of a task are, at most 1; None where undefined.
        minimum_detectable_difference: The true difference in pass^1 that a comparison with an independent
            experiment of the same standard error finds with power 0.8; None where there is no such error.
        success_at_turn, success_within_turns: Share of the trials that succeed at, or up to, each turn, mean
            over tasks; empty where the results do not tell turns.
    """

    task_count: int
    trial_count: int
    fewest_trials: int
    pass_hat_k: Mapping[int, Estimate | None]
    overall_score: Estimate | None
    average_reward: Estimate | None
    intraclass_correlation: float | None
    minimum_detectable_difference: float | None
    success_at_turn: Mapping[int, Estimate]
    success_within_turns: Mapping[int, Estimate]

    def to_dict(self) -> dict[str, Any]:
        return {
            "task_count": self.task_count,
            "trial_count": self.trial_count,
            "fewest_trials": self.fewest_trials,
            "pass_hat_k": _by_number(self.pass_hat_k),
            "overall_score": self.overall_score.to_dict() if self.overall_score else None,
            "average_reward": self.average_reward.to_dict() if self.average_reward else None,
            "intraclass_correlation": self.intraclass_correlation,
            "minimum_detectable_difference": self.minimum_detectable_difference,
            "success_at_turn": _by_number(self.success_at_turn),
            "success_within_turns": _by_number(self.success_within_turns),
        }


@dataclass(frozen=True, slots=True)
class Cost:
    """What one side took over all trials, those that broke down too.

    A sum leaves nothing out: it is None where one trial does not tell.

    Attributes:
        total_usd, mean_usd: Of all trials, and of one.
        prompt_tokens, completion_tokens: Of all trials.
        known_trials: Trials that tell what they cost.
    """

    total_usd: float | None
    mean_usd: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    known_trials: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "total_usd": self.total_usd,
            "mean_usd": self.mean_usd,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "known_trials": self.known_trials,
        }


@dataclass(frozen=True, slots=True)
class TauScore:
    """How an agent did.

    Attributes:
        scored_only: Over the trials that were scored.
        errors_as_failures: Over all trials; one that broke down counts as reward 0.
        infra_errors: Trials that broke down, by the first line of what happened.
        missing: Trials that tasks lack.
        agent_cost, user_cost: What their models took.
    """

    scored_only: Aggregates
    errors_as_failures: Aggregates
    infra_errors: Mapping[str, int]
    missing: tuple[MissingTrials, ...]
    agent_cost: Cost
    user_cost: Cost

    @property
    def infra_error_count(self) -> int:
        """Trials that have no reward."""
        return sum(self.infra_errors.values())

    @property
    def is_complete(self) -> bool:
        """Whether every task has all trials, scored; a leaderboard takes nothing else."""
        return not self.missing and not self.infra_errors

    def to_dict(self) -> dict[str, Any]:
        """The score as plain JSON."""
        return {
            "is_complete": self.is_complete,
            "infra_error_count": self.infra_error_count,
            "infra_errors": dict(self.infra_errors),
            "missing": [{"task_id": one.task_id, "trials": list(one.trials)} for one in self.missing],
            "scored_only": self.scored_only.to_dict(),
            "errors_as_failures": self.errors_as_failures.to_dict(),
            "agent_cost": self.agent_cost.to_dict(),
            "user_cost": self.user_cost.to_dict(),
        }


def score(
    results: Sequence[TauResult], *, task_ids: Collection[int] | None = None, seed: int = 0
) -> TauScore:
    """What the trials come to, in both ways of counting those that broke down.

    Args:
        results: Each trial of each task once.
        task_ids: The tasks that there should be; those that have a result where None.
        seed: Of the bootstraps.

    Raises:
        ValueError: There is no trial.
    """
    if not results:
        raise ValueError("The score of no trial is undefined")
    errors = Counter(_headline(result.error) for result in results if result.error is not None)
    scored_only = _aggregate(results, "left_out", seed)
    return TauScore(
        scored_only=scored_only,
        errors_as_failures=_aggregate(results, "failed", seed) if errors else scored_only,
        infra_errors=dict(errors.most_common()),
        missing=missing_trials(results, task_ids),
        agent_cost=_cost([result.agent for result in results]),
        user_cost=_cost([result.user for result in results]),
    )


def _headline(error: str) -> str:
    line = error.strip().partition("\n")[0]
    return line if len(line) <= _LONGEST_ERROR else f"{line[:_LONGEST_ERROR]}…"


def _aggregate(results: Sequence[TauResult], errors: Literal["left_out", "failed"], seed: int) -> Aggregates:
    by_task: defaultdict[int, list[TauResult]] = defaultdict(list)
    for result in results:
        counted = by_task[result.task_id]  # a task whose trials all broke down is a task, too
        if result.reward is not None or errors == "failed":
            counted.append(result)
    tasks = [by_task[task] for task in sorted(by_task)]
    successes = [[result.succeeded for result in trials] for trials in tasks]
    rewards = [[result.reward or 0.0 for result in trials] for trials in tasks if trials]
    fewest = min(map(len, tasks))
    by_k = {k: pass_hat_k_by_task(successes, k) for k in KS if k <= fewest}
    pass_hat_k = {k: estimate_mean(by_k[k], seed=seed) if k in by_k else None for k in KS}
    overall = [math.fsum(values) / len(KS) for values in zip(*by_k.values(), strict=True)]
    first = pass_hat_k[1]
    at_turn, within_turns = _by_turns(tasks, seed)
    return Aggregates(
        task_count=len(tasks),
        trial_count=sum(map(len, tasks)),
        fewest_trials=fewest,
        pass_hat_k=pass_hat_k,
        overall_score=estimate_mean(overall, seed=seed) if len(by_k) == len(KS) else None,
        average_reward=estimate_mean_of_trials(rewards, seed=seed) if rewards else None,
        intraclass_correlation=_correlation(successes),
        minimum_detectable_difference=(
            minimum_detectable_difference(math.sqrt(2) * first.standard_error)
            if first and first.standard_error
            else None
        ),
        success_at_turn=at_turn,
        success_within_turns=within_turns,
    )


def _correlation(successes: Sequence[Sequence[bool]]) -> float | None:
    try:
        return intraclass_correlation(successes)
    except ValueError:
        return None


def _by_turns(
    tasks: Sequence[Sequence[TauResult]], seed: int
) -> tuple[dict[int, Estimate], dict[int, Estimate]]:
    """Success at and within each turn, up to the last at which one came, at least as far as `KS` go."""
    turns = [[result.turns if result.succeeded else None for result in trials] for trials in tasks]
    successes = sum(result.succeeded for trials in tasks for result in trials)
    known = [turn for trials in turns for turn in trials if turn is not None]
    if not all(turns) or len(known) < successes or not known:
        return {}, {}
    last = min(MAX_TURNS, max(*known, max(KS)))
    at_turn, within_turns = {}, {}
    for k in range(1, last + 1):
        at_turn[k] = estimate_mean(success_at_turn_by_task(turns, k), seed=seed)
        within_turns[k] = estimate_mean(success_within_turns_by_task(turns, k), seed=seed)
    return at_turn, within_turns


def _cost(spendings: Sequence[Spending]) -> Cost:
    costs = [spent.cost_usd for spent in spendings if spent.cost_usd is not None]
    total = math.fsum(costs) if len(costs) == len(spendings) else None
    return Cost(
        total_usd=total,
        mean_usd=None if total is None else total / len(spendings),
        prompt_tokens=_sum([spent.prompt_tokens for spent in spendings]),
        completion_tokens=_sum([spent.completion_tokens for spent in spendings]),
        known_trials=len(costs),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _by_number(estimates: Mapping[int, Estimate | None]) -> dict[str, Any]:
    return {str(k): one.to_dict() if one else None for k, one in estimates.items()}
