"""The configuration as an input: recorded for what it concerns, and stale with another hash."""

import hashlib
from pathlib import Path

import pytest

from appeval_pipeline.store import Store
from appeval_pipeline.store.dependencies import APP_ASSETS, TAU_ASSETS
from appeval_pipeline.store.freshness import make_plan
from appeval_pipeline.store.inputs import config_inputs, configurations
from appeval_pipeline.store.results import read_state
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.evaluating import evaluate, needs_of


@pytest.fixture
def evaluated(tmp_path: Path, database: Store) -> Path:
    catalogues.add_version(tmp_path / "data")
    evaluate(tmp_path / "data", database)
    return tmp_path / "data"


def test_a_configuration_s_version_is_the_hash_of_its_values() -> None:
    (weights,) = (found for found in configurations() if found.name == "quality.weights")
    text = (
        '{"completeness":0.25,"consistency":0.1,"documentation":0.2,'
        '"error_handling":0.15,"state_safety":0.1,"validation":0.2}'
    )
    assert weights.version == hashlib.sha256(text.encode()).hexdigest()


def test_each_asset_rests_on_the_configuration_that_can_move_its_results() -> None:
    assert {asset: [found.key for found in config_inputs(asset)] for asset in (*APP_ASSETS, *TAU_ASSETS)} == {
        "app_definitions": ["engine.limits"],
        "quality_scores": ["engine.limits", "quality.weights"],
        "scenario_runs": ["engine.limits"],
        "coverage_reports": ["coverage.limits", "engine.limits"],
        "edge_case_reports": ["edge_cases.budgets", "engine.limits"],
        "benchmark_results": ["edge_cases.budgets", "engine.limits", "quality.weights", "timing.plan"],
        "regression_reports": ["engine.limits", "quality.weights", "timing.comparison"],
        "agent_evaluations": ["agents.plan", "agents.limits", "agents.search", "engine.limits"],
        "tau_tasks": [],
        "tau_trials": [],
        "tau_metrics": ["tau.statistics"],
        "tau_leaderboard": ["tau.published"],
    }


def test_another_configuration_makes_the_results_stale_that_rest_on_it(
    evaluated: Path, database: Store
) -> None:
    database.write(
        lambda connection: connection.execute(
            "UPDATE lineage SET input_version = 'other' WHERE input_key = 'timing.plan'"
        )
    )
    (need,) = make_plan(evaluated, read_state(database)).needs
    assert need.assets == ("benchmark_results",)
    assert need.reasons == ("benchmark_results: its configuration changed: timing.plan",)
    evaluate(evaluated, database)
    assert needs_of(evaluated, database) == {}


def test_results_from_before_configuration_was_recorded_are_stale(evaluated: Path, database: Store) -> None:
    database.write(lambda connection: connection.execute("DELETE FROM lineage WHERE input_kind = 'config'"))
    assert needs_of(evaluated, database) == {"counter@1": APP_ASSETS}
