"""tau-bench experiments, as rows: their tasks, their trials, and what these come to.

Whatever goes wrong with one experiment becomes a row that says so, and costs the others nothing.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from appeval_pipeline.agents.journal import Journal, TrialKey
from appeval_pipeline.errors import AppEvalError, Fault, JournalError
from appeval_pipeline.store.dependencies import TAU_LEADERBOARD, TAU_METRICS, TAU_TASKS, TAU_TRIALS
from appeval_pipeline.store.experiments.files import ExperimentFile
from appeval_pipeline.store.experiments.source import load_source, source_inputs
from appeval_pipeline.store.inputs import common_inputs
from appeval_pipeline.store.recording.boundary import ERROR, describe
from appeval_pipeline.store.recording.tau_rows import (
    EVALUATED,
    INCOMPLETE,
    INVALID,
    bad_task_rows,
    experiment_row,
    fault_rows,
    step_rows,
    task_row,
    trial_row,
    unstarted_row,
)
from appeval_pipeline.store.rows import ExperimentResult, Input, Row

if TYPE_CHECKING:
    from appeval_pipeline.store.experiments.reading import StoredExperiment

logger = logging.getLogger(__name__)

JOURNALS = "tau"
"""The folder of journals: the one of ``appeval tau run``, so that neither repeats what the other has done."""


def record_tau_tasks(file: ExperimentFile) -> ExperimentResult:
    """The tasks of the experiment's split with their known issues, as rows; none if it is invalid."""
    inputs = (*_own_inputs(file, TAU_TASKS), *common_inputs(TAU_TASKS))
    return ExperimentResult(file.name, _task_rows(file), inputs)


def record_tau_trials(
    file: ExperimentFile, upstream: tuple[Input, ...], trials_dir: Path
) -> ExperimentResult:
    """Carry out the experiment: rows of itself, its trials, their steps and their faults.

    Trials that ended before are not tried again, unless they cost nothing or broke down.

    Args:
        trials_dir: Where finished trials are kept.

    Raises:
        JournalError: Another process carries out the same, or the record of finished trials is damaged.
    """
    inputs = (*_own_inputs(file, TAU_TRIALS), *upstream, *common_inputs(TAU_TRIALS))
    if file.settings is None:
        return ExperimentResult(file.name, (unstarted_row(file, INVALID, file.error or INVALID),), inputs)
    try:
        rows = _trial_rows(file, trials_dir / JOURNALS)
    except JournalError:
        raise  # somebody else is at it: what is stored stays as it is
    except Exception as failure:
        foreseen = isinstance(failure, AppEvalError)
        logger.warning("%s: %s", file.path, failure, exc_info=not foreseen)
        rows = (unstarted_row(file, ERROR, describe(failure)),)
    return ExperimentResult(file.name, rows, inputs)


def record_tau_metrics(stored: StoredExperiment, upstream: tuple[Input, ...]) -> ExperimentResult:
    """What the stored trials come to: ``tau_metrics`` rows; none where no trial ended."""
    from appeval_pipeline.store.recording.tau_score_rows import metric_rows

    rows: tuple[Row, ...] = tuple(metric_rows(stored)) if stored.results else ()
    return ExperimentResult(stored.name, rows, (*upstream, *common_inputs(TAU_METRICS)))


def record_tau_leaderboard(stored: StoredExperiment, upstream: tuple[Input, ...]) -> ExperimentResult:
    """The published results of the experiment's domain, and its own if it is complete, as rows."""
    from appeval_pipeline.store.recording.tau_score_rows import leaderboard_rows

    return ExperimentResult(
        stored.name, tuple(leaderboard_rows(stored)), (*upstream, *common_inputs(TAU_LEADERBOARD))
    )


def _own_inputs(file: ExperimentFile, asset: str) -> tuple[Input, ...]:
    settings = file.settings
    source = source_inputs(settings.env, settings.task_split) if settings else ()
    return (file.as_input(), *file.config_inputs(asset), *source)


def _task_rows(file: ExperimentFile) -> tuple[Row, ...]:
    from appeval_pipeline.taubench import select_tasks

    settings = file.settings
    if settings is None:
        return ()
    try:
        _, suite = load_source(settings.env, settings.task_split)
    except AppEvalError as error:
        logger.warning("%s: %s", file.path, error)
        return ()  # tau_trials says why
    try:
        selected = {task.id for task in select_tasks(suite.tasks, settings.task_ids)}
    except AppEvalError:
        selected = set()
    good = {task.id: task_row(task, suite.flags(task), task.id in selected) for task in suite.tasks}
    bad = bad_task_rows(_by_task(suite.split.faults))
    return tuple(row for _, row in sorted({**good, **bad}.items()))


def _by_task(faults: tuple[Fault, ...]) -> dict[int, list[str]]:
    """What is wrong with each bad task; a fault's place begins with ``tasks[<id>]``."""
    found: dict[int, list[str]] = {}
    for place, message in faults:
        number, _, inside = place.removeprefix("tasks[").partition("]")
        found.setdefault(int(number), []).append(f"{inside.removeprefix('.') or 'it'}: {message}")
    return found


def _journals(file: ExperimentFile, journals: Path) -> AbstractContextManager[str | Path]:
    """Where the journal is; what costs nothing is tried afresh, and keeps nobody else from it."""
    return TemporaryDirectory(prefix="appeval-") if file.is_free else nullcontext(journals)


def _trial_rows(file: ExperimentFile, journals: Path) -> tuple[Row, ...]:
    from appeval_pipeline.taubench.experiments import prepare
    from appeval_pipeline.taubench.faults import find_faults

    assert file.settings is not None
    prepared = prepare(file.settings)
    with _journals(file, journals) as folder, Journal(Path(folder), prepared.configuration()) as journal:
        results = asyncio.run(prepared.evaluator().run(prepared.tasks, journal, retry_errors=True))
    wanted = len(prepared.tasks) * prepared.settings.num_trials
    rows: list[Row] = [
        experiment_row(file, prepared, results, EVALUATED if len(results) == wanted else INCOMPLETE)
    ]
    tasks = {task.id: task for task in prepared.tasks}
    for result in results:
        trajectory = journal.finished[TrialKey(str(result.task_id), result.trial)]
        rows.append(trial_row(result, trajectory))
        rows.extend(step_rows(result, trajectory))
        rows.extend(fault_rows(result, find_faults(prepared.suite, tasks[result.task_id], result)))
    return tuple(rows)
