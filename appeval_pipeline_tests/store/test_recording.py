"""A version whose evaluation fails keeps its row, and the error in it."""

import json
from pathlib import Path

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import QualityReport, Scenario, ScenarioResult, score_quality
from appeval_pipeline.store import Store
from appeval_pipeline.store.recording import record_quality, record_scenarios
from appeval_pipeline.store.results import StoredVersion, read_versions
from appeval_pipeline.store.rows import (
    QualityDimensionRow,
    QualityScoreRow,
    QualitySuggestionRow,
    ScenarioFailureRow,
    ScenarioRunRow,
    ScenarioStepRow,
)
from appeval_pipeline.store.scenario_files import read_suites
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.evaluating import evaluate


@pytest.fixture
def stored(tmp_path: Path, database: Store) -> StoredVersion:
    catalogues.add_version(tmp_path / "data")
    catalogues.add_scenario(tmp_path / "data", count=3)
    evaluate(tmp_path / "data", database)
    return read_versions(database)["counter@1"]


def test_a_report_becomes_rows(stored: StoredVersion) -> None:
    result = record_quality(stored)
    score, *others = result.rows
    report = score_quality(AppDefinition.model_validate(json.loads(stored.definition or "")))
    assert isinstance(score, QualityScoreRow)
    assert (score.status, score.overall_score, score.level) == ("scored", report.overall_score, report.level)
    dimensions = {row.dimension: row.score for row in others if isinstance(row, QualityDimensionRow)}
    assert dimensions == report.dimension_scores
    suggestions = [row.message for row in others if isinstance(row, QualitySuggestionRow)]
    assert suggestions == [suggestion.message for suggestion in report.suggestions]


def test_a_crash_in_scoring_is_a_row(stored: StoredVersion) -> None:
    def crash(app: AppDefinition) -> QualityReport:
        raise ZeroDivisionError("oh")

    (row,) = record_quality(stored, score=crash).rows
    assert isinstance(row, QualityScoreRow)
    assert (row.status, row.overall_score, row.error) == ("error", None, "ZeroDivisionError: oh")


def test_a_failed_scenario_becomes_rows(stored: StoredVersion, tmp_path: Path) -> None:
    files = read_suites(tmp_path / "data", [stored])["counter@1"]
    run, step, failure = record_scenarios(stored, files).rows
    assert isinstance(run, ScenarioRunRow)
    assert (run.status, run.passed, run.steps_passed, run.steps_total, run.partial_credit) == (
        "failed",
        False,
        0,
        1,
        0.0,
    )
    assert isinstance(step, ScenarioStepRow)
    assert (step.success, step.passed, json.loads(step.data)) == (True, False, {"count": 1})
    assert isinstance(failure, ScenarioFailureRow)
    assert failure.step_name == "one more"


def test_a_crash_in_a_scenario_is_a_row(stored: StoredVersion, tmp_path: Path) -> None:
    def crash(engine: Engine, scenario: Scenario) -> ScenarioResult:
        raise ZeroDivisionError("oh")

    files = read_suites(tmp_path / "data", [stored])["counter@1"]
    (row,) = record_scenarios(stored, files, run=crash).rows
    assert isinstance(row, ScenarioRunRow)
    assert (row.status, row.passed, row.error) == ("error", None, "ZeroDivisionError: oh")


def test_equal_runs_have_equal_data_versions(stored: StoredVersion, tmp_path: Path) -> None:
    files = read_suites(tmp_path / "data", [stored])["counter@1"]
    assert record_scenarios(stored, files).data_version == record_scenarios(stored, files).data_version
    assert record_quality(stored).data_version == record_quality(stored).data_version
