"""What ``appeval tau`` tells of failures: faults, tasks, comparisons, rows of one's own; in one process."""

from __future__ import annotations

import asyncio
import csv
import json
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from appeval_pipeline.agents import Agent, NoopAgent, run_episode
from appeval_pipeline.cli.main import app
from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.store import Database
from appeval_pipeline.taubench import OracleTauAgent, ScriptedUser, TauEnvironment, TauTask, load_suite
from appeval_pipeline.taubench.evaluating import result_of
from appeval_pipeline.taubench.results import TauResult, read_results, write_results
from appeval_pipeline_tests.agents.conftest import Serve, serve
from appeval_pipeline_tests.agents.scripted_server import completion
from appeval_pipeline_tests.store.experimenting import add_experiment, evaluate
from appeval_pipeline_tests.taubench.airline_outcomes import records, write

__all__ = ["serve"]

suite = cache(load_suite)
"""Read when the first test asks for it, not when tests are collected."""


def tried(agent: Agent, task: TauTask, trial: int) -> TauResult:
    environment = TauEnvironment(suite(), task, ScriptedUser())
    return result_of(task, trial, asyncio.run(run_episode(agent, environment)))


def appeval(*arguments: str | Path, store: Path = Path("nowhere.duckdb")) -> Result:
    environment = {"NO_COLOR": "1", "COLUMNS": "160", "APPEVAL_STORE": str(store)}
    return CliRunner().invoke(app, ["tau", *map(str, arguments)], env=environment)


def lines_of(result: Result) -> list[str]:
    """What was printed, with the columns of tables one space apart."""
    assert result.exit_code == 0, result.output
    return [" ".join(line.split()) for line in result.stdout.splitlines()]


def begins(lines: list[str], text: str) -> bool:
    return any(line.startswith(text) for line in lines)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``half.json``: the first 13 tasks, solved the first time and left alone the second; ``idle.json``: as
    the second time, on one task more."""
    folder = tmp_path_factory.mktemp("results")
    idle = [tried(NoopAgent(), task, 1) for task in suite().tasks[:14]]
    solved = [tried(OracleTauAgent(task), task, 0) for task in suite().tasks[:13]]
    write_results(folder / "half.json", [*solved, *idle[:13]])
    write_results(folder / "idle.json", idle)
    return folder


@pytest.fixture
def airline_file(tmp_path: Path) -> Path:
    task = load_suite("airline").tasks[0].to_dict()
    path = tmp_path / "airline.json"
    write_results(path, [TauResult(0, 0, 1.0, info={"task": task})])
    return path


def test_a_score_tells_faults_tasks_and_what_remains_without_flawed_tasks(files: Path) -> None:
    lines = lines_of(appeval("score", files / "half.json"))
    assert "11 failed trials; one may have several faults" in lines
    assert begins(lines, "missing_action 11 100% An expected action")
    assert "Tasks with a failed trial: 11 of 13" in lines
    assert "0 2 1 0.50 missing_action (1)" in lines
    assert begins(lines, "without 2 null_passable (tasks 10, 12): pass^1 0.500")
    everything = lines_of(appeval("score", files / "half.json", "--tasks"))
    assert "12 2 2 1.00 null_passable, gold_error, read_only" in everything


def test_json_has_every_trial_with_its_faults(files: Path) -> None:
    found = json.loads(appeval("score", files / "half.json", "--json").stdout)
    assert found["unexplained_because"] is None
    assert [one["flag"] for one in found["without_flagged"]] == ["null_passable", "gold_error", "read_only"]
    breakdown = found["breakdown"]
    assert (len(breakdown["tasks"]), len(breakdown["trials"])) == (13, 26)
    assert [fault["kind"] for fault in breakdown["trials"][1]["faults"]] == ["missing_action"]


def test_trials_are_written_for_spreadsheets_and_for_tau_bench(files: Path, tmp_path: Path) -> None:
    table, back = tmp_path / "trials.csv", tmp_path / "back.json"
    lines_of(appeval("score", files / "half.json", "--csv", table, "--output", back))
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 26
    assert (rows[1]["task_id"], rows[1]["reward"], rows[1]["faults"]) == ("0", "0.0", "missing_action")
    again = read_results(back)
    assert [one.trajectory for one in again] == [one.trajectory for one in read_results(files / "half.json")]
    assert again[1].info["faults"][0]["kind"] == "missing_action"


def test_a_text_that_a_spreadsheet_would_run_is_told_as_a_text(tmp_path: Path) -> None:
    made = records()
    made[0]["info"] = {"error": '=HYPERLINK("http://x")'}
    table = tmp_path / "trials.csv"
    lines_of(appeval("score", write(tmp_path / "made.json", made), "--csv", table))
    assert '"\'=HYPERLINK(""http://x"")"' in table.read_text()


def test_a_file_that_does_not_say_its_tasks_is_scored_all_the_same(tmp_path: Path) -> None:
    result = appeval("score", write(tmp_path / "airline.json", records()), "--tasks")
    assert "Faults are not told: The file does not say what its tasks are" in result.stdout
    assert "1 4 1 0.25" in lines_of(result)  # 0100


def test_one_s_own_row_stands_beside_the_published_ones(tmp_path: Path) -> None:
    path = write(tmp_path / "TC again.json", records())
    lines = lines_of(appeval("leaderboard", "--env", "airline", "--results", path))
    assert "airline TC again 50 0.420 0.273 0.220 0.200 0.0522 0.40 0.207" in lines


def test_a_row_with_gaps_is_none_and_says_how_many(files: Path) -> None:
    result = appeval("leaderboard", "--results", files / "half.json")
    assert "half is no row: of its trials 204 missing" in result.stdout  # 102 tasks of 115, twice
    found = json.loads(appeval("leaderboard", "--json", "--results", files / "half.json").stdout)
    assert found[-1] == {"domain": "retail", "strategy": "half", "missing": 204, "infra_errors": 0}


def test_two_files_are_compared_on_their_common_tasks(files: Path) -> None:
    # In half.json 11 tasks are passed in one of two trials and 2 in both; in idle.json the 2 are.
    lines = lines_of(appeval("compare", files / "half.json", files / "idle.json"))
    assert lines[0] == "A half.json, B idle.json: 13 common tasks"
    assert lines[1] == "left out only B has: 13"
    assert begins(lines, "pass^1 0.577 0.154 -0.423 ")
    assert any(line.endswith("A is better.") for line in lines)
    assert begins(lines, "pass^1: B is better on 0 tasks, worse on 11; p by all ways to flip the signs")
    assert "0 0.50 0.00 -0.50 missing_action (1) missing_action (1)" in lines
    assert begins(lines, "missing_action 42% 85% +42%")  # 11 of 26, 11 of 13


def test_a_comparison_as_json_has_all_tasks_that_differ(files: Path) -> None:
    found = json.loads(appeval("compare", files / "half.json", files / "idle.json", "--json").stdout)
    assert (len(found["tasks"]), found["first_only"], found["second_only"]) == (11, [], [13])
    assert found["by_k"]["1"]["p_value"] == pytest.approx(2 / 2**11)


def test_files_of_different_domains_are_not_compared(files: Path, airline_file: Path) -> None:
    result = appeval("compare", files / "half.json", airline_file)
    assert isinstance(result.exception, TauBenchError)
    assert "half.json is of retail, airline.json of airline" in str(result.exception)


def test_a_task_is_shown_with_what_its_actions_do_and_why_it_is_flagged() -> None:
    lines = lines_of(appeval("show", "12"))
    assert lines[0] == "Task 12 of retail, customer mia_garcia_4516"
    assert begins(lines, '4 return_delivered_order_items(order_id="#W5490111", item_ids=["4579334072"')
    assert begins(lines, "refused: Error: payment method should be")
    assert begins(
        lines, "known issue gold_error: expected action 4, return_delivered_order_items, answers: Err"
    )
    assert begins(lines, "known issue null_passable: the expected actions change nothing, and nothing has to")
    assert "ends the episode; it is not called for the reward" in lines


def test_a_trial_is_shown_step_by_step_with_what_each_call_wrote(files: Path) -> None:
    lines = lines_of(appeval("show", "5", "--results", files / "half.json", "--trial", "0"))
    assert "0 1 6 done" in lines
    assert "1 0 0 stopped missing_action" in lines
    steps = lines[lines.index("Trial 0") :]
    written = steps.index(next(line for line in steps if line.startswith("wrote")))
    assert steps[written - 2].startswith("4 return_delivered_order_items(")
    assert steps[written - 1].startswith('→ {"order_id": "#W6390527"')
    assert steps[written].startswith('wrote orders #W6390527: status: "delivered" → "return requested"')
    assert lines[-2:] == ["Reward 1", "database: as it must be"]


def test_a_failed_trial_is_shown_first_with_the_parts_of_its_reward(files: Path) -> None:
    lines = lines_of(appeval("show", "5", "--results", files / "half.json"))
    assert lines[lines.index("Trial 1") :][:4] == [
        "Trial 1",
        "It has no step.",
        "Reward 0",
        "database: not as it must be",
    ]
    assert 'orders #W6390527 status: expected "return requested", found "delivered"' in lines
    assert lines[-1].startswith("missing_action: expected action 4, return_delivered_order_items(")


def test_a_trial_as_json_has_steps_writes_differences_and_faults(files: Path) -> None:
    found = json.loads(appeval("show", "5", "--results", files / "half.json", "--json").stdout)
    solved, idle = found["trials"]
    assert solved["steps"][4]["written"][0]["fields"][0] == {
        "path": "status",
        "before": "delivered",
        "after": "return requested",
    }
    assert idle["differences"][0]["record"] == "#W6390527"
    assert idle["faults"][0]["kind"] == "missing_action"
    assert found["carried_out"][4]["written"][0]["table"] == "orders"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("115",), "there is no task 115; expected 0 to 114"),
        (("13", "--results", "half.json"), "has no trial of task 13; it has trials of 13 tasks, 0 to 12"),
        (("5", "--results", "half.json", "--trial", "7"), "no trial 7 of task 5; expected one of: 0, 1"),
    ],
)
def test_what_is_not_there_is_not_shown(
    files: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(files)
    assert message in str(appeval("show", *arguments).exception)


def test_a_judge_s_opinions_stand_beside_the_score(files: Path, serve: Serve) -> None:
    good = json.dumps({"explanation": "Idle.", "author": "agent", "type": "other"})
    server = serve(completion(good), completion("no label"))
    idle = files / "idle.json"
    judge = ("--allow-missing", "--judge", "openai/scripted", "--judge-api-base", server.url)
    lines = lines_of(appeval("score", idle, *judge))
    assert "Opinion of openai/scripted on 12 failed trials; no part of the score" in lines
    assert "agent other 1" in lines
    assert "(no valid answer) 11" in lines
    assert begins(lines, "pass^1 0.143 ")  # 2 of 14, whatever anybody thinks of it


def test_a_judge_that_cannot_judge_is_refused(files: Path, tmp_path: Path) -> None:
    nameless = appeval("score", files / "half.json", "--judge-provider", "openai")
    assert "name it as --judge" in str(nameless.exception)
    airline = write(tmp_path / "airline.json", records())
    unknown = appeval("score", airline, "--judge", "openai/x", "--judge-api-base", "http://127.0.0.1:9/v1")
    assert "A judge has to know the tasks. The file does not say" in str(unknown.exception)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``idle``, on three tasks, and ``whole``, on all of airline's, do nothing; ``solved`` solves one."""
    folder = tmp_path_factory.mktemp("stored")
    add_experiment(folder / "data", "idle", "agent: noop\ntask_ids: 9-11\n")
    add_experiment(folder / "data", "whole", "agent: noop\nenv: airline\n")
    add_experiment(folder / "data", "solved", "agent: oracle\ntask_ids: 4\n")
    database = Database(folder / "appeval.duckdb")
    evaluate(folder / "data", database)
    return database.path


def test_a_stored_experiment_is_compared_with_a_file_and_its_faults_with_it(files: Path, store: Path) -> None:
    lines = lines_of(appeval("compare", "idle", files / "half.json", store=store))
    assert lines[0] == "A idle, B half.json: 3 common tasks"
    assert "9 0.00 0.50 +0.50 missing_action (1) missing_action (1)" in lines
    assert begins(lines, "missing_action 67% 33% -33%")  # task 10 takes nothing to pass


def test_a_trial_of_a_stored_experiment_is_shown(store: Path) -> None:
    lines = lines_of(appeval("show", "9", "--results", "idle", store=store))
    assert "It has no step." in lines
    assert begins(lines, "missing_action: expected action ")
    lines = lines_of(appeval("show", "4", "--results", "solved", "--json", store=store))
    (trial,) = json.loads("".join(lines))["trials"]
    assert (trial["reward"], trial["end"], trial["database_equal"], trial["outputs_found"]) == (
        1,
        "done",
        True,
        True,
    )
    assert [step["kind"] for step in trial["steps"]][-2:] == ["tool_call", "reply"]
    assert "it has trials of task 4" in str(
        appeval("show", "5", "--results", "solved", store=store).exception
    )


def test_stored_experiments_on_whole_test_splits_are_on_the_leaderboard(store: Path) -> None:
    lines = lines_of(appeval("leaderboard", store=store))
    assert begins(lines, "airline noop (whole) 50 ")
    assert not any("idle" in line for line in lines)
    assert not any(
        "noop" in line for line in lines_of(appeval("leaderboard", "--env", "retail", store=store))
    )


def test_what_is_neither_file_nor_experiment_is_told(store: Path) -> None:
    told = str(appeval("compare", "idle", "idel", store=store).exception)
    assert told == "There is no file idel, and no trial of such an experiment; stored: idle, solved, whole"
    assert "no store that could have" in str(appeval("compare", "idle", "idel").exception)
