"""The tasks that ship: what they declare is what the search finds."""

from pathlib import Path

import pytest

from appeval_pipeline.appdef.catalogue import task_paths
from appeval_pipeline.evaluation import EvaluationTask, evaluate_agent, load_task

from .shipped import DATA, ENTRIES, app

Case = tuple[str, int, EvaluationTask]


def _cases() -> dict[str, Case]:
    """Every task on every version that it applies to."""
    found = {}
    for entry in ENTRIES:
        for path in task_paths(DATA, entry.app_id, entry.root):
            task = load_task(DATA / path)
            if task.applies(entry.version):
                found[f"{entry.partition_key} {Path(path).stem}"] = (entry.app_id, entry.version, task)
    return found


CASES = _cases()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_oracle_reaches_every_goal_that_can_be_reached_in_the_declared_steps(case: Case) -> None:
    app_id, version, task = case
    evaluation = evaluate_agent(app(app_id, version), task, "oracle")
    assert evaluation.optimal_is_exact
    assert evaluation.optimal_actions == task.optimal_steps
    assert (evaluation.optimal_actions is None) == ("unreachable" in task.tags)
    assert evaluation.efficiency_ratio == (0 if evaluation.optimal_actions is None else 1)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_no_goal_is_reached_by_doing_nothing(case: Case) -> None:
    app_id, version, task = case
    (trial,) = evaluate_agent(app(app_id, version), task, "noop").trials
    assert trial.goal_reached is False


def test_every_app_has_three_tasks_and_some_cannot_be_done() -> None:
    entries = {(entry.app_id, entry.root) for entry in ENTRIES}
    assert {len(task_paths(DATA, *entry)) for entry in entries} == {3}
    assert sum("unreachable" in task.tags for _, _, task in CASES.values()) == 2
