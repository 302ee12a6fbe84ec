"""Whether a stored experiment is as it should be: the bars that checks and summaries share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from appeval_pipeline.store.experiments.overview import ExperimentOverview
from appeval_pipeline.store.verdicts import Severity, Verdict

Experiments = Iterable[ExperimentOverview]

_MOST_NAMED: Final = 10


def success_verdicts(experiments: Experiments) -> tuple[Verdict, ...]:
    """Experiments that could not begin."""
    return tuple(
        Verdict("experiment_runs", one.name, Severity.ERROR, f"{one.status}: {one.error}")
        for one in experiments
        if one.status in ("invalid", "error")
    )


def trial_verdicts(experiments: Experiments) -> tuple[Verdict, ...]:
    """Experiments that lack trials, or have some without a reward."""
    check = "no_missing_trials"
    found = []
    for one in experiments:
        if one.trials_wanted is None or one.trials_ended is None:
            continue
        if one.trials_ended < one.trials_wanted:
            missing = one.trials_wanted - one.trials_ended
            message = f"{missing} of {one.trials_wanted} trials are missing"
            found.append(Verdict(check, one.name, Severity.ERROR, message))
        if one.infra_errors:
            message = f"{one.infra_errors} of {one.trials_ended} trials broke down, and have no reward"
            found.append(Verdict(check, one.name, Severity.ERROR, message))
    return tuple(found)


def task_verdicts(experiments: Experiments) -> tuple[Verdict, ...]:
    """Experiments with tasks that cannot be used."""
    return tuple(
        Verdict("tasks_are_usable", one.name, Severity.WARN, f"{_tasks(one.unusable_tasks)} cannot be used")
        for one in experiments
        if one.unusable_tasks
    )


def oracle_verdicts(experiments: Experiments) -> tuple[Verdict, ...]:
    """Experiments in which whoever does what is expected fails: harness and tasks disagree."""
    return tuple(
        Verdict(
            "oracle_solves_every_task",
            one.name,
            Severity.ERROR,
            f"the oracle fails {_tasks(one.failed_tasks)}",
        )
        for one in experiments
        if one.agent == "oracle" and one.failed_tasks
    )


def noop_verdicts(experiments: Experiments) -> tuple[Verdict, ...]:
    """Experiments in which whoever does nothing succeeds where doing nothing does not."""
    return tuple(
        Verdict(
            "noop_solves_null_passable_only",
            one.name,
            Severity.ERROR,
            f"doing nothing succeeds in {_tasks(one.passed_tasks)}, which are not null_passable",
        )
        for one in experiments
        if one.agent == "noop" and one.passed_tasks
    )


EXPERIMENT_VERDICTS: tuple[Callable[[Experiments], tuple[Verdict, ...]], ...] = (
    success_verdicts,
    trial_verdicts,
    task_verdicts,
    oracle_verdicts,
    noop_verdicts,
)


def experiment_verdicts(experiments: Experiments) -> tuple[Verdict, ...]:
    """All of the above."""
    there = tuple(experiments)
    return tuple(verdict for verdicts in EXPERIMENT_VERDICTS for verdict in verdicts(there))


def _tasks(tasks: Sequence[int]) -> str:
    shown = ", ".join(map(str, tasks[:_MOST_NAMED]))
    more = f" and {len(tasks) - _MOST_NAMED} more" if len(tasks) > _MOST_NAMED else ""
    return f"task{'' if len(tasks) == 1 else 's'} {shown}{more}"
