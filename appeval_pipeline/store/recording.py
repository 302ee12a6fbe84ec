"""Evaluating one app version and turning the reports into rows.

Whatever goes wrong with one version becomes a row that says so: one version never costs another its results.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import AppEvalError
from appeval_pipeline.evaluation import QualityReport, Scenario, ScenarioResult, run_scenario, score_quality
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.inputs import code_inputs
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import (
    PartitionResult,
    QualityDimensionRow,
    QualityScoreRow,
    QualitySuggestionRow,
    Row,
    ScenarioFailureRow,
    ScenarioRunRow,
    ScenarioStepRow,
)
from appeval_pipeline.store.scenario_files import ScenarioFile

logger = logging.getLogger(__name__)


def record_quality(
    stored: StoredVersion, score: Callable[[AppDefinition], QualityReport] = score_quality
) -> PartitionResult:
    """Score a stored version: ``quality_scores``, ``quality_dimensions`` and ``quality_suggestions`` rows."""
    app, status, error = _load(stored)
    rows: tuple[Row, ...] = ()
    if app is not None:
        try:
            rows = _quality_rows(stored.app_id, stored.version, score(app))
        except Exception as failure:
            logger.exception("Scoring %s failed", stored.partition_key)
            status, error = "error", _describe(failure)
    if not rows:
        rows = (
            QualityScoreRow(
                app_id=stored.app_id,
                version=stored.version,
                status=status,
                overall_score=None,
                level=None,
                suggestion_count=None,
                error=error,
            ),
        )
    return PartitionResult(stored.app_id, stored.version, rows, (*stored.as_inputs(), *code_inputs()))


def record_scenarios(
    stored: StoredVersion,
    files: tuple[ScenarioFile, ...],
    run: Callable[[Engine, Scenario], ScenarioResult] = run_scenario,
) -> PartitionResult:
    """Run the given scenarios: ``scenario_runs``, ``scenario_steps`` and ``scenario_failures`` rows."""
    app, status, error = _load(stored)
    engine: Engine | None = None
    rows: list[Row] = []
    for file in files:
        if file.scenario is None:
            rows.append(_unrun(stored, file, "invalid", file.error))
        elif app is None:
            rows.append(_unrun(stored, file, status, error))
        else:
            try:
                engine = engine or Engine(app)
                rows.extend(_scenario_rows(stored, file, run(engine, file.scenario)))
            except Exception as failure:
                logger.exception("Scenario %s failed on %s", file.path, stored.partition_key)
                rows.append(_unrun(stored, file, "error", _describe(failure)))
    inputs = (*stored.as_inputs(), *(file.as_input() for file in files), *code_inputs())
    return PartitionResult(stored.app_id, stored.version, tuple(rows), inputs)


def _load(stored: StoredVersion) -> tuple[AppDefinition | None, str, str | None]:
    """The app, or the status and error that say why it cannot be evaluated."""
    if stored.status != "valid" or stored.definition is None:
        return None, "not_evaluated", "The version has no valid definition"
    try:
        return load_app(json.loads(stored.definition)), "scored", None
    except AppEvalError as error:
        return None, "not_evaluated", str(error)


def _describe(failure: Exception) -> str:
    return str(failure) if isinstance(failure, AppEvalError) else f"{type(failure).__name__}: {failure}"


def _quality_rows(app_id: str, version: int, report: QualityReport) -> tuple[Row, ...]:
    document = report.to_dict()
    scores, details, suggestions = document["dimension_scores"], document["details"], document["suggestions"]
    return (
        QualityScoreRow(
            app_id=app_id,
            version=version,
            status="scored",
            overall_score=document["overall_score"],
            level=document["level"],
            suggestion_count=len(suggestions),
            error=None,
        ),
        *(
            QualityDimensionRow(
                app_id=app_id,
                version=version,
                dimension=dimension,
                score=score,
                details=canonical_json(details.get(dimension)),
            )
            for dimension, score in scores.items()
        ),
        *(
            QualitySuggestionRow(
                app_id=app_id,
                version=version,
                position=position,
                dimension=suggestion["dimension"],
                location=suggestion["location"],
                message=suggestion["message"],
                gain=suggestion.get("gain"),
            )
            for position, suggestion in enumerate(suggestions)
        ),
    )


def _unrun(stored: StoredVersion, file: ScenarioFile, status: str, error: str | None) -> ScenarioRunRow:
    scenario = file.scenario
    return ScenarioRunRow(
        app_id=stored.app_id,
        version=stored.version,
        file_path=file.path,
        scenario_name=scenario.name if scenario else file.path.rsplit("/", 1)[-1],
        status=status,
        passed=None,
        steps_passed=None,
        steps_total=None,
        partial_credit=None,
        failure_count=None,
        duration_ms=None,
        error=error,
        description=(scenario.description or None) if scenario else None,
        tags=canonical_json(list(scenario.tags) if scenario else []),
    )


def _scenario_rows(stored: StoredVersion, file: ScenarioFile, result: ScenarioResult) -> tuple[Row, ...]:
    document = result.to_dict()
    scenario = file.scenario
    name = document["scenario_name"]
    key = {"app_id": stored.app_id, "version": stored.version, "file_path": file.path, "scenario_name": name}
    return (
        ScenarioRunRow(
            **key,
            status="passed" if document["passed"] else "failed",
            passed=document["passed"],
            steps_passed=document["steps_passed"],
            steps_total=document["steps_total"],
            partial_credit=document["partial_credit"],
            failure_count=len(document["failures"]),
            duration_ms=document["duration_ms"],
            error=None,
            description=(scenario.description or None) if scenario else None,
            tags=canonical_json(list(scenario.tags) if scenario else []),
        ),
        *(
            ScenarioStepRow(
                **key,
                step_index=step["index"],
                step_name=step["name"],
                agent=step["agent"],
                action=step["action"],
                params=canonical_json(step["params"]),
                passed=step["passed"],
                success=step["success"],
                data=canonical_json(step["data"]),
                error=step["error"],
                error_kind=step["error_kind"],
                state_diff=canonical_json(step["state_diff"]),
                observations=canonical_json(step["observations"]),
                trace=canonical_json(step["trace"]),
                duration_ms=step["duration_ms"],
                has_expectation=step["has_expectation"],
            )
            for step in document["steps"]
        ),
        *(
            ScenarioFailureRow(
                **key,
                failure_index=index,
                step_name=failure["step_name"],
                expected=canonical_json(failure["expected"]),
                actual=canonical_json(failure["actual"]),
                error=failure["error"],
            )
            for index, failure in enumerate(document["failures"])
        ),
    )
