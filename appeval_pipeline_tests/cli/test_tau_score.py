"""``appeval tau score`` and ``leaderboard`` as a user runs them, in one process."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from appeval_pipeline_tests.taubench.airline_outcomes import PUBLISHED, STANDARD_ERRORS, records, write

from .conftest import Appeval

DATA = str(Path(__file__).parents[2] / "data")


def test_published_trajectories_give_the_published_numbers(appeval: Appeval, tmp_path: Path) -> None:
    result = appeval(
        "tau", "score", str(write(tmp_path / "gpt-4o-airline.json", records())), "--env", "airline"
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("gpt-4o-airline.json: 50 tasks, 200 trials\n")
    for k in (1, 2, 3, 4):
        [line] = [line for line in result.stdout.splitlines() if line.startswith(f"pass^{k} ")]
        _, value, error, interval = line.split()
        assert (float(value), float(error)) == (PUBLISHED[k], STANDARD_ERRORS[k])
        low, high = map(float, interval.split("–"))
        assert low < PUBLISHED[k] < high
    assert "ICC 0.40" in result.stdout
    assert "power 0.8: 0.207" in result.stdout
    assert "agent not known, user $2.0000 ($0.0100 a trial)" in result.stdout
    assert "calls its tasks outdated" in result.stdout


def test_json_has_all_of_it_and_nothing_else_is_printed(appeval: Appeval, tmp_path: Path) -> None:
    result = appeval("tau", "score", str(write(tmp_path / "airline.json", records())), "--json")
    assert (result.returncode, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert found["is_complete"] is True
    assert found["scored_only"]["pass_hat_k"]["4"]["value"] == pytest.approx(0.2)
    assert found["scored_only"]["success_within_turns"]["1"]["value"] == pytest.approx(0.42)


def test_missing_trials_are_named_and_scored_only_on_demand(appeval: Appeval, tmp_path: Path) -> None:
    path = write(tmp_path / "missing.json", records()[:-1])
    refused = appeval("tau", "score", str(path))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "task 49 lacks trial 3; --allow-missing scores what there is" in refused.stderr
    scored = appeval("tau", "score", str(path), "--allow-missing")
    assert scored.returncode == 0
    assert re.search(r"^pass\^3 +0\.220 ", scored.stdout, re.MULTILINE)
    assert re.search(r"^pass\^4 +- +- +-$", scored.stdout, re.MULTILINE)
    assert "pass^4 is undefined: a task has 3 scored trials" in scored.stdout
    assert "no row for a leaderboard" in scored.stdout


def test_a_domain_that_is_named_must_be_there_whole(appeval: Appeval, tmp_path: Path) -> None:
    result = appeval("tau", "score", str(write(tmp_path / "airline.json", records())), "--env", "retail")
    assert result.returncode == 2
    assert "tasks 50 to 114 lack the trials 0, 1, 2, 3" in result.stderr


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("cut", "The file ends within this item"),
        ("twice", "task 0, trial 0 is also at [0]"),
        ("unknown", "there is no task 115; the tasks are 0 to 114"),
    ],
)
def test_damaged_files_end_in_one_paragraph_and_exit_code_2(
    appeval: Appeval, tmp_path: Path, damage: str, message: str
) -> None:
    made = records()
    if damage == "twice":
        made.append(made[0])
    elif damage == "unknown":
        made[0]["task_id"] = 115
    path = write(tmp_path / "damaged.json", made)
    if damage == "cut":
        path.write_text(path.read_text()[:-100])
    result = appeval("tau", "score", str(path))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: Results file")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_trials_that_broke_down_are_counted_both_ways(appeval: Appeval, tmp_path: Path) -> None:
    made = records()
    made[0] |= {"reward": 0.0, "info": {"error": "[red]Timeout[/]\x1b[2J", "traceback": "..."}, "traj": []}
    result = appeval("tau", "score", str(write(tmp_path / "errors.json", made)))
    assert result.returncode == 0
    assert "50 tasks, 200 trials, 199 of them scored" in result.stdout
    assert "counted as failures" in result.stdout
    assert "broke down 1×: [red]Timeout[/][2J" in result.stdout


def test_a_split_that_a_domain_has_not_is_refused(appeval: Appeval, tmp_path: Path) -> None:
    path = write(tmp_path / "airline.json", records())
    result = appeval("tau", "score", str(path), "--env", "airline", "--task-split", "dev")
    assert (result.returncode, result.stdout) == (2, "")
    assert "airline has no split 'dev'; expected test" in result.stderr


@pytest.mark.parametrize("option", ["--output", "--csv"])
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_done(
    appeval: Appeval, option: str
) -> None:
    result = appeval("tau", "score", "no-results.json", option, "nowhere/made")
    assert result.returncode == 2
    assert f"{option}: nowhere/made cannot be written" in result.stderr


def test_the_leaderboard_has_what_the_published_one_leaves_out(appeval: Appeval) -> None:
    result = appeval("tau", "leaderboard", "--env", "retail", APPEVAL_DATA_DIR=DATA)
    assert (result.returncode, result.stderr) == (0, "")
    assert re.search(
        r"^retail +TC gpt-4o +115 +0\.604 +0\.491 +0\.430 +0\.383 +0\.0366 +0\.53 +0\.145$",
        result.stdout,
        re.MULTILINE,
    )
    assert "airline" not in result.stdout
    rows = json.loads(appeval("tau", "leaderboard", "--json", APPEVAL_DATA_DIR=DATA).stdout)
    assert len(rows) == 9
    assert rows[1]["standard_error"] == pytest.approx(0.036645, abs=1e-6)
