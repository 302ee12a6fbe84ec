"""What the code location offers: a snapshot to be changed on purpose only."""

from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.build import build_definitions
from appeval_pipeline.settings import Settings
from appeval_pipeline.store.dependencies import APP_ASSETS, TAU_ASSETS
from appeval_pipeline.version import EVALUATOR_VERSION


@pytest.fixture
def definitions(tmp_path: Path) -> dg.Definitions:
    settings = {"data_dir": tmp_path, "store": tmp_path / "a.duckdb"}
    return build_definitions(Settings.model_validate(settings))


def test_the_assets(definitions: dg.Definitions) -> None:
    specs = {spec.key.to_user_string(): spec for spec in definitions.resolve_all_asset_specs()}
    assert {
        name: (
            spec.group_name,
            sorted(dep.asset_key.to_user_string() for dep in spec.deps),
            sorted(spec.kinds),
            list(spec.owners),
            spec.code_version,
            spec.partitions_def.name
            if isinstance(spec.partitions_def, dg.DynamicPartitionsDefinition)
            else None,
            spec.metadata["dagster/table_name"],
        )
        for name, spec in specs.items()
    } == {
        "app_definitions": (
            "definitions",
            [],
            ["duckdb", "python", "yaml"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "app_versions",
            "app_versions",
        ),
        "quality_scores": (
            "evaluation",
            ["app_definitions"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "app_versions",
            "quality_scores",
        ),
        "scenario_runs": (
            "evaluation",
            ["app_definitions"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "app_versions",
            "scenario_runs",
        ),
        "coverage_reports": (
            "evaluation",
            ["app_definitions", "scenario_runs"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "app_versions",
            "coverage_reports",
        ),
        "edge_case_reports": (
            "evaluation",
            ["app_definitions", "scenario_runs"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "app_versions",
            "edge_case_reports",
        ),
        "benchmark_results": (
            "benchmarks",
            ["app_definitions", "edge_case_reports", "quality_scores", "scenario_runs"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "app_versions",
            "benchmark_results",
        ),
        "regression_reports": (
            "regressions",
            ["app_definitions", "quality_scores", "scenario_runs"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "app_versions",
            "regression_reports",
        ),
        "agent_evaluations": (
            "agents",
            ["app_definitions"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "app_versions",
            "agent_evaluations",
        ),
        "tau_tasks": (
            "tau_bench",
            [],
            ["duckdb", "python", "yaml"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "tau_experiments",
            "tau_tasks",
        ),
        "tau_trials": (
            "tau_bench",
            ["tau_tasks"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "tau_experiments",
            "tau_trials",
        ),
        "tau_metrics": (
            "tau_bench",
            ["tau_tasks", "tau_trials"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "tau_experiments",
            "tau_metrics",
        ),
        "tau_leaderboard": (
            "tau_bench",
            ["tau_metrics", "tau_trials"],
            ["duckdb", "python"],
            ["team:app-evaluation"],
            EVALUATOR_VERSION,
            "tau_experiments",
            "tau_leaderboard",
        ),
    }
    for spec in specs.values():
        assert spec.description
        schema = spec.metadata["dagster/column_schema"]
        assert isinstance(schema, dg.TableSchema | dg.TableSchemaMetadataValue)


def test_every_asset_takes_many_partitions_in_one_run(definitions: dg.Definitions) -> None:
    for asset in definitions.assets or ():
        assert isinstance(asset, dg.AssetsDefinition)
        assert asset.backfill_policy == dg.BackfillPolicy.single_run()
        assert asset.op.retry_policy is not None


def test_one_writes_at_a_time_and_nobody_waits_for_agents_or_experiments(definitions: dg.Definitions) -> None:
    pools = {
        asset.key.to_user_string(): asset.op.pool
        for asset in definitions.assets or ()
        if isinstance(asset, dg.AssetsDefinition)
    }
    assert pools == {
        **dict.fromkeys((*APP_ASSETS, *TAU_ASSETS), "duckdb_write"),
        "agent_evaluations": "agents",
        "tau_trials": "tau_trials",
    }


def test_the_checks(definitions: dg.Definitions) -> None:
    graph = definitions.get_repository_def().asset_graph
    assert sorted((key.asset_key.to_user_string(), key.name) for key in graph.asset_check_keys) == [
        ("agent_evaluations", "evaluation_succeeds"),
        ("agent_evaluations", "lineage_complete"),
        ("agent_evaluations", "oracle_reaches_goals"),
        ("agent_evaluations", "results_are_fresh"),
        ("agent_evaluations", "tasks_are_sound"),
        ("app_definitions", "definition_is_valid"),
        ("app_definitions", "landed_version_is_unchanged"),
        ("app_definitions", "lineage_complete"),
        ("app_definitions", "results_are_fresh"),
        ("benchmark_results", "evaluation_succeeds"),
        ("benchmark_results", "lineage_complete"),
        ("benchmark_results", "reference_apps_are_models"),
        ("benchmark_results", "results_are_fresh"),
        ("coverage_reports", "evaluation_succeeds"),
        ("coverage_reports", "lineage_complete"),
        ("coverage_reports", "results_are_fresh"),
        ("edge_case_reports", "edge_cases_are_robust"),
        ("edge_case_reports", "evaluation_succeeds"),
        ("edge_case_reports", "lineage_complete"),
        ("edge_case_reports", "results_are_fresh"),
        ("quality_scores", "lineage_complete"),
        ("quality_scores", "quality_meets_bar"),
        ("quality_scores", "results_are_fresh"),
        ("regression_reports", "evaluation_succeeds"),
        ("regression_reports", "lineage_complete"),
        ("regression_reports", "no_breaking_regression"),
        ("regression_reports", "results_are_fresh"),
        ("scenario_runs", "all_scenarios_pass"),
        ("scenario_runs", "lineage_complete"),
        ("scenario_runs", "results_are_fresh"),
        ("tau_leaderboard", "lineage_complete"),
        ("tau_leaderboard", "results_are_fresh"),
        ("tau_metrics", "lineage_complete"),
        ("tau_metrics", "noop_solves_null_passable_only"),
        ("tau_metrics", "oracle_solves_every_task"),
        ("tau_metrics", "results_are_fresh"),
        ("tau_tasks", "lineage_complete"),
        ("tau_tasks", "results_are_fresh"),
        ("tau_tasks", "tasks_are_usable"),
        ("tau_trials", "experiment_runs"),
        ("tau_trials", "lineage_complete"),
        ("tau_trials", "no_missing_trials"),
        ("tau_trials", "results_are_fresh"),
    ]


def test_the_jobs(definitions: dg.Definitions) -> None:
    names = [job.name for job in definitions.get_repository_def().get_all_jobs()]
    assert [name for name in names if not name.startswith("__")] == [
        "evaluate_app_versions",
        "evaluate_tau_experiments",
    ]
    for name, assets in (("evaluate_app_versions", APP_ASSETS), ("evaluate_tau_experiments", TAU_ASSETS)):
        job = definitions.resolve_job_def(name)
        assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == set(assets)
        assert job.executor_def is dg.in_process_executor


def test_the_sensors(definitions: dg.Definitions) -> None:
    assert {
        sensor.name: (sensor.sensor_type.value, sensor.default_status.value, sensor.minimum_interval_seconds)
        for sensor in definitions.get_repository_def().sensor_defs
    } == {
        "new_app_versions": ("STANDARD", "RUNNING", 10),
        "new_tau_experiments": ("STANDARD", "RUNNING", 10),
        "results_changed": ("AUTOMATION", "RUNNING", 10),
        "run_failures": ("RUN_STATUS", "RUNNING", 15),
    }
    assert definitions.resolve_sensor_def("new_app_versions").job_name == "evaluate_app_versions"
    assert definitions.resolve_sensor_def("new_tau_experiments").job_name == "evaluate_tau_experiments"


def test_the_schedules(definitions: dg.Definitions) -> None:
    assert [
        (schedule.name, schedule.cron_schedule, schedule.execution_timezone, schedule.default_status.value)
        for schedule in definitions.get_repository_def().schedule_defs
    ] == [("nightly_benchmarks", "0 3 * * *", "UTC", "STOPPED")]


def test_what_rests_on_results_follows_them(definitions: dg.Definitions) -> None:
    conditions = {
        spec.key.to_user_string(): spec.automation_condition and spec.automation_condition.name
        for spec in definitions.resolve_all_asset_specs()
    }
    first = {"app_definitions": None, "tau_tasks": None}
    assert conditions == {**dict.fromkeys((*APP_ASSETS, *TAU_ASSETS), "results_changed"), **first}


def test_the_executor_follows_the_settings(tmp_path: Path) -> None:
    settings = {"data_dir": tmp_path, "store": tmp_path / "a.duckdb", "executor": "multiprocess"}
    job = build_definitions(Settings.model_validate(settings)).resolve_job_def("evaluate_app_versions")
    assert job.executor_def is dg.multiprocess_executor


def test_the_module_has_one_definitions_object() -> None:
    from appeval_pipeline import definitions

    found = [value for value in vars(definitions).values() if isinstance(value, dg.Definitions)]
    assert found == [definitions.defs]
