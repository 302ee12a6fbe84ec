"""Results files: what is read of good ones, and what is said of damaged ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.errors import ResultsError
from appeval_pipeline.taubench import results as results_module
from appeval_pipeline.taubench.results import (
    MissingTrials,
    Spending,
    TauResult,
    missing_trials,
    read_results,
    refuse_missing,
    write_results,
)
from appeval_pipeline_tests.taubench.airline_outcomes import records, write


def record(task_id: int = 0, trial: int = 0, **values: Any) -> dict[str, Any]:
    return {"task_id": task_id, "reward": 1.0, "info": {}, "traj": [], "trial": trial, **values}


def faults(path: Path, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(ResultsError) as caught:
        read_results(path, **options)
    return [(fault.location, fault.message) for fault in caught.value.faults]


def test_a_file_of_tau_bench_s_own_is_read_in_the_order_of_tasks_and_trials(tmp_path: Path) -> None:
    found = read_results(write(tmp_path / "airline.json", records()), range(50))
    assert [(one.task_id, one.trial) for one in found] == [(task, n) for task in range(50) for n in range(4)]
    first = found[5]  # trial 1 of task 1, which succeeded
    assert (first.reward, first.succeeded, first.error, first.turns) == (1.0, True, None, 1)
    assert (first.user, first.agent) == (Spending(cost_usd=0.01), Spending())
    assert first.info["source"] == "user"
    assert [message["role"] for message in first.trajectory] == ["system", "user", "assistant", "user"]


def test_what_is_written_is_read_again_and_has_tau_bench_s_form(tmp_path: Path) -> None:
    made = [
        TauResult(1, 0, None, error="Timeout", info={"source": "user"}),
        TauResult(0, 0, 1.0, agent=Spending(0.5, 100, 20), user=Spending(None, 7, 3)),
    ]
    write_results(tmp_path / "ours.json", made)
    plain = json.loads((tmp_path / "ours.json").read_text())
    assert plain[1] == {
        "task_id": 1,
        "reward": 0.0,
        "info": {"source": "user", "error": "Timeout"},
        "traj": [],
        "trial": 0,
    }
    found = read_results(tmp_path / "ours.json")
    assert [(one.task_id, one.reward, one.error, one.agent, one.user) for one in found] == [
        (0, 1.0, None, Spending(0.5, 100, 20), Spending(None, 7, 3)),
        (1, None, "Timeout", Spending(), Spending()),
    ]
    write_results(tmp_path / "again.json", found)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "ours.json").read_bytes()
    assert {file.name for file in tmp_path.iterdir()} == {"ours.json", "again.json"}


def test_a_crash_that_tau_bench_scores_as_0_has_no_reward(tmp_path: Path) -> None:
    crashed = record(reward=0.0, info={"error": "", "traceback": "Traceback ..."})
    [found] = read_results(write(tmp_path / "crash.json", [crashed]))
    assert (found.reward, found.error, found.succeeded) == (None, "", False)


@pytest.mark.parametrize(
    ("reward", "succeeded"), [(1, True), (1.0000005, True), (0.9999995, True), (0.99, False), (0, False)]
)
def test_success_is_a_reward_of_1_within_a_millionth(tmp_path: Path, reward: float, succeeded: bool) -> None:
    [found] = read_results(write(tmp_path / "one.json", [record(reward=reward)]))
    assert found.succeeded is succeeded
    assert found.reward is not None
    assert found.reward <= 1


def test_a_result_has_a_reward_or_an_error() -> None:
    for reward, error in ((None, None), (1.0, "Timeout")):
        with pytest.raises(ValueError, match="a reward, or an error"):
            TauResult(0, 0, reward, error=error)


def test_every_value_that_cannot_be_is_told_with_its_place_and_trial(tmp_path: Path) -> None:
    damaged = [
        record(3, 1, reward="1.0"),
        record(4, 2, reward=1.5),
        record(5, reward=True),
        record(6, reward=None),
        record(-1),
        record(7, trial="0"),
        record(8, info={"user_cost": "free"}),
        record(9, traj={}),
        {"task_id": 9, "trial": 1},
        "result",
    ]
    assert faults(write(tmp_path / "damaged.json", damaged)) == [
        ("[0].reward", "task 3, trial 1: Input should be a valid number"),
        ("[1].reward", "task 4, trial 2: expected a number from 0 to 1, got 1.5"),
        ("[2].reward", "task 5, trial 0: Input should be a valid number"),
        ("[3]", "task 6, trial 0: the reward is null, and info.error does not say why"),
        ("[4].task_id", "task -1, trial 0: Input should be greater than or equal to 0"),
        ("[5].trial", "task 7: Input should be a valid integer"),
        ("[6].info.user_cost", "task 8, trial 0: Input should be a valid number"),
        ("[7].traj", "task 9, trial 0: Input should be a valid list"),
        ("[8].reward", "task 9, trial 1: Field required"),
        ("[9]", "expected an object"),
    ]


def test_a_trial_that_is_there_twice_is_told_with_both_places(tmp_path: Path) -> None:
    twice = write(tmp_path / "twice.json", [record(0), record(1), record(0)])
    assert faults(twice) == [("[2]", "task 0, trial 0 is also at [0]; each trial counts once")]


def test_tasks_beyond_the_split_are_told(tmp_path: Path) -> None:
    beyond = write(tmp_path / "beyond.json", [record(114), record(115)])
    assert faults(beyond, task_ids=range(115)) == [
        ("[1].task_id", "there is no task 115; the tasks are 0 to 114")
    ]
    assert faults(beyond, task_ids={3, 114})[0][1] == "there is no task 115; the tasks are 3, 114"


def test_faults_beyond_twenty_are_counted(tmp_path: Path) -> None:
    found = faults(write(tmp_path / "many.json", [record(task, reward=2) for task in range(25)]))
    assert len(found) == 21
    assert found[-1] == ("", "and 5 more")


def test_a_list_of_something_else_is_not_read_to_its_end(tmp_path: Path) -> None:
    found = faults(write(tmp_path / "numbers.json", list(range(5_000))))
    assert found[0] == ("[0]", "expected an object")
    assert found[-1] == ("", "and at least 980 more")


def test_a_file_that_was_cut_off_is_told_with_the_place_and_what_is_whole(tmp_path: Path) -> None:
    whole = json.dumps([record(0), record(1)], indent=2)
    path = tmp_path / "cut.json"
    path.write_text(whole[: whole.index('"task_id": 1') + 5])
    with pytest.raises(ResultsError) as caught:
        read_results(path)
    assert str(caught.value) == (
        f"Results file {path} is invalid, 1 fault:\n"
        "  [1] (line 10): The file ends within this item: it was cut off, or is still being written; "
        "whole items before it: 1"
    )
    path.write_text(whole[: whole.rindex("]")])
    assert faults(path) == [("", "The file ends after 2 items, without the closing bracket: it was cut off")]


def test_wherever_a_file_is_cut_off_it_is_refused_as_such(tmp_path: Path) -> None:
    values = {"ok": True, "no": False, "none": None, "cost": -1.5e-7, "text": "a\\b\u00e9\U0001f600"}
    whole = json.dumps([record(0, info=values), record(1)], indent=1)
    path = tmp_path / "cut.json"
    for cut in range(1, len(whole)):
        path.write_text(whole[:cut])
        ((_, message),) = faults(path)
        assert "cut off" in message, whole[:cut]


@pytest.mark.parametrize(
    ("escaped", "read"),
    [
        (r"a\ud83d\ude00b", "a\U0001f600b"),
        (r"a\ud83db", "a\ufffdb"),
        (r"\udE00\uD83D", "\ufffd\ufffd"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\\ud83d", r"\ud83d"),
        (r"\\\ud83d\n", "\\\ufffd\n"),
    ],
)
def test_half_of_a_surrogate_pair_becomes_a_character_that_can_be_printed(
    tmp_path: Path, escaped: str, read: str
) -> None:
    path = tmp_path / "results.json"
    path.write_text(f'[{{"task_id": 0, "trial": 0, "reward": 0, "traj": [{{"content": "{escaped}"}}]}}]')
    (result,) = read_results(path)
    assert result.trajectory == ({"content": read},)


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        ("", "", "It is empty; expected a JSON list of results"),
        (" \n", "", "It is empty; expected a JSON list of results"),
        ("[]", "", "It has no result: an empty list"),
        ('{"task_id": 0}', "", "Expected a JSON list: [...]"),
        ("[{}, oops]", "[1]", "Not valid JSON: Expecting value (column 6)"),
        ("[1 2]", "[1]", "Not valid JSON: expected a comma or a closing bracket"),
        ("[{},\n]", "[1]", "Not valid JSON: a comma before the closing bracket"),
        ("[1] 2", "", "Something follows the list"),
        ('[{"reward": NaN}]', "[0]", "NaN is no JSON number"),
        ('[{}, {"info": {"x": [-1e999]}}]', "[1]", "-1e999 is larger than any number can be"),
        ("[" * 100_000, "[0]", "Nested too deeply"),
        (f"[{'1' * 5_000}]", "[0]", "A number is too long"),
    ],
)
def test_what_is_no_list_of_json_is_told_with_the_place(
    tmp_path: Path, text: str, location: str, message: str
) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(text)
    assert (location, message) in faults(path)


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    assert faults(tmp_path / "none.json") == [("", "It cannot be read: No such file or directory")]
    assert faults(tmp_path) == [("", "It cannot be read: Is a directory")]
    (tmp_path / "latin.json").write_bytes(b'["\xe9"]')
    assert faults(tmp_path / "latin.json") == [("", "It is not UTF-8 (byte 2)")]


def test_a_file_beyond_the_limit_is_refused_without_being_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(results_module.MAX_BYTES + 1)  # a sparse file: it takes no room
    assert faults(path) == [("", "It is larger than 200,000,000 bytes")]


def test_missing_trials_are_those_that_other_tasks_have() -> None:
    done = [TauResult(task, trial, 1.0) for task in (0, 1) for trial in range(3)]
    assert missing_trials(done) == ()
    assert missing_trials(done[:-1]) == (MissingTrials(1, (2,)),)
    assert missing_trials(done[:-1], range(3)) == (MissingTrials(1, (2,)), MissingTrials(2, (0, 1, 2)))
    assert str(MissingTrials(2, (0, 1, 2))) == "task 2 lacks the trials 0, 1, 2"


def test_a_file_with_missing_trials_is_refused_in_few_lines() -> None:
    refuse_missing((), Path("a.json"), "go on")
    missing = [MissingTrials(1, (2,)), *(MissingTrials(task, (0, 1)) for task in range(5, 9))]
    with pytest.raises(ResultsError) as caught:
        refuse_missing(missing, Path("a.json"), "--allow-missing")
    assert [fault.message for fault in caught.value.faults] == [
        "task 1 lacks trial 2; --allow-missing",
        "tasks 5 to 8 lack the trials 0, 1; --allow-missing",
    ]
