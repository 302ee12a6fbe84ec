"""`docs/agents.md`: its commands print what the page says, and its tables name everything there is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from appeval_pipeline.agent_plan import parse_agent_plan
from appeval_pipeline.agents import Budget
from appeval_pipeline.appdef import load_app
from appeval_pipeline.cli.main import app
from appeval_pipeline.evaluation import evaluate_agent, load_task
from appeval_pipeline.evaluation.agents import find_agent
from appeval_pipeline.evaluation.agents.candidates import MAX_CALLS, MAX_VALUES
from appeval_pipeline.store import Database, query, table_columns
from appeval_pipeline.store.writing import ASSET_TABLES
from appeval_pipeline_tests.data.shipped import DATA
from appeval_pipeline_tests.docs.page import Fenced, Table, codes, read_page

PATH = Path(__file__).parents[2] / "docs" / "agents.md"
PAGE = read_page(PATH)
CONSOLES = tuple(part.text for part in PAGE if isinstance(part, Fenced) and part.kind == "console")
(AGENTS, NUMBERS, METRICS, TABLES) = (part for part in PAGE if isinstance(part, Table))
BENCH_COUNTER = DATA / "benchmarks" / "bench_counter"
_DIFFERS = re.compile(r"[0-9a-f]{12}|run .* UTC")

NO_NUMBERS = {
    *("run_id", "asset_key", "partition_key", "data_version", "materialized_at", "app_id", "version"),
    *("file_path", "task", "agent", "model", "status", "tags", "seed", "error"),
    *("optimal_plan", "error_patterns"),
}
"""Columns of ``agent_evaluations`` that say of what the numbers are, and details."""


def known(text: str) -> list[str]:
    """The lines without what differs from run to run, and the space between columns."""
    return [" ".join(_DIFFERS.sub("#", line).split()) for line in text.strip().splitlines()]


def names(table: Table) -> list[str]:
    header = table.header[0]
    return [name for row in table.rows for name in codes(row[header])]


@pytest.mark.parametrize("text", CONSOLES, ids=("oracle", "random", "replay", "why"))
def test_the_command_prints_what_the_page_says(
    text: str, shipped_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("calls.yaml").write_text("- {action: reset}\n- {action: increment}\n- {action: increment}\n")
    command, _, printed = text.partition("\n")
    _, _, *arguments = shlex.split(command)
    environment = {
        "APPEVAL_DATA_DIR": str(DATA),
        "APPEVAL_STORE": str(shipped_store),
        "APPEVAL_TRIALS_DIR": str(tmp_path / "trials"),
        "NO_COLOR": "1",
        "COLUMNS": "120",
    }
    result = CliRunner().invoke(app, arguments, env=environment)
    assert result.exit_code == 0, result.output
    assert known(result.stdout) == known(printed)


def test_every_number_is_explained() -> None:
    numbers = names(NUMBERS)
    for last in range(2, 4):
        numbers.insert(numbers.index("pass_hat_4"), f"pass_hat_{last}")  # the page says from 1 … to 4
    columns = [column.name for column in table_columns()["agent_evaluations"]]
    assert sorted(numbers) == sorted(set(columns) - NO_NUMBERS)


def test_every_metric_is_named(shipped_store: Path) -> None:
    start = "agents.random."
    sql = f"SELECT DISTINCT metric FROM metrics WHERE starts_with(metric, '{start}')"
    stored = [str(name).removeprefix(start) for (name,) in query(Database(shipped_store), sql).rows]
    assert sorted(names(METRICS)) == sorted(stored)


def test_the_tables_are_the_asset_s() -> None:
    assert names(TABLES) == list(ASSET_TABLES["agent_evaluations"])


def test_the_task_is_the_one_that_ships() -> None:
    (shown,) = (part.text for part in PAGE if isinstance(part, Fenced) and part.kind == "yaml")
    assert shown == (BENCH_COUNTER / "tasks" / "start_over.yaml").read_text()


def test_the_limits_of_the_search_are_as_the_page_says() -> None:
    text = " ".join(PATH.read_text().split())
    budget = Budget()
    assert f"at most {MAX_VALUES} values a parameter and {MAX_CALLS:,} calls a state" in text
    assert (
        f"ends after {budget.max_states:,} states, plans of {budget.max_depth} actions, or "
        f"{budget.max_time_s:.0f} s"
    ) in text


def test_the_agents_are_tried_as_often_as_the_page_says() -> None:
    plain = {codes(row["name"])[0]: int(row["trials"]) for row in AGENTS.rows}
    plan = parse_agent_plan(", ".join(plain))
    assert {agent.name: agent.trials for agent in plan.agents} == plain
    assert [name for name in plain if ":" not in name] == ["oracle", "noop", "random"]


def test_an_agent_of_one_s_own_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = (part.text for part in PAGE if isinstance(part, Fenced) and part.kind == "python")
    (tmp_path / "my_agents_of_the_page.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    agent = find_agent("my_agents_of_the_page:Careful")
    task = load_task(BENCH_COUNTER / "tasks" / "count_to_ten.yaml")
    evaluation = evaluate_agent(load_app(BENCH_COUNTER / "v1.yaml"), task, agent.choice)
    assert (evaluation.infra_errors, evaluation.actions_attempted) == (0, task.max_steps)
