"""What is exported is what the evaluations said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.evaluation import (
    analyze_coverage,
    edge_cases,
    load_scenario,
    run_scenario,
    score_quality,
)
from appeval_pipeline.settings import default_data_dir
from appeval_pipeline.store import Database
from appeval_pipeline.store.export import Format, export
from appeval_pipeline_tests.store.evaluating import evaluate

Rows = list[dict[str, Any]]

RENAMED = {"name": "step_name", "index": "step_index"}
DIFFERENT = {"duration_ms", "version"}
"""Measured anew; only the catalogue knows the version of a definition that does not say it."""


def in_export(rows: Rows, reported: list[dict[str, Any]], *, without: frozenset[str] = frozenset()) -> None:
    """Row by row, what was reported is in the columns of the same names."""
    assert len(rows) == len(reported) > 0
    for row, report in zip(rows, reported, strict=True):
        for name in report.keys() - DIFFERENT - without:
            assert row[RENAMED.get(name, name)] == report[name], name


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One shipped app version with a scenario that reaches some of it."""
    source, folder = (
        default_data_dir() / "apps" / "paypal",
        tmp_path_factory.mktemp("data") / "apps" / "paypal",
    )
    (folder / "scenarios").mkdir(parents=True)
    shutil.copy(source / "v1.yaml", folder)
    shutil.copy(source / "scenarios" / "payment_transfer.yaml", folder / "scenarios")
    return folder.parent.parent


@pytest.fixture(scope="module")
def tables(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    out = tmp_path_factory.mktemp("out")
    database = Database(out / "appeval.duckdb")
    evaluate(data, database)
    export(database, out, [Format.json])
    found: dict[str, Rows] = json.loads((out / "appeval.json").read_bytes())["tables"]
    return found


def test_v21_07_03_the_exported_values_are_those_of_the_evaluations(
    data: Path, tables: dict[str, Rows]
) -> None:
    app = load_app(tables["app_versions"][0]["definition"])
    scenario = load_scenario(data / "apps" / "paypal" / "scenarios" / "payment_transfer.yaml")
    ran = run_scenario(app, scenario)

    quality = score_quality(app).to_dict()
    left_out = frozenset({"dimension_scores", "details", "suggestions"})
    in_export(tables["quality_scores"], [quality], without=left_out)
    in_export(tables["quality_suggestions"], quality["suggestions"])
    dimensions = tables["quality_dimensions"]
    assert {row["dimension"]: row["score"] for row in dimensions} == quality["dimension_scores"]
    assert {row["dimension"]: row["details"] for row in dimensions} == quality["details"]

    result = ran.to_dict()
    in_export(tables["scenario_runs"], [result], without=frozenset({"steps", "failures"}))
    in_export(tables["scenario_steps"], result["steps"])

    coverage = analyze_coverage(app, [ran]).to_dict()
    gaps = [coverage.pop(f"uncovered_{kind}") for kind in ("actions", "blocks", "branches")]
    in_export(tables["coverage_reports"], [coverage])
    in_export(tables["coverage_gaps"], [gap for kind in gaps for gap in kind])

    edges = edge_cases(app, [ran]).to_dict()
    in_export(tables["edge_case_reports"], [edges], without=frozenset({"cases"}))
    in_export(tables["edge_case_results"], edges["cases"])

    (benchmark,) = tables["benchmark_results"]
    assert benchmark["quality_score"] == quality["overall_score"]
    assert benchmark["dimension_scores"] == quality["dimension_scores"]
    assert benchmark["sample_count"] >= 1000
    assert sum(benchmark["histogram"]["counts"]) == benchmark["sample_count"]
