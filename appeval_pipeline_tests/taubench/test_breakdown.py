"""Where an agent fails, and which tasks a file's trials are explained by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.taubench import TauSuite
from appeval_pipeline.taubench.breakdown import break_down, with_faults
from appeval_pipeline.taubench.explaining import explainer_for, explainer_of_suite
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline_tests.taubench.airline_outcomes import results as airline_results

IDLE = ({"role": "user", "content": "Hello"},)


def trial(number_of_task: int, number: int, reward: float | None, **info: object) -> TauResult:
    error = "Timeout: 30 s" if reward is None else None
    return TauResult(
        number_of_task, number, reward, error=error, info={"end": "stopped", **info}, trajectory=IDLE
    )


def test_each_task_has_its_trials_flags_and_faults(retail: TauSuite) -> None:
    results = [trial(0, 1, None), trial(10, 0, 1.0), trial(0, 0, 0.0)]
    made = break_down(results, explainer_of_suite(retail))
    (first, last) = made.tasks
    assert (first.task_id, first.trials, first.scored, first.successes) == (0, 2, 1, 0)
    assert (first.average_reward, first.flags) == (0.0, ())
    assert first.faults == {"infra_error": 1, "missing_action": 1}
    assert first.commonest_fault == "infra_error"
    assert (last.task_id, last.successes, last.faults, last.commonest_fault) == (10, 1, {}, None)
    assert last.flags == ("null_passable", "read_only")
    assert (made.failed, made.unexplained) == (2, 0)
    assert made.faults == {"infra_error": 1, "missing_action": 1}


def test_a_trial_counts_once_however_often_a_kind_comes_up(retail: TauSuite) -> None:
    task = next(task for task in retail.tasks if sum(one.wrote for one in retail.truth(task).replayed) > 1)
    made = break_down([trial(task.id, 0, 0.0)], explainer_of_suite(retail))
    ((_, faults),) = made.trials
    assert sum(fault.kind == "missing_action" for fault in faults) > 1
    assert made.faults["missing_action"] == 1


def test_without_tasks_failures_stay_unexplained() -> None:
    made = break_down([trial(0, 0, 0.0), trial(1, 0, 1.0)], None)
    assert (made.failed, made.unexplained, made.faults) == (1, 1, {})
    assert [task.successes for task in made.tasks] == [0, 1]


def test_trials_carry_their_faults_in_a_form_that_tau_bench_reads_past(retail: TauSuite) -> None:
    made = break_down([trial(0, 0, 0.0, task="gone")], explainer_of_suite(retail))
    (record,) = (result.to_record() for result in with_faults(made))
    assert set(record) == {"task_id", "reward", "info", "traj", "trial"}
    assert [fault["kind"] for fault in record["info"]["faults"]] == ["missing_action"]


def test_a_file_that_brings_its_tasks_is_explained_by_them(airline: TauSuite) -> None:
    brought = [trial(task.id, 0, 0.0, task=task.to_dict()) for task in airline.tasks[:3]]
    found = explainer_for(brought)
    assert (found.suite.domain.name, len(found.by_id)) == ("airline", 50)
    other = airline.tasks[0].to_dict() | {"outputs": ["another"]}
    found = explainer_for([trial(0, 0, 0.0, task=other), *brought[1:]])
    assert found.by_id == {}
    assert found.task(trial(7, 0, 0.0, task=other)) == replace(airline.tasks[0], id=7, outputs=("another",))


def test_a_file_that_brings_tasks_of_another_domain_is_not_explained_by_the_one_that_is_named(
    airline: TauSuite,
) -> None:
    brought = [trial(task.id, 0, 0.0, task=task.to_dict()) for task in airline.tasks[:3]]
    with pytest.raises(TauBenchError, match="The file's own tasks are not of retail"):
        explainer_for(brought, "retail")
    assert len(explainer_for(brought, "airline").by_id) == 50


def test_a_file_that_brings_none_needs_somebody_to_say_of_what_it_is() -> None:
    with pytest.raises(TauBenchError, match="--env"):
        explainer_for(airline_results())
    assert len(explainer_for(airline_results(), "airline").by_id) == 50
    with pytest.raises(TauBenchError, match="--env"):
        explainer_for([trial(0, 0, 0.0, task={"user_id": ["nobody"]})])
