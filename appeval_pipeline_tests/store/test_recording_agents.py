"""What agents did becomes rows; whatever cannot be tried has a row that says why."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from appeval_pipeline.agent_plan import parse_agent_plan
from appeval_pipeline.agents import ReplayAgent, ToolCall
from appeval_pipeline.evaluation.agents import NamedAgent, find_agent
from appeval_pipeline.store import Database, write_batch
from appeval_pipeline.store.freshness import find_entry, storable_catalogue
from appeval_pipeline.store.landing import land
from appeval_pipeline.store.recording import Trying, record_agents
from appeval_pipeline.store.results import StoredVersion, read_versions
from appeval_pipeline.store.rows import AgentEvaluationRow, AgentStepRow, AgentTrialRow, PartitionResult
from appeval_pipeline.store.task_files import read_tasks
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store import samples

Z2 = 1.959964**2
"""Of a 95% interval. Wilson's is 0 to z²/(n + z²) for none of n, and n/(n + z²) to 1 for all of n."""


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    catalogues.add_version(tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def stored(data_dir: Path, duckdb_file: Database) -> StoredVersion:
    return landed(data_dir, duckdb_file, 1)


def landed(data_dir: Path, database: Database, version: int) -> StoredVersion:
    """A version whose definition is stored, and nothing else."""
    key = f"counter@{version}"
    entry = find_entry(storable_catalogue(data_dir), key)
    write_batch(database, samples.batch("app_definitions", land("counter", version, entry, None, data_dir)))
    return read_versions(database)[key]


def recorded(data_dir: Path, stored: StoredVersion, trying: Trying) -> PartitionResult:
    return record_agents(stored, read_tasks(data_dir, [stored])[stored.partition_key], trying)


def trying(data_dir: Path, agents: str) -> Trying:
    return Trying(parse_agent_plan(agents), data_dir.parent / "trials")


def evaluations(result: PartitionResult) -> dict[tuple[str, str], AgentEvaluationRow]:
    """The main rows by agent and task."""
    return {(row.agent, row.task): row for row in result.rows if isinstance(row, AgentEvaluationRow)}


def trials(result: PartitionResult) -> list[AgentTrialRow]:
    return [row for row in result.rows if isinstance(row, AgentTrialRow)]


def steps(result: PartitionResult) -> list[AgentStepRow]:
    return [row for row in result.rows if isinstance(row, AgentStepRow)]


def test_the_oracle_takes_the_shortest_way(data_dir: Path, stored: StoredVersion) -> None:
    catalogues.add_task(data_dir, extra="optimal_steps: 2\ntags: [smoke]\n")
    result = recorded(data_dir, stored, trying(data_dir, "oracle"))
    row = evaluations(result)["oracle", "Three"]
    assert (row.file_path, row.status, row.error) == ("apps/counter/tasks/three.yaml", "evaluated", None)
    assert (row.model, row.seed, row.tags, row.declared_optimal) == (None, 0, '["smoke"]', 2)
    assert (row.trial_count, row.infra_errors, row.goals_reached, row.goal_rate) == (1, 0, 1, 1.0)
    assert (row.goal_rate_low, row.goal_rate_high) == (pytest.approx(1 / (1 + Z2)), 1.0)
    assert (row.pass_hat_1, row.pass_hat_2, row.pass_hat_3, row.pass_hat_4) == (1.0, None, None, None)
    assert (row.actions_attempted, row.actions_succeeded, row.success_rate) == (2, 2, 1.0)
    assert (row.actions_to_goal, row.optimal_actions, row.optimal_is_exact) == (2.0, 2, True)
    plan = [call["arguments"] for call in json.loads(row.optimal_plan)]
    assert plan == [{"amount": 1}, {"amount": 2}]
    assert (row.efficiency_ratio, row.appropriate_action_choice, row.used_all_actions) == (1.0, 1.0, True)
    assert (row.validation_errors, row.logic_errors, row.repeated_errors) == (0, 0, 0)
    assert (row.prompt_tokens, row.completion_tokens, row.cost_usd) == (0, 0, 0.0)


def test_trials_and_steps_have_rows_of_their_own(data_dir: Path, stored: StoredVersion) -> None:
    catalogues.add_task(data_dir)
    result = recorded(data_dir, stored, trying(data_dir, "oracle"))
    (trial,) = trials(result)
    assert (trial.agent, trial.trial, trial.seed, trial.end_reason) == ("oracle", 0, 0, "done")
    assert (trial.goal_reached, trial.reward, trial.step_count, trial.actions_to_goal) == (True, 1.0, 2, 2)
    first, second = steps(result)
    assert (first.step_index, first.kind, first.action, first.params) == (
        0,
        "tool_call",
        "increase",
        '{"amount":1}',
    )
    assert (first.success, first.error, first.error_kind) == (True, None, None)
    assert json.loads(first.observation) == {"success": True, "data": {"count": 1}}
    assert json.loads(second.state_diff) == {"shared.count": {"before": 1, "after": 3}}


def test_who_does_nothing_gets_nothing(data_dir: Path, stored: StoredVersion) -> None:
    catalogues.add_task(data_dir)
    result = recorded(data_dir, stored, trying(data_dir, "noop"))
    row = evaluations(result)["noop", "Three"]
    assert (row.goals_reached, row.goal_rate, row.goal_rate_low) == (0, 0.0, 0.0)
    assert row.goal_rate_high == pytest.approx(Z2 / (1 + Z2))
    assert (row.actions_attempted, row.success_rate, row.actions_to_goal) == (0, None, None)
    assert (row.efficiency_ratio, row.appropriate_action_choice) == (0.0, None)
    (step,) = steps(result)
    assert (step.kind, step.action, step.params, step.success) == ("stop", None, "null", None)


def test_random_trials_have_seeds_in_a_row_and_one_interval(data_dir: Path, stored: StoredVersion) -> None:
    # Any amount is at least one: the first call of each trial reaches the goal.
    catalogues.add_task(data_dir, name="Some", goal="shared.count >= 1")
    # Whole amounts never come to a half: all four calls of each trial succeed, for nothing.
    catalogues.add_task(data_dir, file="z.yaml", name="Half", goal="shared.count == 0.5")
    result = recorded(data_dir, stored, trying(data_dir, "random*3"))
    assert [trial.seed for trial in trials(result)] == [0, 1, 2] * 2
    some, half = evaluations(result)["random", "Some"], evaluations(result)["random", "Half"]
    assert (some.trial_count, some.goals_reached, some.actions_attempted) == (3, 3, 3)
    assert (some.goal_rate_low, some.goal_rate_high) == (pytest.approx(3 / (3 + Z2)), 1.0)
    assert (some.pass_hat_1, some.pass_hat_3, some.pass_hat_4) == (1.0, 1.0, None)
    assert (some.efficiency_ratio, some.appropriate_action_choice) == (1.0, 1.0)
    assert (half.goals_reached, half.actions_attempted, half.actions_succeeded) == (0, 12, 12)
    assert (half.pass_hat_1, half.pass_hat_2, half.goal_rate_low) == (0.0, 0.0, 0.0)
    assert half.goal_rate_high == pytest.approx(Z2 / (3 + Z2))
    assert {trial.end_reason for trial in trials(result) if trial.task == "Half"} == {"max_steps"}


def test_errors_are_counted_by_kind_and_repetition(data_dir: Path, stored: StoredVersion) -> None:
    catalogues.add_task(data_dir)
    calls = [
        ToolCall("increase", {"amount": 0}),  # refused: less than 1
        ToolCall("increase", {"amount": 0}),  # and again
        ToolCall("decrease", {}),  # no such action
        ToolCall("increase", {"amount": 1}),  # one nearer to the goal
    ]
    asked = Trying(parse_agent_plan("my:Agent*1"), data_dir.parent / "trials", replaying(calls))
    result = recorded(data_dir, stored, asked)
    row = evaluations(result)["my:Agent", "Three"]
    assert (row.actions_attempted, row.actions_succeeded, row.success_rate) == (4, 1, 0.25)
    assert (row.validation_errors, row.logic_errors, row.repeated_errors) == (2, 1, 1)
    assert (row.goal_rate, row.efficiency_ratio, row.appropriate_action_choice) == (0.0, 0.0, 0.25)
    patterns = [(found["action"], found["after"], found["count"]) for found in json.loads(row.error_patterns)]
    assert sorted(patterns, key=str) == [
        ("decrease", "increase", 1),
        ("increase", "increase", 1),
        ("increase", None, 1),
    ]
    assert [step.error_kind for step in steps(result)] == ["parameters", "parameters", "unknown_action", None]


def replaying(calls: Sequence[ToolCall]) -> Callable[[str], NamedAgent]:
    def find(name: str) -> NamedAgent:
        return NamedAgent(name, lambda: ReplayAgent(calls), identity={"agent": name})

    return find


def test_agents_are_told_apart_by_what_they_are_planned_as(data_dir: Path, stored: StoredVersion) -> None:
    catalogues.add_task(data_dir)
    asked = Trying(parse_agent_plan("my:First*1, my:Second*1"), data_dir.parent / "trials", replaying([]))
    result = recorded(data_dir, stored, asked)
    names = ["my:First", "my:Second"]  # though each calls itself replay
    assert [agent for agent, _ in evaluations(result)] == names
    assert [row.agent for row in trials(result)] == [row.agent for row in steps(result)] == names


def test_a_bad_task_file_says_so_for_every_agent_and_costs_the_others_nothing(
    data_dir: Path, stored: StoredVersion
) -> None:
    catalogues.add_task(data_dir)
    catalogues.write(data_dir / "apps/counter/tasks/broken.yaml", "name: Broken\n")
    result = recorded(data_dir, stored, trying(data_dir, "oracle, noop"))
    rows = evaluations(result)
    assert {key: row.status for key, row in rows.items()} == {
        ("oracle", "broken.yaml"): "invalid",
        ("noop", "broken.yaml"): "invalid",
        ("oracle", "Three"): "evaluated",
        ("noop", "Three"): "evaluated",
    }
    assert "apps/counter/tasks/broken.yaml is invalid" in (rows["oracle", "broken.yaml"].error or "")
    assert rows["oracle", "broken.yaml"].goal_rate is rows["oracle", "broken.yaml"].trial_count is None
    assert {row.task for row in trials(result)} == {"Three"}
    files = [source.key for source in result.inputs if source.kind == "file"]
    assert files == ["apps/counter/tasks/broken.yaml", "apps/counter/tasks/three.yaml"]


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("llm:openai/gpt-4o", "takes a key, and there is none in the environment: set OPENAI_API_KEY"),
        ("no_such_module:Agent", "The agent 'no_such_module:Agent' cannot be loaded"),
        ("chess", "There is no agent 'chess'"),
    ],
)
def test_an_agent_that_cannot_be_asked_says_why_and_costs_the_others_nothing(
    data_dir: Path, stored: StoredVersion, agent: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    catalogues.add_task(data_dir)
    rows = evaluations(recorded(data_dir, stored, trying(data_dir, f"{agent}, oracle")))
    lost, oracle = rows[agent, "Three"], rows["oracle", "Three"]
    assert (lost.status, lost.goal_rate, lost.optimal_plan) == ("error", None, "null")
    assert why in (lost.error or "")
    assert (oracle.status, oracle.goal_rate) == ("evaluated", 1.0)


def test_a_state_that_cannot_be_used_is_an_error_of_its_task(data_dir: Path, stored: StoredVersion) -> None:
    catalogues.add_task(data_dir)
    huge = f"initial_state: {{shared: {{note: {'x' * 1_000_001}}}}}\n"
    catalogues.add_task(data_dir, file="bad.yaml", name="Bad", extra=huge)
    rows = evaluations(recorded(data_dir, stored, trying(data_dir, "oracle, noop")))
    assert {key: row.status for key, row in rows.items()} == {
        ("oracle", "Bad"): "error",
        ("noop", "Bad"): "error",
        ("oracle", "Three"): "evaluated",
        ("noop", "Three"): "evaluated",
    }
    assert "bytes as JSON; at most" in (rows["oracle", "Bad"].error or "")


def test_without_a_valid_definition_nobody_tries(data_dir: Path, duckdb_file: Database) -> None:
    catalogues.add_version(data_dir, version=2, template=catalogues.INVALID_DEFINITION)
    catalogues.add_task(data_dir)
    second = landed(data_dir, duckdb_file, 2)
    rows = evaluations(recorded(data_dir, second, trying(data_dir, "oracle, noop")))
    assert {(row.agent, row.status, row.error) for row in rows.values()} == {
        (agent, "not_evaluated", "The version has no valid definition") for agent in ("oracle", "noop")
    }


def test_equal_trials_have_equal_data_versions(data_dir: Path, stored: StoredVersion) -> None:
    catalogues.add_task(data_dir)
    first, second = (recorded(data_dir, stored, trying(data_dir, "oracle, noop, random*4")) for _ in range(2))
    assert [trial.elapsed_s for trial in trials(first)] != [trial.elapsed_s for trial in trials(second)]
    assert first.data_version == second.data_version


FLAKY_AGENT = """\
from pathlib import Path

from appeval_pipeline.agents import NoopAgent


class Flaky(NoopAgent):
    async def start(self, briefing, seed):
        with Path({log!r}).open("a") as log:
            log.write(f"{{seed}} ")
        if seed == 1 and not Path({mended!r}).exists():
            raise ConnectionError("the wire is cut")
"""


def test_a_trial_that_breaks_down_is_left_out_and_the_only_one_done_again(
    data_dir: Path, stored: StoredVersion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, mended = tmp_path / "log", tmp_path / "mended"
    code = FLAKY_AGENT.format(log=str(log), mended=str(mended))
    catalogues.write(tmp_path / "agents" / "flaky_agent_of_the_pipeline.py", code)
    monkeypatch.syspath_prepend(str(tmp_path / "agents"))
    catalogues.add_task(data_dir)
    name = "flaky_agent_of_the_pipeline:Flaky"
    first = trying(data_dir, f"{name}*3")
    result = recorded(data_dir, stored, first)
    first.discard_finished()
    row = evaluations(result)[name, "Three"]
    assert (row.status, row.trial_count, row.infra_errors, row.goals_reached) == ("evaluated", 3, 1, 0)
    assert row.goal_rate_high == pytest.approx(Z2 / (2 + Z2))  # of two
    broken = trials(result)[1]
    assert (broken.end_reason, broken.goal_reached, broken.reward) == ("infra_error", None, None)
    assert broken.error == "ConnectionError: the wire is cut"
    assert len(list(first.trials_dir.iterdir())) == 1

    mended.touch()
    second = trying(data_dir, f"{name}*3")
    again = evaluations(recorded(data_dir, stored, second))[name, "Three"]
    assert again.infra_errors == 0
    assert log.read_text().split() == ["0", "1", "2", "1"]
    assert len(list(second.trials_dir.iterdir())) == 1  # until it is stored
    second.discard_finished()
    assert list(second.trials_dir.iterdir()) == []


def test_plain_agents_leave_no_journal(data_dir: Path, stored: StoredVersion) -> None:
    catalogues.add_task(data_dir)
    asked = trying(data_dir, "oracle, noop, random*1")
    recorded(data_dir, stored, asked)
    assert not asked.trials_dir.exists()
    assert all(not find_agent(agent.name).is_costly for agent in asked.plan.agents)
