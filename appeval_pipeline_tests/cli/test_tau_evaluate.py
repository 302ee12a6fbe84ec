"""``appeval tau evaluate``: an experiment that asks a model on loopback, from its first trial to export."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from appeval_pipeline.cli.main import app
from appeval_pipeline.taubench import load_suite
from appeval_pipeline_tests.agents.scripted_server import Answer, error
from appeval_pipeline_tests.store.experimenting import add_experiment
from appeval_pipeline_tests.taubench.playing_server import PlayingServer, Question

KEY = "sk-very-secret-0123456789abcdef"


@dataclass
class Place:
    """A folder with experiments, and a service whose models play, but for task 6 as long as it is ill."""

    folder: Path
    server: PlayingServer
    printed: list[str] = field(default_factory=list)

    def run(self, *arguments: str) -> Result:
        environment = {
            "APPEVAL_DATA_DIR": str(self.folder / "data"),
            "APPEVAL_STORE": str(self.folder / "home" / "appeval.duckdb"),
            "APPEVAL_DAGSTER_HOME": str(self.folder / "home" / "dagster"),
            "APPEVAL_TRIALS_DIR": str(self.folder / "home" / "trials"),
            "OPENAI_API_KEY": KEY,
            "NO_COLOR": "1",
        }
        result = CliRunner().invoke(app, arguments, env=environment)
        self.printed += [result.stdout, result.stderr]
        return result


class Health:
    """Whether the service answers questions on task 6; its refusal tells the key that it was asked with."""

    is_ill = True

    def refuse(self, question: Question, attempt: int) -> Answer | None:
        ill = self.is_ill and question.task == 6
        return error(401, f"Incorrect API key provided: {KEY}") if ill else None


@pytest.fixture(scope="module")
def health() -> Health:
    return Health()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, health: Health) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("evaluate")
    data = folder / "data"
    add_experiment(data, "free", "agent: noop\ntask_ids: 9-12\n")
    with PlayingServer(load_suite(), failing=health.refuse).running() as server:
        assert isinstance(server, PlayingServer)
        add_experiment(
            data,
            "played",
            "agent: tool-calling\nmodel: openai/played\nuser: llm\nuser_model: openai/played\n"
            f"api_base: {server.url}\nuser_api_base: {server.url}\nnum_trials: 2\ntask_ids: 5-6\n",
        )
        yield Place(folder, server)


def test_run_leaves_what_asks_a_model_and_says_so(place: Place) -> None:
    result = place.run("run", "--json")
    assert result.exit_code == 0, result.stderr
    experiments = json.loads(result.stdout)["experiments"]
    assert [one["name"] for one in experiments["experiments"]] == ["free"]
    assert experiments["left"] == ["played"]
    assert place.server.questions == []


def test_what_broke_down_is_told_with_exit_code_3_and_tried_again_alone(place: Place, health: Health) -> None:
    first = place.run("tau", "evaluate")
    assert first.exit_code == 3, first.stderr
    (line,) = (line for line in first.stdout.splitlines() if line.startswith("played"))
    assert line.split()[:4] == ["played", "tool-calling", "openai/played", "4/4"]
    assert "2 of 4 trials broke down, and have no reward" in first.stderr
    health.is_ill = False
    asked = len(place.server.questions)
    second = place.run("tau", "evaluate", "--json")
    assert second.exit_code == 0, second.stderr
    assert {question.task for question in place.server.questions[asked:]} == {6}
    states = {one["name"]: one for one in json.loads(second.stdout)["experiments"]}
    assert states["free"]["this_run"] == "fresh"
    assert states["played"]["reasons"][0] == "tau_trials: some trials are missing or broke down"
    assert states["played"]["overview"]["pass_hat_k"] == [1.0, 1.0, None, None]


def test_tau_run_repeats_no_trial_that_the_pipeline_has_done(place: Place) -> None:
    asked = len(place.server.questions)
    url = place.server.url
    result = place.run(
        *("tau", "run", "--agent", "tool-calling", "--model", "openai/played", "--api-base", url),
        *("--user", "llm", "--user-model", "openai/played", "--user-api-base", url),
        *("--num-trials", "2", "--task-ids", "5-6"),
    )
    assert result.exit_code == 0, result.stderr
    assert "4 trials had finished before" in result.stderr
    assert len(place.server.questions) == asked


def test_where_a_number_comes_from_is_told_of_an_experiment(place: Place) -> None:
    told = place.run("why", "played", "tau.pass_hat_1").stdout
    assert told.startswith("tau.pass_hat_1 of played = 1 ratio")
    assert "file tau/experiments/played.yaml" in told
    assert "tau.seed" in told
    unknown = place.run("why", "played", "nothing").exception
    assert "it has tau.agent_completion_tokens, " in str(unknown)
    unknown = place.run("why", "nobody", "tau.pass_hat_1").exception
    assert "stored experiments: free, played" in str(unknown)
    refused = place.run("why", "played", "tau.pass_hat_1", "--against", "free")
    assert refused.exit_code == 2
    assert "appeval tau compare" in " ".join(refused.stderr.replace("│", " ").split())


def test_an_unknown_experiment_is_refused_with_those_that_there_are(place: Place) -> None:
    result = place.run("tau", "evaluate", "nobody")
    assert str(result.exception) == "There is no experiment 'nobody'; the data directory has free, played"


def test_the_key_is_nowhere(place: Place) -> None:
    assert set(place.server.keys) == {KEY}  # it was used
    out = place.folder / "out"
    assert place.run("export", "--output", str(out)).exit_code == 0
    files = [path for path in place.folder.rglob("*") if path.is_file()]
    assert {".duckdb", ".jsonl", ".db", ".csv", ".html"} <= {path.suffix for path in files}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert [text for text in place.printed if KEY in text] == []
