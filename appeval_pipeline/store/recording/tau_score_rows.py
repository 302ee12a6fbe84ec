"""What an experiment's trials come to, as rows: each number with its interval, and the leaderboard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from appeval_pipeline.store.experiments.reading import StoredExperiment
from appeval_pipeline.store.rows import TauLeaderboardRow, TauMetricRow
from appeval_pipeline.taubench.leaderboard import PUBLISHED, PUBLISHED_TRIALS
from appeval_pipeline.taubench.scoring import Aggregates, TauScore, score

if TYPE_CHECKING:
    from appeval_pipeline.evaluation.statistics import Estimate

FLAGS: Final = ("null_passable", "gold_error", "read_only")
"""The known issues of tasks, each of which is left out in turn."""
SCORED_ONLY: Final = "scored_only"
ERRORS_AS_FAILURES: Final = "errors_as_failures"
ALL: Final = "all"


def metric_rows(stored: StoredExperiment) -> Iterator[TauMetricRow]:
    """Everything that is told of an experiment: of all its tasks, and without those of each known issue."""
    made = score(stored.results, task_ids=tuple(stored.flags) or None, seed=stored.seed)
    yield from _score_rows(made, None)
    for flag in FLAGS:
        tasks = [task for task, flags in stored.flags.items() if flag not in flags]
        rest = [result for result in stored.results if result.task_id in set(tasks)]
        if rest and len(tasks) < len(stored.flags):
            yield from _score_rows(score(rest, task_ids=tasks, seed=stored.seed), flag)
    yield from _count_rows(made)


def _score_rows(made: TauScore, flag: str | None) -> Iterator[TauMetricRow]:
    for counting, found in (
        (SCORED_ONLY, made.scored_only),
        (ERRORS_AS_FAILURES, made.errors_as_failures),
    ):
        for row in _aggregate_rows(found, with_turns=flag is None):
            yield replace(row, counting=counting, without_flag=flag)


def _aggregate_rows(found: Aggregates, *, with_turns: bool) -> Iterator[TauMetricRow]:
    by_k: list[tuple[str, Iterable[tuple[int | None, Estimate | None]]]] = [
        ("pass_hat", found.pass_hat_k.items()),
        ("overall_score", [(None, found.overall_score)]),
        ("average_reward", [(None, found.average_reward)]),
    ]
    if with_turns:
        by_k.append(("success_at_turn", found.success_at_turn.items()))
        by_k.append(("success_within_turns", found.success_within_turns.items()))
    for metric, estimates in by_k:
        for k, estimate in estimates:
            if estimate is not None:
                yield _estimate_row(metric, k, estimate, found.trial_count)
    for metric, value in (
        ("intraclass_correlation", found.intraclass_correlation),
        ("minimum_detectable_difference", found.minimum_detectable_difference),
    ):
        if value is not None:
            yield _plain_row(metric, value, "ratio", found.task_count, found.trial_count)


def _count_rows(made: TauScore) -> Iterator[TauMetricRow]:
    """Counts and costs over all trials, those that broke down too."""
    whole = made.errors_as_failures
    figures: dict[str, tuple[float | None, str]] = {
        "tasks": (whole.task_count, "count"),
        "trials": (whole.trial_count, "count"),
        "infra_errors": (made.infra_error_count, "count"),
    }
    for side, cost in (("agent", made.agent_cost), ("user", made.user_cost)):
        figures[f"{side}_cost_usd"] = (cost.total_usd, "USD")
        figures[f"{side}_mean_cost_usd"] = (cost.mean_usd, "USD")
        figures[f"{side}_prompt_tokens"] = (cost.prompt_tokens, "tokens")
        figures[f"{side}_completion_tokens"] = (cost.completion_tokens, "tokens")
    for metric, (value, unit) in figures.items():
        if value is not None:
            yield _plain_row(metric, float(value), unit, whole.task_count, whole.trial_count)


def _estimate_row(metric: str, k: int | None, estimate: Estimate, trial_count: int) -> TauMetricRow:
    return TauMetricRow(
        metric=metric,
        k=k,
        counting=ALL,
        without_flag=None,
        value=estimate.value,
        unit="ratio",
        standard_error=estimate.standard_error,
        low=estimate.low,
        high=estimate.high,
        method=estimate.method,
        task_count=estimate.task_count,
        trial_count=trial_count,
    )


def _plain_row(metric: str, value: float, unit: str, task_count: int, trial_count: int) -> TauMetricRow:
    return TauMetricRow(
        metric=metric,
        k=None,
        counting=ALL,
        without_flag=None,
        value=value,
        unit=unit,
        standard_error=None,
        low=None,
        high=None,
        method=None,
        task_count=task_count,
        trial_count=trial_count,
    )


def leaderboard_rows(stored: StoredExperiment) -> Iterator[TauLeaderboardRow]:
    """The published rows of the experiment's domain, by pass^1, and its own among them.

    Its own is there only if all tasks of the test split have all their trials, scored.
    """
    rows = [
        TauLeaderboardRow(
            is_published=True,
            position=0,
            domain=row.domain,
            strategy=row.strategy,
            pass_hat_1=row.pass_hat_k[0],
            pass_hat_2=row.pass_hat_k[1],
            pass_hat_3=row.pass_hat_k[2],
            pass_hat_4=row.pass_hat_k[3],
            standard_error=row.standard_error,
            task_count=row.task_count,
            trials_per_task=PUBLISHED_TRIALS,
        )
        for row in PUBLISHED
        if row.domain == stored.env
    ]
    own = _own_row(stored)
    rows.extend([own] if own else [])
    by_score = sorted(rows, key=lambda row: (-row.pass_hat_1, row.strategy))
    yield from (replace(row, position=place) for place, row in enumerate(by_score, 1))


def _own_row(stored: StoredExperiment) -> TauLeaderboardRow | None:
    is_comparable = stored.is_complete and stored.is_whole_split and stored.task_split == "test"
    if not is_comparable or 1 not in stored.scores or stored.env is None:
        return None
    values = [stored.scores[k][0] if k in stored.scores else None for k in (2, 3, 4)]
    first, error = stored.scores[1]
    return TauLeaderboardRow(
        is_published=False,
        position=0,
        domain=stored.env,
        strategy=" ".join(filter(None, (stored.agent, stored.model))),
        pass_hat_1=first,
        pass_hat_2=values[0],
        pass_hat_3=values[1],
        pass_hat_4=values[2],
        standard_error=error,
        task_count=len(stored.flags),
        trials_per_task=stored.trials_per_task,
    )
