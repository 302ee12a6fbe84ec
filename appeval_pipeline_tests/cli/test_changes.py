"""How `appeval run` tells what it did, and what changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from appeval_pipeline.cli.changes import SHOWN_CHANGES, change_lines
from appeval_pipeline.cli.run import what_was_done
from appeval_pipeline.launch import (
    ExperimentsSummary,
    ExperimentSummary,
    Progress,
    RunSummary,
    VersionSummary,
)
from appeval_pipeline.store.changes import Change, ChangeKind


def summary(*changes: Change, evaluated: int = 1, first: int = 0) -> RunSummary:
    versions = [
        VersionSummary("app", number, Progress.EVALUATED, ("new",), None)
        for number in range(1, evaluated + 1)
    ]
    return RunSummary(
        versions=tuple(versions),
        verdicts=(),
        changes=changes,
        first_count=first,
        violations=(),
        problems=(),
        errors=(),
        run_ids=(),
        elapsed_s=1.0,
        store=Path("a.duckdb"),
        dagster_home=Path("dagster"),
    )


def metric(before: float | None, after: float | None, *, is_worse: bool = False) -> Change:
    return Change("app@1", ChangeKind.METRIC, "quality.overall", before, after, is_worse)


@pytest.mark.parametrize(
    ("version", "experiment", "told"),
    [
        (Progress.FRESH, Progress.FRESH, "Nothing to do: all 1 app versions are up to date."),
        (Progress.FRESH, Progress.EVALUATED, "All 1 app versions are up to date. tau-bench: 1 evaluated."),
        (Progress.EVALUATED, Progress.FRESH, "1 evaluated, 0 up to date."),
        (Progress.EVALUATED, Progress.EVALUATED, "1 evaluated, 0 up to date. tau-bench: 1 evaluated."),
    ],
)
def test_what_was_done_counts_experiments_too(version: Progress, experiment: Progress, told: str) -> None:
    experiments = ExperimentsSummary(
        experiments=(ExperimentSummary("noop", experiment, (), None),),
        left=(),
        missing=None,
        verdicts=(),
        problems=(),
        errors=(),
        run_ids=(),
        elapsed_s=1.0,
        store=Path("a.duckdb"),
    )
    versions = (VersionSummary("app", 1, version, (), None),)
    assert what_was_done(replace(summary(), versions=versions, experiments=experiments)) == told


def test_each_kind_of_change_has_its_line() -> None:
    lines = change_lines(
        summary(
            Change("app@1", ChangeKind.SCENARIO, "Paying [x]", "passed", "failed", True),
            Change("app@1", ChangeKind.CHECK, "quality_meets_bar", None, "warn", True),
            Change("app@1", ChangeKind.TIMING, "pay", None, 1.254, True),
            metric(77.8, 95.0),
            evaluated=3,
            first=2,
        )
    )
    assert lines == [
        "Changed since the last time, 2 evaluated for the first time:",
        "  [red]app@1[/] scenario Paying \\[x]: passed → failed",
        "  [red]app@1[/] check quality_meets_bar: none → warn",
        "  [red]app@1[/] pay takes 1.25 times as long as in the baseline",
        "  [green]app@1[/] quality.overall 77.8 → 95.0",
    ]


def test_numbers_have_as_many_digits_as_tell_them_apart() -> None:
    texts = [change_lines(summary(metric(*pair)))[1].split(" ", 4)[4] for pair in PAIRS]
    assert texts == ["4 → 5", "94.0 → 94.5", "77.81 → 77.84", "none → 60.00"]


PAIRS = ((4.0, 5.0), (94.0, 94.5), (77.812, 77.836), (None, 60.0))


def test_a_long_list_is_cut_and_says_so() -> None:
    lines = change_lines(summary(*(metric(1.0, float(number)) for number in range(2, SHOWN_CHANGES + 5))))
    assert len(lines) == SHOWN_CHANGES + 2 <= 12
    assert lines[-1] == "  … and 3 more (--json shows all)"


def test_no_change_is_said_where_something_was_evaluated_again() -> None:
    assert change_lines(summary(evaluated=3, first=1)) == [
        "Nothing changed in 2 app versions evaluated again."
    ]
    assert change_lines(summary(evaluated=2, first=2)) == []
    assert change_lines(summary(evaluated=0)) == []
