from pathlib import Path

import dagster as dg
import pytest

from appeval_pipeline.defs import checks
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store import write_batch
from appeval_pipeline.store.rows import AgentEvaluationRow
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store import samples
from appeval_pipeline_tests.store.agent_samples import evaluated, store_agents


@pytest.fixture
def scored(tmp_path: Path) -> Workspace:
    return Workspace(data_dir=str(tmp_path), store=str(tmp_path / "appeval.duckdb"))


def result_of(workspace: Workspace, asset: str, check: str) -> dg.AssetCheckResult:
    (result,) = checks.check_results(workspace, [dg.AssetCheckKey(dg.AssetKey(asset), check)])
    assert (result.asset_key, result.check_name) == (dg.AssetKey(asset), check)
    return result


def store_scores(workspace: Workspace, *scores: float | None) -> None:
    definitions = [samples.definition(version=index + 1) for index in range(len(scores))]
    for upstream in definitions:
        catalogues.add_version(workspace.data_path, upstream.app_id, upstream.version)
    write_batch(workspace.database, samples.batch("app_definitions", *definitions))
    results = [samples.quality(upstream, score) for upstream, score in zip(definitions, scores, strict=True)]
    write_batch(workspace.database, samples.batch("quality_scores", *results))


@pytest.mark.parametrize(
    ("scores", "passed", "severity"),
    [
        ((70.0, 100.0), True, None),
        ((100.0, 69.9), False, dg.AssetCheckSeverity.WARN),
        ((50.0,), False, dg.AssetCheckSeverity.WARN),
        ((49.9, 69.9), False, dg.AssetCheckSeverity.ERROR),
        ((None,), False, dg.AssetCheckSeverity.ERROR),
    ],
)
def test_quality_below_70_warns_and_below_50_fails(
    scored: Workspace,
    scores: tuple[float | None, ...],
    passed: bool,
    severity: dg.AssetCheckSeverity | None,
) -> None:
    store_scores(scored, *scores)
    result = result_of(scored, "quality_scores", "quality_meets_bar")
    assert result.passed is passed
    if severity is not None:
        assert result.severity is severity


def test_a_failing_check_names_the_versions(scored: Workspace) -> None:
    store_scores(scored, 90.0, 30.0)
    result = result_of(scored, "quality_scores", "quality_meets_bar")
    assert result.description == "paypal@2: quality 30.0 is below 50"
    assert "| paypal@2 | error | quality 30.0 is below 50 |" in str(result.metadata["failing"].value)


@pytest.mark.parametrize(
    ("outcomes", "passed"),
    [((True, True), True), ((), True), ((True, False), False), ((True, None), False)],
)
def test_scenarios_must_all_run_and_pass(
    scored: Workspace, outcomes: tuple[bool | None, ...], passed: bool
) -> None:
    upstream = samples.definition()
    catalogues.add_version(scored.data_path, upstream.app_id, upstream.version)
    write_batch(scored.database, samples.batch("app_definitions", upstream))
    write_batch(scored.database, samples.batch("scenario_runs", samples.scenarios(upstream, *outcomes)))
    result = result_of(scored, "scenario_runs", "all_scenarios_pass")
    assert result.passed is passed


def test_a_lost_input_fails_the_lineage_check(scored: Workspace) -> None:
    store_scores(scored, 90.0)
    complete = result_of(scored, "quality_scores", "lineage_complete")
    write_batch(scored.database, samples.batch("app_definitions", samples.definition(name="Other")))
    broken = result_of(scored, "quality_scores", "lineage_complete")
    assert (complete.passed, broken.passed) == (True, False)


def test_a_landed_version_without_a_file_is_no_check_s_business(scored: Workspace) -> None:
    store_scores(scored, 90.0, 30.0)
    write_batch(
        scored.database, samples.batch("app_definitions", samples.definition(version=2, name="Other"))
    )
    (scored.data_path / "apps" / "paypal" / "v2.yaml").unlink()
    for check in ("quality_meets_bar", "lineage_complete"):
        result = result_of(scored, "quality_scores", check)
        assert result.passed
        assert result.metadata["versions"].value == 1


def test_a_result_that_its_definition_has_left_behind_is_not_fresh(scored: Workspace) -> None:
    store_scores(scored, 90.0, 90.0)
    assert result_of(scored, "quality_scores", "results_are_fresh").passed
    write_batch(scored.database, samples.batch("app_definitions", samples.definition(name="Other")))
    result = result_of(scored, "quality_scores", "results_are_fresh")
    assert not result.passed
    assert result.severity is dg.AssetCheckSeverity.WARN
    assert result.description == "paypal@1: quality_scores: its definition changed"


def test_a_version_that_is_new_is_not_counted_as_stale(scored: Workspace) -> None:
    store_scores(scored, 90.0)
    catalogues.add_version(scored.data_path, "paypal", 2)
    assert result_of(scored, "quality_scores", "results_are_fresh").passed


def store_tried(workspace: Workspace, *rows: AgentEvaluationRow) -> None:
    catalogues.add_version(workspace.data_path, "paypal", 1)
    store_agents(workspace.database, *rows)


def test_the_oracle_must_reach_what_a_plan_was_found_for(scored: Workspace) -> None:
    lost = {"goals_reached": 0, "goal_rate": 0.0}
    beyond_reach = {**lost, "optimal_actions": None, "tags": ["unreachable"]}
    store_tried(
        scored,
        evaluated("pay", "oracle"),
        evaluated("rob", "oracle", **beyond_reach),
        evaluated("pay", "noop", **lost),  # others may miss it
    )
    assert result_of(scored, "agent_evaluations", "oracle_reaches_goals").passed

    store_tried(scored, evaluated("pay", "oracle"), evaluated("give", "oracle", **lost))
    result = result_of(scored, "agent_evaluations", "oracle_reaches_goals")
    assert (result.passed, result.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert result.description == "paypal@1: the oracle misses what a plan was found for: give"


UNREACHABLE = {"goals_reached": 0, "goal_rate": 0.0, "optimal_actions": None}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({}, None),
        ({"declared_optimal": 2}, None),
        ({"declared_optimal": 3, "optimal_is_exact": False}, None),
        ({**UNREACHABLE, "tags": ["smoke", "unreachable"]}, None),
        (UNREACHABLE, "the goal cannot be reached; where that is meant, tag the task unreachable"),
        (
            {**UNREACHABLE, "optimal_is_exact": False},
            "no plan was found before the search's budget was spent",
        ),
        ({"tags": ["unreachable"]}, "it is tagged unreachable, but 2 actions reach the goal"),
        ({"declared_optimal": 3}, "optimal_steps is 3, the fewest are 2"),
        ({"status": "invalid", "error": "bad", **UNREACHABLE}, None),
    ],
)
def test_a_task_must_be_as_it_says(scored: Workspace, given: dict[str, object], problem: str | None) -> None:
    store_tried(scored, evaluated("pay", "oracle", **given), evaluated("pay", "noop", **given))
    result = result_of(scored, "agent_evaluations", "tasks_are_sound")
    assert result.passed is (problem is None)
    if problem is not None:
        assert result.severity is dg.AssetCheckSeverity.WARN
        assert result.description == f"paypal@1: pay: {problem}"  # once, whoever tried


def test_what_could_not_be_tried_fails_the_evaluation(scored: Workspace) -> None:
    store_tried(
        scored,
        evaluated("pay", "oracle"),
        evaluated("pay", "llm:a", status="error", error="no key"),
        evaluated("give", "llm:a", trial_count=4, infra_errors=1),
    )
    result = result_of(scored, "agent_evaluations", "evaluation_succeeds")
    assert (result.passed, result.severity) == (False, dg.AssetCheckSeverity.ERROR)
    assert result.description == (
        "paypal@1: agent_evaluations: llm:a, give: 1 of 4 trials broke down; "
        "paypal@1: agent_evaluations: llm:a, pay: no key"
    )
