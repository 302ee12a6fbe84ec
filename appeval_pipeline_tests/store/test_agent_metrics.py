"""The numbers of agents under one name each, and what they rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from appeval_pipeline.agent_plan import DEFAULT_PLAN, parse_agent_plan
from appeval_pipeline.store import Store, explain_difference, explain_metric, query
from appeval_pipeline.store.chains import broken_chains
from appeval_pipeline.version import EVALUATOR_VERSION
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.agent_samples import evaluated, store_agents
from appeval_pipeline_tests.store.evaluating import evaluate

FILE = "apps/paypal/tasks/pay.yaml"


def metrics(database: Store, agent: str) -> dict[str, tuple[object, object]]:
    rows = query(database, "SELECT metric, value, unit FROM metrics WHERE metric LIKE 'agents.%'").rows
    mine = f"agents.{agent}."
    return {
        str(metric).removeprefix(mine): (value, unit)
        for metric, value, unit in rows
        if str(metric).startswith(mine)
    }


def test_an_agent_s_numbers_are_over_all_its_tasks(database: Store) -> None:
    store_agents(
        database,
        # Three of four trials reach the goal: pass^2 = C(3, 2) / C(4, 2) = 3 / 6, pass^3 = 1 / 4.
        evaluated(
            "pay",
            "llm:made/up",
            model="made/up",
            trial_count=5,
            infra_errors=1,
            goals_reached=3,
            goal_rate=0.75,
            pass_hat_1=0.75,
            pass_hat_2=0.5,
            pass_hat_3=0.25,
            pass_hat_4=0.0,
            actions_attempted=10,
            actions_succeeded=8,
            success_rate=0.8,
            efficiency_ratio=0.6,
            appropriate_action_choice=0.7,
            validation_errors=1,
            logic_errors=1,
            repeated_errors=1,
            prompt_tokens=900,
            completion_tokens=100,
            cost_usd=0.5,
        ),
        # Nobody can reach this goal: it is no mark against the agent's efficiency.
        evaluated(
            "rob",
            "llm:made/up",
            model="made/up",
            trial_count=1,
            goals_reached=0,
            goal_rate=0.0,
            pass_hat_1=0.0,
            actions_attempted=2,
            actions_succeeded=1,
            success_rate=0.5,
            optimal_actions=None,
            efficiency_ratio=0.0,
            appropriate_action_choice=0.0,
            validation_errors=0,
            logic_errors=1,
            repeated_errors=0,
            prompt_tokens=90,
            completion_tokens=10,
            cost_usd=0.25,
        ),
    )
    assert metrics(database, "llm:made/up") == {
        "success_rate": (0.75, "ratio"),  # 9 of 12
        "goal_rate": (0.375, "ratio"),
        "reachable_goal_rate": (0.75, "ratio"),
        "pass_hat_1": (0.375, "ratio"),
        # pass^2 and on are not defined: the other task has no two trials.
        "efficiency_ratio": (0.6, "ratio"),
        "appropriate_action_choice": (0.35, "ratio"),
        "validation_errors": (1, "count"),
        "logic_errors": (2, "count"),
        "repeated_errors": (1, "count"),
        "infra_errors": (1, "count"),
        "trials": (6, "count"),
        "tasks": (2, "count"),
        "tokens": (1100, "count"),
        "cost_usd": (0.75, "USD"),
    }


def test_who_attempts_nothing_has_no_success_rate(database: Store) -> None:
    nothing = {"actions_attempted": 0, "actions_succeeded": 0, "success_rate": None}
    store_agents(database, evaluated("pay", "noop", goals_reached=0, goal_rate=0.0, **nothing))
    found = metrics(database, "noop")
    assert "success_rate" not in found
    assert found["goal_rate"] == (0.0, "ratio")


def test_one_unknown_price_makes_the_cost_unknown(database: Store) -> None:
    store_agents(database, evaluated("pay", "llm:a", cost_usd=0.5), evaluated("rob", "llm:a", cost_usd=None))
    assert "cost_usd" not in metrics(database, "llm:a")


def test_what_could_not_be_tried_has_no_numbers(database: Store) -> None:
    nothing = dict.fromkeys(
        ("trial_count", "infra_errors", "goals_reached", "goal_rate", "optimal_actions", "optimal_is_exact")
    )
    store_agents(
        database,
        evaluated("pay", "llm:a", status="error", error="no key", **nothing),
        evaluated("pay", "oracle", actions_attempted=2, actions_succeeded=2),
    )
    assert metrics(database, "llm:a") == {}
    assert metrics(database, "oracle")["success_rate"] == (1.0, "ratio")


@pytest.fixture
def oracle(database: Store) -> Store:
    row = evaluated("pay", "oracle", actions_attempted=2, actions_succeeded=2)
    store_agents(database, row)
    return database


def test_a_number_of_an_agent_comes_down_to_files_code_and_plan(oracle: Store) -> None:
    rows = query(
        oracle,
        "SELECT input_kind, input_key, input_version, depth FROM metric_lineage"
        " WHERE metric = 'agents.oracle.success_rate' AND input_key NOT IN"
        " ('appeval-pipeline', 'engine.limits', 'agents.limits', 'agents.search') ORDER BY ALL",
    ).rows
    definition = query(oracle, "SELECT data_version FROM app_versions").rows[0][0]
    assert rows == (
        ("asset", "app_definitions", definition, 1),
        ("code", "evaluator", EVALUATOR_VERSION, 1),
        ("code", "evaluator", EVALUATOR_VERSION, 2),
        ("config", "agents.plan", DEFAULT_PLAN.version, 1),
        ("file", "apps/paypal/tasks/pay.yaml", "sha-of-task", 1),
        ("file", "apps/paypal/v1.yaml", "sha-of-file", 2),
    )
    assert broken_chains(oracle) == ()


def test_a_number_without_its_plan_is_a_broken_chain(oracle: Store) -> None:
    oracle.write(lambda connection: connection.execute("DELETE FROM lineage WHERE input_key = 'agents.plan'"))
    (broken,) = broken_chains(oracle)
    assert (broken.asset_key, broken.partition_key) == ("agent_evaluations", "paypal@1")
    assert "agents.plan" in broken.reason


def test_why_tells_of_the_task(oracle: Store) -> None:
    node = explain_metric(oracle, "paypal", 1, "agents.oracle.success_rate")
    assert (node.version, node.run_id) == ("1 ratio", "run-1")
    (made,) = node.inputs
    assert (made.key, made.partition_key) == ("agent_evaluations", "paypal@1")
    assert (FILE, "sha-of-task") in [(leaf.key, leaf.version) for leaf in made.inputs if leaf.kind == "file"]


def test_why_two_versions_differ_names_the_task_that_only_one_has(tmp_path: Path, database: Store) -> None:
    catalogues.add_version(tmp_path / "data", version=1, name="Counter")
    catalogues.add_version(tmp_path / "data", version=2, name="Counter")
    catalogues.add_task(tmp_path / "data")
    extra = 'applies_to: ">=2"\n'
    catalogues.add_task(tmp_path / "data", file="later.yaml", name="Later", extra=extra)
    evaluate(tmp_path / "data", database, agents=parse_agent_plan("noop"))
    found = explain_difference(database, "counter", 2, "agents.noop.tasks", 1)
    assert (found.old.value, found.new.value, found.difference) == (1, 2, 1)
    assert [(change.kind, change.name, change.what) for change in found.changed] == [
        ("task", "apps/counter/tasks/later.yaml", "added")
    ]
    same = [name.split(" ", 1)[-1] for name in found.same]
    assert {"apps/counter/tasks/three.yaml", "agents.plan", "agents.search", "evaluator"} <= set(same)
