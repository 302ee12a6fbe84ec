"""What the Dagster UI shows of experiments."""

from collections import Counter

import dagster as dg

from appeval_pipeline.defs.metadata import listed, markdown_table, rows_of
from appeval_pipeline.store.rows import (
    ExperimentResult,
    TauExperimentRow,
    TauFaultRow,
    TauLeaderboardRow,
    TauMetricRow,
    TauTaskRow,
    TauTrialRow,
)

FLAGS = ("null_passable", "gold_error", "read_only")


def task_metadata(result: ExperimentResult) -> dict[str, object]:
    """What ``tau_tasks`` shows: how many tasks, which have known issues, and which cannot be used."""
    rows = rows_of(result, TauTaskRow)
    metadata: dict[str, object] = {
        "tasks": len(rows),
        "selected": sum(row.is_selected for row in rows),
    }
    issues = []
    for flag in FLAGS:
        flagged = [row.task_id for row in rows if getattr(row, flag)]
        issues.append((flag, len(flagged), ", ".join(map(str, flagged)) or "none"))
    bad = [(row.task_id, row.error) for row in rows if row.error]
    return {
        **metadata,
        "known_issues": dg.MetadataValue.md(markdown_table(("issue", "tasks", "which"), issues)),
        **listed("cannot_be_used", ("task", "why"), bad),
    }


def trial_metadata(result: ExperimentResult) -> dict[str, object]:
    """What ``tau_trials`` shows: how far the experiment came, its failed tasks, and their faults."""
    (experiment,) = rows_of(result, TauExperimentRow)
    metadata: dict[str, object] = {"status": experiment.status}
    if experiment.error:
        metadata["error"] = dg.MetadataValue.md(f"```\n{experiment.error}\n```")
    if experiment.trials_wanted is None:
        return metadata
    trials = rows_of(result, TauTrialRow)
    metadata["agent"] = " ".join(filter(None, (experiment.agent, experiment.model)))
    metadata["user"] = " ".join(filter(None, (experiment.user_strategy, experiment.user_model)))
    metadata["source"] = f"{experiment.source_package} {experiment.source_version}"
    metadata["trials"] = len(trials)
    metadata["missing_trials"] = experiment.trials_wanted - len(trials)
    metadata["infra_errors"] = experiment.infra_errors
    failed = Counter(trial.task_id for trial in trials if trial.succeeded is False)
    tried = Counter(trial.task_id for trial in trials)
    kinds = Counter(fault.kind for fault in rows_of(result, TauFaultRow))
    lost = [(trial.task_id, trial.trial, trial.error) for trial in trials if trial.error]
    return {
        **metadata,
        **listed("faults", ("kind", "times"), kinds.most_common()),
        **listed(
            "failed_tasks",
            ("task", "failed", "trials"),
            [(task, times, tried[task]) for task, times in failed.most_common()],
        ),
        **listed("broke_down", ("task", "trial", "why"), lost),
    }


def metric_metadata(result: ExperimentResult) -> dict[str, object]:
    """What ``tau_metrics`` shows: pass^k and the rest with intervals, also without known issues."""
    rows = rows_of(result, TauMetricRow)
    whole = [row for row in rows if row.without_flag is None and row.counting == "scored_only"]
    scores = [row for row in whole if "turn" not in row.metric]
    metadata: dict[str, object] = {
        f"pass_hat_{row.k}": row.value for row in scores if row.metric == "pass_hat"
    }
    told = [(_name(row), f"{row.value:.3f}", _error(row), _interval(row), row.task_count) for row in scores]
    without = [
        (row.without_flag, row.task_count, f"{row.value:.3f}", _interval(row))
        for row in rows
        if row.without_flag and row.metric == "pass_hat" and row.k == 1 and row.counting == "scored_only"
    ]
    counts = [
        (row.metric.replace("_", " "), f"{row.value:.10g}", row.unit) for row in rows if row.counting == "all"
    ]
    return {
        **metadata,
        **listed("scores", ("metric", "value", "standard error", "95% interval", "tasks"), told),
        **listed("without_known_issues", ("left out", "tasks", "pass^1", "95% interval"), without),
        **listed("counts", ("of", "number", "unit"), counts),
    }


def leaderboard_metadata(result: ExperimentResult) -> dict[str, object]:
    """What ``tau_leaderboard`` shows: the table in tau-bench's form."""
    rows = rows_of(result, TauLeaderboardRow)
    own = next((row.position for row in rows if not row.is_published), None)
    metadata: dict[str, object] = {"is_complete": own is not None}
    if own is not None:
        metadata["position"] = own
    table = [
        (
            row.strategy if row.is_published else f"**{row.strategy}** (this experiment)",
            *(
                "–" if value is None else f"{value:.3f}"
                for value in (row.pass_hat_1, row.pass_hat_2, row.pass_hat_3, row.pass_hat_4)
            ),
            "–" if row.standard_error is None else f"{row.standard_error:.3f}",
        )
        for row in rows
    ]
    header = ("Strategy", "Pass^1", "Pass^2", "Pass^3", "Pass^4", "standard error of Pass^1")
    return {**metadata, **listed("leaderboard", header, table)}


def _name(row: TauMetricRow) -> str:
    return f"pass^{row.k}" if row.metric == "pass_hat" else row.metric.replace("_", " ")


def _error(row: TauMetricRow) -> str:
    return "–" if row.standard_error is None else f"{row.standard_error:.3f}"


def _interval(row: TauMetricRow) -> str:
    return "–" if row.low is None or row.high is None else f"{row.low:.3f}–{row.high:.3f}"
