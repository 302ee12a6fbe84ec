"""How much of what is stored gets onto the page, and which part of it."""

from __future__ import annotations

import dataclasses

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.store import Store
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.export.report import trials
from appeval_pipeline.store.export.report.app_trials import app_trials
from appeval_pipeline.store.export.report.facts import MAX_SCENARIOS, better, load_facts
from appeval_pipeline.store.export.report.interfaces import Interfaces, load_interfaces
from appeval_pipeline.store.export.report.trials import Trial, within_bounds
from appeval_pipeline.store.rows import AgentStepRow, AgentTrialRow, AppVersionRow, ScenarioRunRow
from appeval_pipeline_tests.store.export import results

RETURNS = "{total: {type: number}}"


def definition(version: int, returns: str = RETURNS) -> results.Result:
    app = load_app(
        f"app_id: till\nname: Till\ndescription: A till\ncategory: payment\nactions:\n"
        f"  - name: pay\n    returns: {returns}\n    logic: [{{type: return, value: {{total: 1}}}}]\n"
    )
    given = results.definition("till", version).partition.rows[0]
    assert isinstance(given, AppVersionRow)
    row = dataclasses.replace(given, definition=canonical_json(app.to_dict()))
    return results.result("app_definitions", "till", version, row)


def interfaces_of(database: Store, *definitions: results.Result) -> Interfaces:
    results.store(database, *definitions)
    with database.reader() as connection:
        return load_interfaces(connection, {"till"})


def test_interfaces_of_versions_apart_are_compared(database: Store) -> None:
    found = interfaces_of(database, definition(1), definition(2), definition(4, "{}"))
    assert [(old, new, len(places), more) for old, new, places, more in found.pairs["till"]] == [
        (1, 2, 0, 0),
        (1, 4, 1, 0),
        (2, 4, 1, 0),
    ]
    message = "'pay' no longer declares that it returns 'total'"
    assert found.changes == (("breaking", "actions.pay.returns.total", message),)


def test_of_many_versions_the_latest_are_compared_each_with_each(database: Store) -> None:
    found = interfaces_of(database, *(definition(version) for version in range(1, 11)))
    pairs = {(old, new) for old, new, *_ in found.pairs["till"]}
    assert len(pairs) == 28
    assert min(pairs) == (3, 4)
    assert max(pairs) == (9, 10)


def test_a_stored_definition_that_is_none_any_more_is_left_out(database: Store) -> None:
    old = results.definition("till", 1)
    assert interfaces_of(database, old, definition(2)).pairs == {"till": ()}


def test_numbers_of_a_version_beyond_bounds_are_counted(database: Store) -> None:
    scenarios = [
        results.row(
            ScenarioRunRow, "till", 1, file_path=f"{place:03}.yaml", scenario_name="A", status="passed"
        )
        for place in range(MAX_SCENARIOS + 2)
    ]
    results.store(database, definition(1), results.result("scenario_runs", "till", 1, *scenarios))
    with database.reader() as connection:
        till = load_facts(connection, [("till", 1)], ()).partitions["till@1"]
    assert len(till.scenarios) == 3 * MAX_SCENARIOS
    assert till.left_out == 2


def trial(number: int, size: int = 0) -> Trial:
    return Trial(
        id=str(number),
        partition="till@1",
        asset="agent_evaluations",
        task="x" * size,
        owner="till.yaml",
        agent="random",
        number=number,
        outcome="failed",
        why="",
        reward=0.0,
        step_count=0,
        facts=(),
        faults=(),
        steps=(),
        query="",
    )


def test_trials_of_low_rank_come_before_others_and_keep_their_order() -> None:
    found = within_bounds([(2, trial(0)), (1, trial(1)), (3, trial(2)), (1, trial(3))], total=9, most=2)
    assert [one.number for one in found.items] == [1, 3]
    assert found.more == 7


def test_trials_end_where_the_space_does() -> None:
    half = trials.MAX_BYTES // 2
    found = within_bounds([(1, trial(0, half)), (1, trial(1, half)), (1, trial(2))], total=3)
    assert [one.number for one in found.items] == [0]


def test_of_a_long_trial_the_steps_in_the_middle_are_left_out(database: Store) -> None:
    common = {"file_path": "till.yaml", "agent": "random", "trial": 0}
    ran = results.row(
        AgentTrialRow, "till", 1, **common, step_count=100, goal_reached=False, end_reason="done"
    )
    steps = [
        results.row(AgentStepRow, "till", 1, **common, step_index=place, action="pay", observation="y" * 9000)
        for place in range(100)
    ]
    results.store(database, definition(1), results.result("agent_evaluations", "till", 1, ran, *steps))
    with database.reader() as connection:
        ((rank, found),) = app_trials(connection, {"till"})
    assert rank == 1
    assert [step.index for step in found.steps] == [*range(30), *range(90, 100)]
    assert found.step_count == 100
    assert max(len(step.observation) for step in found.steps) < 700


@pytest.mark.parametrize(
    ("metric", "direction"),
    [
        ("quality.validation", 1),
        ("quality.suggestions", 0),
        ("scenarios.pass_rate", 1),
        ("scenarios.failures", -1),
        ("coverage.branch", 1),
        ("coverage.paths_total", 0),
        ("benchmark.p50_latency_ms", 0),
        ("agents.oracle.goal_rate", 1),
    ],
)
def test_colours_tell_which_direction_is_better_where_one_is(metric: str, direction: int) -> None:
    assert better(metric) == direction
