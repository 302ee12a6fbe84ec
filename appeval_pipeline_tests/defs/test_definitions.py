"""What the code location offers: a snapshot to be changed on purpose only."""

from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs.build import build_definitions
from appeval_pipeline.settings import Settings
from appeval_pipeline.store.dependencies import APP_ASSETS
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
    }
    for spec in specs.values():
        assert spec.description
        schema = spec.metadata["dagster/column_schema"]
        assert isinstance(schema, dg.TableSchema | dg.TableSchemaMetadataValue)


def test_every_asset_takes_many_partitions_in_one_run_and_one_writer_at_a_time(
    definitions: dg.Definitions,
) -> None:
    for asset in definitions.assets or ():
        assert isinstance(asset, dg.AssetsDefinition)
        assert asset.backfill_policy == dg.BackfillPolicy.single_run()
        assert asset.op.pool == "duckdb_write"
        assert asset.op.retry_policy is not None


def test_the_checks(definitions: dg.Definitions) -> None:
    graph = definitions.get_repository_def().asset_graph
    assert sorted((key.asset_key.to_user_string(), key.name) for key in graph.asset_check_keys) == [
        ("app_definitions", "definition_is_valid"),
        ("app_definitions", "landed_version_is_unchanged"),
        ("app_definitions", "lineage_complete"),
        ("benchmark_results", "evaluation_succeeds"),
        ("benchmark_results", "lineage_complete"),
        ("benchmark_results", "reference_apps_are_models"),
        ("coverage_reports", "evaluation_succeeds"),
        ("coverage_reports", "lineage_complete"),
        ("edge_case_reports", "edge_cases_are_robust"),
        ("edge_case_reports", "evaluation_succeeds"),
        ("edge_case_reports", "lineage_complete"),
        ("quality_scores", "lineage_complete"),
        ("quality_scores", "quality_meets_bar"),
        ("regression_reports", "evaluation_succeeds"),
        ("regression_reports", "lineage_complete"),
        ("regression_reports", "no_breaking_regression"),
        ("scenario_runs", "all_scenarios_pass"),
        ("scenario_runs", "lineage_complete"),
    ]


def test_the_job_and_the_sensor(definitions: dg.Definitions) -> None:
    job = definitions.resolve_job_def("evaluate_app_versions")
    assert {key.to_user_string() for key in job.asset_layer.executable_asset_keys} == set(APP_ASSETS)
    assert job.executor_def is dg.in_process_executor
    sensor = definitions.resolve_sensor_def("new_app_versions")
    assert sensor.default_status is dg.DefaultSensorStatus.RUNNING
    assert sensor.job_name == "evaluate_app_versions"


def test_the_executor_follows_the_settings(tmp_path: Path) -> None:
    settings = {"data_dir": tmp_path, "store": tmp_path / "a.duckdb", "executor": "multiprocess"}
    job = build_definitions(Settings.model_validate(settings)).resolve_job_def("evaluate_app_versions")
    assert job.executor_def is dg.multiprocess_executor


def test_the_module_has_one_definitions_object() -> None:
    from appeval_pipeline import definitions

    found = [value for value in vars(definitions).values() if isinstance(value, dg.Definitions)]
    assert found == [definitions.defs]
