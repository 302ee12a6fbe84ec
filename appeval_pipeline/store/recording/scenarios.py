"""Scenario runs as rows."""

from __future__ import annotations

from collections.abc import Callable

from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import Scenario, ScenarioResult, run_scenario
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.dependencies import SCENARIOS
from appeval_pipeline.store.recording.boundary import Rows, base_inputs, evaluated_rows
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import PartitionResult, ScenarioFailureRow, ScenarioRunRow, ScenarioStepRow
from appeval_pipeline.store.scenario_files import ScenarioFile


def record_scenarios(
    stored: StoredVersion,
    files: tuple[ScenarioFile, ...],
    run: Callable[[Engine, Scenario], ScenarioResult] = run_scenario,
) -> PartitionResult:
    """Run the given scenarios: ``scenario_runs``, ``scenario_steps`` and ``scenario_failures`` rows."""
    rows = tuple(row for file in files for row in _file_rows(stored, file, run))
    inputs = (*base_inputs(stored, SCENARIOS), *(file.as_input() for file in files))
    return PartitionResult(stored.app_id, stored.version, rows, inputs)


def _file_rows(
    stored: StoredVersion, file: ScenarioFile, run: Callable[[Engine, Scenario], ScenarioResult]
) -> Rows:
    scenario = file.scenario
    if scenario is None:
        return (_unrun(stored, file, "invalid", file.error),)
    return evaluated_rows(
        stored,
        lambda engine: _scenario_rows(stored, file, run(engine, scenario)),
        lambda status, error: (_unrun(stored, file, status, error),),
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


def _scenario_rows(stored: StoredVersion, file: ScenarioFile, result: ScenarioResult) -> Rows:
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
