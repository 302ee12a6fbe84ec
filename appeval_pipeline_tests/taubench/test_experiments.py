"""Experiment files: what is read of good ones and said of bad ones; what an experiment is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.agents.models import ModelSettings
from appeval_pipeline.errors import ExperimentError, SettingsError, TauBenchError
from appeval_pipeline.taubench.experiments import ExperimentSettings, load_experiment, prepare


def write(directory: Path, text: str) -> Path:
    path = directory / "experiment.yaml"
    path.write_text(text)
    return path


def test_what_a_file_leaves_out_is_as_of_the_command_line(tmp_path: Path) -> None:
    assert load_experiment(write(tmp_path, "{}")) == ExperimentSettings()
    settings = load_experiment(write(tmp_path, "agent: noop\nnum_trials: 4\ntask_ids: 7\nmax_cost_usd: 2\n"))
    assert settings == ExperimentSettings(agent="noop", num_trials=4, task_ids="7", max_cost_usd=2.0)


def test_everything_that_is_wrong_with_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    text = """\
agent: oracle
num_trials: 0
temprature: 1
max_cost_usd: 0
env: telecom
api_base: http://me:hunter2hunter2@host/v1
user_api_base: http://host/v1?key=hunter2hunter2
"""
    with pytest.raises(ExperimentError) as caught:
        load_experiment(write(tmp_path, text))
    found = {fault.location: (fault.line, fault.message) for fault in caught.value.faults}
    assert {place: line for place, (line, _) in found.items()} == {
        "num_trials": 2,
        "temprature": 3,
        "max_cost_usd": 4,
        "env": 5,
        "api_base": 6,
        "user_api_base": 7,
    }
    assert "did you mean 'temperature'?" in found["temprature"][1]
    assert "accepted: 'retail', 'airline'" in found["env"][1]
    assert "keys come from the environment only" in found["api_base"][1]
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("text", ["- oracle\n", "agent: [", "agent: 1\nagent: 2\n"])
def test_what_is_no_experiment_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ExperimentError, match=r"Experiment .*experiment\.yaml is invalid"):
        load_experiment(write(tmp_path, text))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="File cannot be read"):
        load_experiment(tmp_path / "nothing.yaml")


def test_an_experiment_is_prepared_without_asking_anybody() -> None:
    prepared = prepare(
        ExperimentSettings(
            agent="tool-calling",
            model="anything",
            api_base="http://127.0.0.1:9/v1",
            task_ids="3-4",
            num_trials=2,
            max_cost_usd=1.0,
        )
    )
    assert [task.id for task in prepared.tasks] == [3, 4]
    assert (prepared.agent.name, prepared.user.name) == ("tool-calling:anything", "scripted")
    assert prepared.experiment.max_cost_usd == 1.0


BASE = ExperimentSettings(agent="tool-calling", model="m", api_base="http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    "other",
    [
        {"model": "n"},
        {"provider": "openai"},
        {"api_base": "http://127.0.0.1:8/v1"},
        {"temperature": 0.5},
        {"use_reasoning": False},
        {"agent": "schema"},
        {"env": "airline"},
        {"task_split": "dev"},
        {"max_steps": 29},
        {"max_invalid_actions": 1},
        {"max_time_s": 599.0},
        {"seed": 1},
        {"reference_env": True},
    ],
    ids=lambda other: next(iter(other)),
)
def test_whatever_decides_a_trial_makes_another_journal(other: dict[str, Any]) -> None:
    changed = prepare(BASE.model_copy(update=other))
    assert changed.configuration() != prepare(BASE).configuration()


@pytest.mark.parametrize(
    "other",
    [{"num_trials": 4}, {"task_ids": "0-9"}, {"max_concurrency": 1}, {"max_cost_usd": 5.0}],
    ids=lambda other: next(iter(other)),
)
def test_what_decides_no_trial_leaves_the_journal_the_same(other: dict[str, Any]) -> None:
    assert prepare(BASE.model_copy(update=other)).configuration() == prepare(BASE).configuration()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"agent": "oracle", "model": "gpt-4o"}, "The agent oracle asks no model"),
        ({"agent": "noop", "use_reasoning": False}, "The agent noop asks no model"),
        ({"agent": "tool-calling"}, "asks a model: say which"),
        ({"agent": "tool-calling", "api_base": "http://127.0.0.1:9/v1"}, "and no model; name one as model"),
        ({"user_provider": "openai"}, "and no model; name one as user_model"),
        ({"user_model": "gpt-4o"}, "The user scripted asks no model"),
        ({"agent": "chess"}, "There is no agent 'chess'"),
        (
            {"agent": "llm:openai/gpt-4o"},
            "There is no agent 'llm:openai/gpt-4o' for tau-bench; expected oracle",
        ),
        ({"agent": "no_such_module:Agent"}, "The agent 'no_such_module:Agent' cannot be loaded"),
        ({"user": "chess"}, "There is no user 'chess'"),
    ],
)
def test_what_does_not_go_together_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        prepare(ExperimentSettings(**settings))


def test_a_split_that_a_domain_lacks_is_refused() -> None:
    with pytest.raises(TauBenchError, match="airline has no split 'dev'"):
        prepare(ExperimentSettings(env="airline", task_split="dev"))


@pytest.mark.parametrize(
    ("address", "fault"),
    [
        ("http://me@host/v1", "has a user, a password or a query in it"),
        ("https://host/v1?api-key=hunter2", "has a user, a password or a query in it"),
        ("https://host/v1#hunter2", "has a user, a password or a query in it"),
        ("localhost:8080", "is none; expected such as http://127.0.0.1:8080/v1"),
        ("http://[::1/v1", "is none; expected such as"),
    ],
)
def test_an_address_that_may_hold_a_key_is_refused_wherever_it_is_given(address: str, fault: str) -> None:
    with pytest.raises(SettingsError, match=f"the address {fault}") as caught:
        ModelSettings("gpt-4o", api_base=address)
    assert "hunter2" not in str(caught.value)
    assert ModelSettings("gpt-4o", api_base="http://127.0.0.1:8080/v1").api_base


def test_the_model_on_this_machine_is_the_same_at_whatever_address_it_answers() -> None:
    settings = ExperimentSettings(agent="schema", model="local", user="llm", user_model="local", task_ids="0")
    one, other = (prepare(settings, f"http://127.0.0.1:{port}/v1") for port in (1, 2))
    assert one.agent.model is not None
    assert (one.agent.model.model, one.agent.model.api_base) == ("openai/local", "http://127.0.0.1:1/v1")
    assert one.configuration() == other.configuration()
    with pytest.raises(SettingsError, match="`appeval model serve`"):
        prepare(settings)
