"""``appeval tau run`` as a user runs it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from appeval_pipeline.cli.main import app
from appeval_pipeline.cli.tau_progress import Tally
from appeval_pipeline.taubench import TauSuite, load_suite
from appeval_pipeline.taubench.results import Spending, TauResult
from appeval_pipeline_tests.agents.scripted_server import Answer, ScriptedServer, completion, error
from appeval_pipeline_tests.taubench.playing_server import PlayingServer, Question

from .conftest import Appeval, StartAppeval

KEY = "very-secret-0123456789"

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def retail() -> TauSuite:
    return load_suite()


@pytest.fixture
def run(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    environment = {"APPEVAL_DATA_DIR": str(data), "NO_COLOR": "1", "COLUMNS": "160"}

    def invoke(*arguments: str, **extra: str) -> Result:
        return CliRunner().invoke(app, ["tau", "run", *arguments], env={**environment, **extra})

    return invoke


@pytest.fixture
def served(retail: TauSuite) -> Iterator[PlayingServer]:
    with PlayingServer(retail).running() as server:
        assert isinstance(server, PlayingServer)
        yield server


def at(server: ScriptedServer, agent: str = "tool-calling", user: str = "llm") -> tuple[str, ...]:
    """The options for a model that plays both sides."""
    agent_options = ("--agent", agent, "--model", "played", "--api-base", server.url)
    return (*agent_options, "--user", user, "--user-model", "played", "--user-api-base", server.url)


def journal_of(folder: Path) -> list[str]:
    (path,) = (folder / ".appeval" / "trials" / "tau").iterdir()
    return path.read_text().splitlines()


def test_the_oracle_passes_every_task_without_key_and_network(appeval: Appeval, run: Run) -> None:
    command = ("--agent", "oracle", "--user", "scripted", "--num-trials", "4")
    result = appeval("tau", "run", *command, "--output", "results.json", "--json")
    assert result.returncode == 0, result.stderr
    score = json.loads(result.stdout)["scored_only"]
    assert (score["task_count"], score["trial_count"]) == (115, 460)
    assert [score["pass_hat_k"][k]["value"] for k in "1234"] == [1, 1, 1, 1]
    again = CliRunner().invoke(app, ["tau", "score", "results.json", "--env", "retail", "--json"])
    assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout)["scored_only"] == score
    cached = run(*command)
    assert "460 trials had finished before" in cached.stderr


def test_noop_passes_just_the_tasks_that_are_flagged_so(run: Run) -> None:
    result = run("--agent", "noop")
    assert result.exit_code == 0, result.stderr
    flagged = next(line for line in result.stdout.splitlines() if "null_passable" in line)
    assert flagged.startswith("without 7 null_passable")
    assert "pass^1 0.000" in flagged
    assert ["pass^1", "0.061"] in [line.split()[:2] for line in result.stdout.splitlines()]  # 7 of 115
    assert "pass^2 is undefined: a task has 1 scored trial\n" in result.stdout
    assert "and 88 more; --tasks shows all" in result.stdout  # of 108 that failed
    told = run("--agent", "noop", "--tasks").stdout.splitlines()
    assert set(map(str, range(115))) <= {line.split()[0] for line in told if line}


def test_what_would_run_is_told_and_not_run(run: Run, tmp_path: Path) -> None:
    result = run("--task-ids", "0-9", "--num-trials", "3", "--dry-run")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "oracle with user scripted on 10 tasks of retail, split test" in result.stderr
    assert "30 trials would run, for about $0.00: no model is asked" in result.stderr
    assert not (tmp_path / ".appeval").exists()
    run("--task-ids", "0-3")
    later = run("--task-ids", "0-9", "--dry-run")
    assert "6 trials would run" in later.stderr
    assert "10 trials would run" in run("--task-ids", "0-9", "--dry-run", "--clear-cache").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--agent", "chess"), "expected oracle, noop, tool-calling, schema, react, act"),
        (("--agent", "tool-calling"), "asks a model: say which"),
        (("--model", "openai/gpt-4o"), "The agent oracle asks no model"),
        (("--user", "chess"), "There is no user 'chess'; expected scripted"),
        (("--user", "llm"), "is played by a model: say which, as in --user-model"),
        (("--task-ids", "200"), "there is no task 200; expected 0 to 114"),
        (("--task-ids", "3-1"), "is no id and no range"),
        (("--env", "airline", "--task-split", "dev"), "dev"),
        (("--max-cost-usd", "0"), "--max-cost-usd: Input should be greater than 0"),
        (("--output", "nowhere/results.json"), "--output: nowhere/results.json cannot be written"),
        (
            ("--agent", "act", "--model", "m", "--api-base", f"http://me:{KEY}@host/v1"),
            "--api-base: The address has a user, a password or a query in it",
        ),
    ],
)
def test_what_cannot_be_run_is_an_error(run: Run, arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.stdout == ""
    assert message in str(result.exception)  # which the command's entry point shows, and exits with 2
    assert KEY not in str(result.exception) + result.stderr


@pytest.mark.parametrize("user", ["llm", "verify"])
def test_models_play_both_sides(run: Run, served: PlayingServer, user: str) -> None:
    result = run(*at(served, user=user), "--task-ids", "0-3", "--json")
    assert result.exit_code == 0, result.stderr
    score = json.loads(result.stdout)
    assert score["scored_only"]["pass_hat_k"]["1"]["value"] == 1
    assert (score["agent"], score["user"]) == ("tool-calling:played", f"{user}:played")


def test_text_agents_act_too(run: Run, tmp_path: Path) -> None:
    action = '{"name": "respond", "arguments": {"content": "No."}}'
    with ScriptedServer([completion(f"Thought: no.\nAction: {action}")]).running() as server:
        options = ("--agent", "react", "--model", "m", "--api-base", server.url, "--task-ids", "10")
        assert run(*options).exit_code == 0
        assert run(*options, "--no-use-reasoning").exit_code == 0
    prompts = [request["messages"][0]["content"] for request in server.requests]
    assert ["Thought:" in prompt for prompt in prompts] == [True, False]
    assert ['"think"' in prompt for prompt in prompts] == [True, False]


def test_a_budget_ends_a_run_that_goes_on_with_a_higher_one(run: Run) -> None:
    with ScriptedServer([completion("Bye.", usage=(1_000_000, 0), model="gpt-4o-mini")]).running() as server:
        options = ("--agent", "act", "--model", "gpt-4o-mini", "--api-base", server.url)
        command = (*options, "--max-invalid-actions", "0", "--max-concurrency", "1", "--task-ids", "0-5")
        poor = run(*command, "--max-cost-usd", "0.3")  # at 15 cents a million tokens
        assert poor.exit_code == 3
        assert "4 trials were not begun: those before cost $0.3 or more" in poor.stderr
        plan = run(*command, "--dry-run")
        assert "4 trials would run, for about $0.60: by the mean of the trials" in plan.stderr
        assert run(*command, "--max-cost-usd", "50").exit_code == 0
    assert len(server.requests) == 6


def test_a_budget_that_limits_nothing_is_told(run: Run, served: PlayingServer) -> None:
    result = run(*at(served), "--task-ids", "0", "--max-cost-usd", "1")
    assert result.exit_code == 0
    for side in ("agent", "user"):
        assert f"The price of the {side}'s model is not known" in result.stderr


def test_the_tally_counts_what_passed_broke_down_and_cost() -> None:
    tally = Tally()
    tally.add(TauResult(0, 0, 0.0))
    assert str(tally) == "0 passed"
    tally.add(TauResult(1, 0, 1.0, agent=Spending(0.25), user=Spending(0.5)))
    tally.add(TauResult(2, 0, None, error="cut", agent=Spending(None), user=Spending(0.5)))
    assert str(tally) == "1 passed, 1 broke down, $1.25"


def test_no_key_is_in_any_output(run: Run, retail: TauSuite, tmp_path: Path) -> None:
    refused = error(401, f"Incorrect API key provided: {KEY}. Authorization: Bearer {KEY}")

    def failing(question: Question, attempt: int) -> Answer | None:
        return refused if question.task == 1 or (question.side, question.task) == ("user", 2) else None

    with PlayingServer(retail, failing=failing).running() as server:
        result = run(*at(server), "--task-ids", "0-2", "--output", "results.json", OPENAI_API_KEY=KEY)
    assert set(server.keys) == {KEY}
    assert result.exit_code == 3
    assert "broke down" in result.stdout
    written = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert "Incorrect API key provided" in written
    assert KEY not in written + result.stdout + result.stderr


@pytest.mark.slow
def test_a_killed_run_goes_on_and_comes_to_the_same(
    run: Run, start_appeval: StartAppeval, retail: TauSuite, tmp_path: Path
) -> None:
    class Holding(PlayingServer):
        """Leaves requests without an answer after the thirty-fifth, until it is released."""

        released = False

        def _next(self, body: dict[str, Any], key: str) -> Answer:
            answer = super()._next(body, key)
            return Answer(hangs=True) if len(self.questions) > 35 and not self.released else answer

    arguments = ("--task-ids", "0-5", "--num-trials", "2", "--max-concurrency", "3")
    with Holding(retail, gives_up=True).running() as server:
        assert isinstance(server, Holding)
        process = start_appeval("tau", "run", *at(server), *arguments)
        while len(server.questions) < 38:
            assert process.poll() is None, process.communicate()
            time.sleep(0.05)
        process.kill()
        process.wait()
        finished = {
            (int(trial["task"]), trial["trajectory"]["seed"])
            for trial in map(json.loads, journal_of(tmp_path)[1:])
        }
        before = len(server.questions)
        server.released = True
        resumed = run(*at(server), *arguments, "--output", "resumed.json")
        assert resumed.exit_code == 0, resumed.stderr
        asked_again = {one.task for one in server.questions[before:]}
        undisturbed = run(
            *at(server), *arguments, "--output", "whole.json", APPEVAL_TRIALS_DIR=str(tmp_path / "other")
        )
        assert undisturbed.exit_code == 0, undisturbed.stderr
    assert 0 < len(finished) < 12
    assert f"{len(finished)} trials had finished before" in resumed.stderr
    both_finished = {task for task, _ in finished if sum(one == task for one, _ in finished) == 2}
    assert not asked_again & both_finished
    assert (tmp_path / "resumed.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
