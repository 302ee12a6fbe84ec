"""What the assets of experiments store: rows and numbers by hand, and rows that say what went wrong."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.errors import JournalError
from appeval_pipeline.store import Database, broken_chains, query
from appeval_pipeline.store.dependencies import TAU_ASSETS
from appeval_pipeline.store.experiments import experiment_verdicts, read_experiments, read_unfinished
from appeval_pipeline_tests.store.experimenting import Fragile, Spender, add_experiment, evaluate, record

TASKS = 'task_ids: "9-12"\n'
"""Doing nothing passes 10 and 12, whose expected actions change nothing; an action of 12 is refused."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tau") / "data"
    add_experiment(folder, "right", f"agent: oracle\nnum_trials: 4\n{TASKS}")
    add_experiment(folder, "idle", f"agent: noop\n{TASKS}")
    fragile = f"{Fragile.__module__}:{Fragile.__qualname__}"
    add_experiment(
        folder, "fragile", f"agent: {fragile}\nmax_concurrency: 1\nnum_trials: 2\ntask_ids: 10,11\n"
    )
    spender = f"{Spender.__module__}:{Spender.__qualname__}"
    add_experiment(folder, "thrifty", f"agent: {spender}\nmax_concurrency: 1\nmax_cost_usd: 1.5\n{TASKS}")
    add_experiment(folder, "broken", "agent: oracle\nnum_trails: 4\n")
    add_experiment(folder, "nobody", "agent: nobody\ntask_ids: 1\n")
    return folder


@pytest.fixture(scope="module")
def stored(data: Path) -> Database:
    database = Database(data.parent / "appeval.duckdb")
    Fragile.broke_down = False
    assert set(evaluate(data, database).values()) == {TAU_ASSETS}
    return database


def rows(stored: Database, sql: str) -> Sequence[tuple[Any, ...]]:
    return query(stored, sql).rows


def metrics(stored: Database, name: str) -> dict[str, float]:
    return dict(rows(stored, f"SELECT metric, value FROM metrics WHERE partition_key = '{name}'"))


def test_all_tasks_of_the_split_are_there_with_their_known_issues(stored: Database) -> None:
    assert rows(stored, "SELECT count(*) FROM tau_tasks WHERE partition_key = 'idle'") == ((115,),)
    assert rows(
        stored,
        "SELECT task_id, null_passable, gold_error, read_only FROM tau_tasks"
        " WHERE partition_key = 'idle' AND is_selected ORDER BY task_id",
    ) == (
        (9, False, False, False),
        (10, True, False, True),
        (11, False, False, False),
        (12, True, True, True),
    )


def test_whoever_does_what_is_expected_passes_every_trial(stored: Database) -> None:
    found = metrics(stored, "right")
    for name in ("pass_hat_1", "pass_hat_4", "overall_score", "average_reward"):
        assert found[f"tau.{name}"] == 1
    assert (found["tau.tasks"], found["tau.trials"], found["tau.trials.missing"]) == (4, 16, 0)
    assert found["tau.agent_cost_usd"] == 0
    # 12 has six actions, and has the agent say that they are done.
    assert (found["tau.success_within_turns_4"], found["tau.success_within_turns_7"]) == (0, 1)


def test_whoever_does_nothing_passes_what_asks_for_nothing(stored: Database) -> None:
    found = metrics(stored, "idle")
    assert found["tau.pass_hat_1"] == 0.5
    assert found["tau.pass_hat_1.without_null_passable"] == 0
    assert found["tau.pass_hat_1.without_gold_error"] == pytest.approx(1 / 3)
    assert found["tau.pass_hat_1.without_read_only"] == 0
    assert "tau.pass_hat_2" not in found
    ((low, high, method),) = rows(
        stored,
        "SELECT low, high, method FROM tau_metrics WHERE partition_key = 'idle' AND metric = 'pass_hat'"
        " AND counting = 'scored_only' AND without_flag IS NULL",
    )
    assert (low, high, method) == (
        pytest.approx(0.15004, abs=1e-5),
        pytest.approx(0.84996, abs=1e-5),
        "wilson",
    )


def test_what_broke_down_is_no_failure_unless_it_is_counted_as_one(stored: Database) -> None:
    found = metrics(stored, "fragile")
    assert found["tau.infra_errors"] == 1
    assert found["tau.pass_hat_1"] == 0.5  # 1 of 1 and 0 of 2
    assert found["tau.pass_hat_1.errors_as_failures"] == 0.25  # 1 of 2 and 0 of 2
    assert rows(
        stored,
        "SELECT task_id, trial, end_reason, reward, succeeded FROM tau_trials"
        " WHERE partition_key = 'fragile' ORDER BY ALL",
    ) == (
        (10, 0, "infra_error", None, None),
        (10, 1, "stopped", 1.0, True),
        (11, 0, "stopped", 0.0, False),
        (11, 1, "stopped", 0.0, False),
    )
    ((error,),) = rows(stored, "SELECT error FROM tau_trials WHERE error IS NOT NULL")
    assert "the line went dead" in error


def test_a_step_has_what_was_called_answered_and_written(stored: Database) -> None:
    steps = rows(
        stored,
        "SELECT kind, tool, arguments, observation, written FROM tau_steps"
        " WHERE partition_key = 'right' AND task_id = 9 AND trial = 0 ORDER BY step_index",
    )
    calls = [step for step in steps if step[0] == "tool_call"]
    assert [call[1] for call in calls[:2]] == ["find_user_id_by_name_zip", "get_user_details"]
    assert set(json.loads(calls[0][2])) == {"first_name", "last_name", "zip"}
    assert all(call[3] for call in calls)
    assert calls[0][4] == "[]"
    written = [one for call in calls for one in json.loads(call[4])]
    assert {one["table"] for one in written} == {"orders"}


def test_only_failed_trials_have_faults(stored: Database) -> None:
    assert rows(
        stored,
        "SELECT DISTINCT partition_key, task_id FROM tau_faults"
        " WHERE partition_key IN ('idle', 'right') ORDER BY ALL",
    ) == (("idle", 9), ("idle", 11))
    kinds = rows(stored, "SELECT DISTINCT kind FROM tau_faults WHERE partition_key = 'idle'")
    assert kinds == (("missing_action",),)


def test_what_cannot_begin_says_why_and_costs_the_others_nothing(stored: Database) -> None:
    found = {
        name: (status, error)
        for name, status, error in rows(stored, "SELECT partition_key, status, error FROM tau_experiments")
    }
    assert {name: status for name, (status, _) in found.items()} == {
        "right": "evaluated",
        "idle": "evaluated",
        "fragile": "evaluated",
        "thrifty": "incomplete",
        "broken": "invalid",
        "nobody": "error",
    }
    assert "num_trails" in found["broken"][1]
    assert "There is no agent 'nobody'" in found["nobody"][1]
    assert [verdict.check for verdict in experiment_verdicts(read_experiments(stored))] == [
        "experiment_runs",
        "experiment_runs",
        "no_missing_trials",
        "no_missing_trials",
    ]


def test_trials_that_the_budget_kept_from_beginning_are_missing_and_begin_with_a_larger_one(
    data: Path, stored: Database
) -> None:
    found = metrics(stored, "thrifty")
    assert (found["tau.trials"], found["tau.trials.missing"], found["tau.agent_cost_usd"]) == (2, 2, 2.0)
    assert (found["tau.agent_mean_cost_usd"], found["tau.agent_prompt_tokens"]) == (1.0, 200)
    assert {"thrifty", "fragile", "nobody"} == read_unfinished(stored)
    ((error,),) = rows(stored, "SELECT error FROM tau_experiments WHERE status = 'incomplete'")
    assert error == "2 of 4 trials did not begin: the budget was spent"
    path = data / "tau" / "experiments" / "thrifty.yaml"
    text = path.read_text()
    try:
        path.write_text(text.replace("max_cost_usd: 1.5", "max_cost_usd: 10"))
        made = record(data, stored, "thrifty", "tau_trials").rows
    finally:
        path.write_text(text)
    assert len([row for row in made if row.TABLE == "tau_trials"]) == 4
    (journal,) = (file for file in data.parent.glob("trials/tau/*.jsonl") if "Spender" in file.read_text())
    assert len(journal.read_text().splitlines()) == 1 + 4  # the first two were not tried again


def test_part_of_a_split_has_no_row_on_the_leaderboard(stored: Database) -> None:
    assert rows(
        stored,
        "SELECT position, strategy, is_published FROM tau_leaderboard"
        " WHERE partition_key = 'right' ORDER BY 1",
    ) == (
        (1, "TC claude-3-5-sonnet-20241022", True),
        (2, "TC claude-3-5-sonnet-20240620", True),
        (3, "TC gpt-4o", True),
    )


def test_every_number_comes_to_the_file_the_code_and_the_configuration(stored: Database) -> None:
    assert broken_chains(stored) == ()
    found = rows(
        stored,
        "SELECT DISTINCT input_kind, input_key FROM metric_lineage"
        " WHERE partition_key = 'idle' AND metric = 'tau.pass_hat_1' AND app_id IS NULL ORDER BY ALL",
    )
    assert found == (
        ("asset", "tau_tasks"),
        ("asset", "tau_trials"),
        ("code", "appeval-pipeline"),
        ("code", "evaluator"),
        ("code", "tau_trait"),
        ("config", "tau.agent"),
        ("config", "tau.limits"),
        ("config", "tau.seed"),
        ("config", "tau.source"),
        ("config", "tau.statistics"),
        ("config", "tau.tasks"),
        ("config", "tau.trials"),
        ("config", "tau.user"),
        ("file", "tau/experiments/idle.yaml"),
    )


def test_the_same_experiment_has_the_same_data_version(data: Path, stored: Database) -> None:
    for asset in TAU_ASSETS:
        ((version,),) = rows(
            stored,
            "SELECT DISTINCT data_version FROM lineage"
            f" WHERE partition_key = 'right' AND asset_key = '{asset}'",
        )
        assert record(data, stored, "right", asset).data_version == version


def test_only_what_broke_down_is_tried_again(data: Path, stored: Database) -> None:
    def reached(asset_rows: Sequence[Any]) -> list[tuple[int, int, str]]:
        return [(row.task_id, row.trial, row.end_reason) for row in asset_rows if row.TABLE == "tau_trials"]

    before = list(data.parent.glob("trials/tau/*.jsonl"))
    sizes = {path: path.stat().st_size for path in before}
    again = record(data, stored, "fragile", "tau_trials")
    assert reached(again.rows) == [
        (10, 0, "stopped"),
        (10, 1, "stopped"),
        (11, 0, "stopped"),
        (11, 1, "stopped"),
    ]
    grown = [path for path in before if path.stat().st_size > sizes[path]]
    (journal,) = grown
    assert len(journal.read_text().splitlines()) == 1 + 4 + 1


def test_nothing_is_stored_of_an_experiment_that_another_process_is_at(data: Path, stored: Database) -> None:
    journals = list(data.parent.glob("trials/tau/*.jsonl"))
    assert len(journals) == 2  # those that cost nothing leave none
    (journal,) = (file for file in journals if "Fragile" in file.read_text())
    with journal.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(JournalError, match="Another process"):
            record(data, stored, "fragile", "tau_trials")
        assert record(data, stored, "right", "tau_trials").rows
