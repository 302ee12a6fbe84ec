from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.agents import Step
from appeval_pipeline.evaluation import (
    AgentEvaluation,
    BenchmarkResult,
    CoverageReport,
    EdgeCase,
    EdgeCaseReport,
    QualityReport,
    RegressionReport,
    ScenarioResult,
    StepFailure,
    StepResult,
    Suggestion,
)
from appeval_pipeline.evaluation.agents import TrialResult
from appeval_pipeline.evaluation.coverage.report import Gap
from appeval_pipeline.evaluation.statistics import Estimate
from appeval_pipeline.store import Database, table_columns
from appeval_pipeline.store.export import Format, export
from appeval_pipeline.store.rows import BenchmarkResultRow
from appeval_pipeline.taubench import TaskFlags, TauTask
from appeval_pipeline.taubench.faults import TauFault
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION
from appeval_pipeline_tests.store.export import results
from appeval_pipeline_tests.store.export.filling import fill

Document = dict[str, Any]


@pytest.fixture(scope="module")
def document(filled: Database, tmp_path_factory: pytest.TempPathFactory) -> Document:
    """The document, which tests only read."""
    out = tmp_path_factory.mktemp("document")
    export(filled, out, [Format.json])
    found: Document = json.loads((out / "appeval.json").read_bytes())
    return found


def test_v21_07_01_the_json_export_is_one_valid_document_with_a_format_version(document: Document) -> None:
    assert document["format_version"] == 1
    assert document["package_version"] == PACKAGE_VERSION
    assert document["evaluator_version"] == EVALUATOR_VERSION
    (wallet_1, wallet_2) = [row for row in document["tables"]["quality_scores"] if row["app_id"] == "wallet"]
    assert (wallet_1["overall_score"], wallet_2["overall_score"]) == (72.5, 85.0)
    assert wallet_1["materialized_at"] == "2026-01-02T12:00:00Z"


def test_the_document_has_every_table_with_results_and_all_their_rows(
    document: Document, filled: Database
) -> None:
    views = {"asset_lineage", "latest_quality", "metric_lineage", "metrics"}
    assert set(document["tables"]) == set(table_columns()) - views - {"run_failures", "schema_migrations"}
    with filled.reader() as stored:
        for table, rows in (*document["tables"].items(), ("metrics", document["metrics"])):
            assert stored.execute(f"SELECT count(*) FROM {table}").fetchone() == (len(rows),), table
            assert rows, table
            assert all(list(row) == list(document["columns"][table]) for row in rows)


def test_json_columns_are_json_and_texts_are_as_they_were(document: Document) -> None:
    tables = document["tables"]
    (failure,) = tables["scenario_failures"]
    assert failure["expected"] == {"data.total": 5}
    assert failure["actual"] == {"data.total": None}
    assert failure["error"] == results.CONTROL
    assert [change["new"] for change in tables["regression_changes"]] == [[], -1.5]
    assert tables["quality_suggestions"][0]["message"] == results.FORMULA
    assert [row["definition"] for row in tables["app_versions"]] == [
        None,
        *[{"app_id": "wallet", "actions": [{"name": "transfer"}]}] * 2,
    ]


def test_columns_are_described(document: Document) -> None:
    assert document["columns"]["quality_scores"]["overall_score"] == {
        "type": "DOUBLE",
        "comment": "Weighted sum of the dimension scores, 0 to 100 points",
    }


def test_equal_stores_give_equal_bytes_however_they_were_written(tmp_path: Path, filled: Database) -> None:
    other = Database(tmp_path / "other.duckdb")
    results.store(other, results.scenarios("wallet", 2, passes=True))  # replaced by the next line
    fill(other)
    for database, folder in ((filled, "one"), (other, "two")):
        export(database, tmp_path / folder, [Format.json])
    one, two = ((tmp_path / folder / "appeval.json").read_bytes() for folder in ("one", "two"))
    assert one == two


def test_a_number_that_json_cannot_hold_is_null(database: Database, out: Path) -> None:
    row = results.row(BenchmarkResultRow, "wallet", 1, status="measured", actions_per_second=math.inf)
    results.store(database, results.result("benchmark_results", "wallet", 1, row))
    export(database, out, [Format.json])
    found = json.loads((out / "appeval.json").read_text(), parse_constant=pytest.fail)
    assert found["tables"]["benchmark_results"][0]["actions_per_second"] is None


RUN = "scenario_runs"
STEP = "scenario_steps"
COVERAGE = "coverage_reports"
EDGE = "edge_case_reports"
BENCHMARK = "benchmark_results"
REGRESSION = "regression_reports"
AGENT = "agent_evaluations"
ELSEWHERE: dict[tuple[type, str], tuple[str, str]] = {
    (QualityReport, "dimension_scores"): ("quality_dimensions", "score"),
    (QualityReport, "details"): ("quality_dimensions", "details"),
    (QualityReport, "suggestions"): ("quality_suggestions", "message"),
    (ScenarioResult, "failures"): ("scenario_failures", "failure_index"),
    (ScenarioResult, "steps"): (STEP, "step_index"),
    (StepResult, "name"): (STEP, "step_name"),
    (StepResult, "index"): (STEP, "step_index"),
    (CoverageReport, "uncovered_actions"): ("coverage_gaps", "kind"),
    (CoverageReport, "uncovered_blocks"): ("coverage_gaps", "kind"),
    (CoverageReport, "uncovered_branches"): ("coverage_gaps", "kind"),
    (EdgeCaseReport, "cases"): ("edge_case_results", "kind"),
    (BenchmarkResult, "actions"): ("benchmark_actions", "action"),
    (RegressionReport, "new_version"): (REGRESSION, "version"),
    (RegressionReport, "breaks_interface"): (REGRESSION, "interface_breaking_count"),
    (RegressionReport, "failures"): ("regression_changes", "change"),
    (RegressionReport, "output_changes"): ("regression_changes", "change"),
    (RegressionReport, "interface_changes"): ("regression_changes", "change"),
    (RegressionReport, "timing"): ("regression_timings", "ratio"),
    (AgentEvaluation, "agent_id"): (AGENT, "agent"),
    (AgentEvaluation, "pass_hat_k"): (AGENT, "pass_hat_4"),
    (AgentEvaluation, "usage"): (AGENT, "cost_usd"),
    (AgentEvaluation, "trials"): ("agent_trials", "trial"),
    (TrialResult, "trajectory"): ("agent_steps", "step_index"),
    (TrialResult, "success_rate"): (AGENT, "success_rate"),
    (TrialResult, "used_all_actions"): (AGENT, "used_all_actions"),
    (TauTask, "id"): ("tau_tasks", "task_id"),
    (TauResult, "agent"): ("tau_trials", "agent_cost_usd"),
    (TauResult, "user"): ("tau_trials", "user_cost_usd"),
    (TauResult, "info"): ("tau_trials", "reward_info"),
    (TauResult, "trajectory"): ("tau_steps", "observation"),
    (TauResult, "turns"): ("tau_steps", "step_index"),
    (TauFault, "step"): ("tau_faults", "step_index"),
    (Step, "index"): ("tau_steps", "step_index"),
    (Step, "exchange"): ("tau_steps", "observation"),
    (Step, "usage"): ("tau_steps", "agent_cost_usd"),
    (TaskFlags, "names"): ("tau_tasks", "null_passable"),
}
"""Fields that are not a column of the same name in the table of their report."""


@pytest.mark.parametrize(
    ("report", "table"),
    [
        (QualityReport, "quality_scores"),
        (Suggestion, "quality_suggestions"),
        (ScenarioResult, RUN),
        (StepResult, STEP),
        (StepFailure, "scenario_failures"),
        (CoverageReport, COVERAGE),
        (Gap, "coverage_gaps"),
        (EdgeCaseReport, EDGE),
        (EdgeCase, "edge_case_results"),
        (BenchmarkResult, BENCHMARK),
        (RegressionReport, REGRESSION),
        (AgentEvaluation, AGENT),
        (TrialResult, "agent_trials"),
        (TauTask, "tau_tasks"),
        (TaskFlags, "tau_tasks"),
        (TauResult, "tau_trials"),
        (Step, "tau_steps"),
        (TauFault, "tau_faults"),
        (Estimate, "tau_metrics"),
    ],
)
def test_v21_07_03_every_field_of_every_report_is_in_the_export(
    document: Document, report: type, table: str
) -> None:
    properties = [name for name, value in vars(report).items() if isinstance(value, property)]
    names = [field.name for field in dataclasses.fields(report)] + properties
    assert len(names) >= 3
    missing = []
    for name in names:
        where, column = ELSEWHERE.get((report, name), (table, name))
        rows = document["tables"][where]
        if not any(column in row for row in rows):
            missing.append(f"{name} ({where}.{column})")
    assert missing == []


def test_v21_07_03_every_stored_number_is_a_metric_of_the_export(document: Document) -> None:
    names = {row["metric"] for row in document["metrics"] if (row["app_id"], row["version"]) == ("wallet", 2)}
    assert {
        "quality.overall",
        *(f"quality.{dimension}" for dimension in results.DIMENSIONS),
        "scenarios.pass_rate",
        "scenarios.partial_credit",
        "coverage.action",
        "coverage.block",
        "coverage.branch",
        "coverage.path",
        "edge_cases.coverage",
        "edge_cases.robustness",
        "benchmark.avg_latency_ms",
        "benchmark.p50_latency_ms",
        "benchmark.p95_latency_ms",
        "benchmark.p99_latency_ms",
        "benchmark.actions_per_second",
        "regression.new_failures",
        "regression.latency_change_pct",
        "regression.throughput_change_pct",
        "regression.quality_score_delta",
        "agents.oracle.success_rate",
        "agents.oracle.goal_rate",
        "agents.oracle.efficiency_ratio",
        "agents.llm:made/up.pass_hat_1",
        "agents.llm:made/up.cost_usd",
    } <= names
    (p99,) = [row for row in document["metrics"] if row["metric"] == "benchmark.p99_latency_ms"][1:]
    assert (p99["value"], p99["unit"]) == (0.0456, "ms")


def test_every_number_of_an_experiment_is_a_metric_without_app_and_version(document: Document) -> None:
    rows = [row for row in document["metrics"] if row["partition_key"] == "careful"]
    assert {(row["app_id"], row["version"]) for row in rows} == {(None, None)}
    assert {row["metric"]: (row["value"], row["unit"]) for row in rows} == {
        "tau.pass_hat_1": (0.75, "ratio"),
        "tau.pass_hat_2": (0.5, "ratio"),
        "tau.pass_hat_1.without_read_only": (1.0, "ratio"),
        "tau.agent_cost_usd": (0.5, "USD"),
        "tau.tasks.total": (2, "count"),
        "tau.tasks.unusable": (0, "count"),
        "tau.tasks.null_passable": (0, "count"),
        "tau.tasks.gold_error": (0, "count"),
        "tau.tasks.read_only": (1, "count"),
        "tau.trials.wanted": (4, "count"),
        "tau.trials.missing": (0, "count"),
        "tau.faults.extra_write": (1, "count"),
    }
