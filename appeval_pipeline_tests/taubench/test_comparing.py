"""Two experiments on the tasks that both have; and a row of one's own beside the published ones."""

from __future__ import annotations

import pytest

from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.taubench.breakdown import Breakdown, TaskReport
from appeval_pipeline.taubench.comparing import compare
from appeval_pipeline.taubench.leaderboard import NoRow, OwnRow, own_row
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline_tests.taubench.airline_outcomes import results as airline_results


def trials(*by_task: str, first: int = 0) -> list[TauResult]:
    """Trials of tasks: 1 for one that succeeded, 0 for one that failed, x for one that broke down."""
    return [
        TauResult(task, number, None if sign == "x" else float(sign), "gone" if sign == "x" else None)
        for task, signs in enumerate(by_task, first)
        for number, sign in enumerate(signs)
    ]


def test_one_trial_a_task_is_compared_by_mcnemar() -> None:
    made = compare(trials("0", "0", "0", "0", "0", "1"), trials("1", "1", "1", "1", "1", "1"))
    assert list(made.by_k) == [1]
    one = made.by_k[1]
    assert (one.test, one.difference, one.task_count) == ("mcnemar", pytest.approx(5 / 6), 6)
    assert one.p_value == pytest.approx(2 * 0.5**5)  # five tasks, all one way
    assert (made.first_correlation, made.second_correlation) == (None, None)


def test_tasks_that_differ_most_come_first_and_equal_ones_not_at_all() -> None:
    made = compare(trials("11", "00", "10", "11"), trials("10", "11", "01", "00"))
    assert [(task.task_id, task.difference) for task in made.tasks] == [(1, 1.0), (3, -1.0), (0, -0.5)]
    assert list(made.by_k) == [1, 2]
    assert made.by_k[2].second == pytest.approx(1 / 4)


def test_tasks_of_one_side_only_are_told_and_count_nowhere() -> None:
    made = compare(trials("1", "1", "x"), trials("0", "0", first=1))
    assert (made.first_only, made.second_only) == ((0,), (2,))
    assert made.by_k[1].difference == -1


def test_without_a_common_task_there_is_nothing_to_compare() -> None:
    with pytest.raises(TauBenchError, match="one has 1 tasks from 0 to 0, and one has no scored trial"):
        compare(trials("1"), trials("x"))


def test_faults_are_compared_in_shares_of_the_trials_of_common_tasks() -> None:
    def of(*tasks: TaskReport) -> Breakdown:
        return Breakdown((), tasks)

    before = of(
        TaskReport(0, 2, 2, 0, 0.0, (), {"wrong_tool": 1, "missing_output": 2}),
        TaskReport(9, 2, 2, 0, 0.0, (), {"extra_write": 2}),
    )
    after = of(TaskReport(0, 4, 4, 3, 0.75, (), {"missing_action": 1}))
    made = compare(trials("00") + trials("00", first=9), trials("1110"), breakdowns=(before, after))
    assert [(one.kind, one.first, one.second) for one in made.faults] == [
        ("wrong_tool", 0.5, 0),
        ("missing_action", 0, 0.25),
        ("missing_output", 1, 0),
    ]
    (task,) = made.tasks
    assert (task.first_faults, task.second_faults) == (before.tasks[0].faults, {"missing_action": 1})


def test_a_whole_experiment_is_a_row() -> None:
    row = own_row("airline", "gpt-4o", airline_results())
    assert isinstance(row, OwnRow)
    values = {k: round(one.value, 3) for k, one in row.pass_hat_k.items() if one}
    assert values == {1: 0.42, 2: 0.273, 3: 0.22, 4: 0.2}
    assert (row.task_count, row.trials) == (50, 4)


def test_with_a_trial_missing_or_broken_down_it_is_none() -> None:
    results = airline_results()
    results[0] = TauResult(0, 0, None, "gone")
    row = own_row("airline", "gpt-4o", results[:-2])
    assert row == NoRow("airline", "gpt-4o", missing=2, infra_errors=1)
    assert str(row) == "gpt-4o is no row: of its trials 2 missing and 1 not scored, as they broke down"
    assert own_row("retail", "gpt-4o", airline_results()) == NoRow("retail", "gpt-4o", 65 * 4, 0)
