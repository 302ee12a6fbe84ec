"""What benchmarking an app gives, with a clock that moves as the tests say."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from itertools import accumulate, chain, cycle, repeat

import pytest

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import (
    Scenario,
    edge_cases,
    load_scenario,
    run_benchmark,
    run_scenario,
    score_quality,
)
from appeval_pipeline.evaluation.benchmark import BenchmarkResult
from appeval_pipeline.evaluation.benchmark.examples import example_workloads
from appeval_pipeline.evaluation.known import KnownFigures, KnownQuality
from appeval_pipeline.evaluation.timing.measuring import Timer
from appeval_pipeline.evaluation.timing.sampling import SamplingPlan

LAMP = """
app_id: lamp
name: Lamp
category: custom
state_schema:
  - {name: is_on, type: boolean, default: false, perAgent: false}
actions:
  - name: switch
    parameters: {on: {type: boolean, required: true}}
    logic:
      - {type: update, target: shared.is_on, operation: set, value: params.on}
      - {type: return, value: {is_on: shared.is_on}}
  - name: look
    logic:
      - {type: return, value: {is_on: shared.is_on}}
"""

EVENING = """
name: Evening
app_id: lamp
setup: {agents: [ann]}
steps:
  - {agent: ann, action: switch, params: {on: true}, expect: {data: {is_on: true}}}
  - {agent: ann, action: look, expect: {data: {is_on: true}}}
"""


REFUSAL = """
name: Refusal
app_id: lamp
setup: {agents: [ann]}
steps:
  - {agent: ann, action: switch, params: {on: 1}, expect: {success: false}}
  - {agent: ann, action: look, expect: {data: {is_on: false}}}
"""


@pytest.fixture(scope="module")
def lamp() -> AppDefinition:
    return load_app(LAMP)


@pytest.fixture(scope="module")
def evening() -> Scenario:
    """Switches, then looks."""
    return load_scenario(EVENING)


@pytest.fixture(scope="module")
def refusal() -> Scenario:
    """Switches with what is no boolean, then looks."""
    return load_scenario(REFUSAL)


def clock() -> Timer:
    """Switching takes 3 µs, looking 5 µs and a pass of the fixed work 2 µs; what is between them, 10 µs."""
    moments: Iterator[int] = accumulate(chain([0], cycle([10_000, 3_000, 10_000, 5_000, 10_000, 2_000])))
    return lambda: next(moments)


def benchmark(
    app: AppDefinition, *scenarios: Scenario, timer: Timer | None = None, plan: SamplingPlan | None = None
) -> BenchmarkResult:
    return run_benchmark(
        app,
        scenarios,
        timestamp="2026-01-01T00:00:00Z",
        timer=timer or clock(),
        environment=lambda: {"python": "3.11"},
        plan=plan,
    )


def test_known_times_give_known_figures(lamp: AppDefinition, evening: Scenario) -> None:
    result = benchmark(lamp, evening)
    assert (result.app_id, result.version, result.timestamp) == ("lamp", 1, "2026-01-01T00:00:00Z")
    # 500 calls of 3 µs and 500 of 5 µs: the mean and the middle are 4 µs, and 1 s / 4 µs are 250,000.
    assert result.sample_count == 1_000
    assert result.avg_action_latency_ms == pytest.approx(0.004)
    assert result.p50_action_latency_ms == pytest.approx(0.004)
    assert result.p95_action_latency_ms == pytest.approx(0.005)
    assert result.p99_action_latency_ms == pytest.approx(0.005)
    assert result.actions_per_second == pytest.approx(250_000)
    assert result.calibration_ms == pytest.approx(0.002)
    assert result.avg_multiple == pytest.approx(2)
    assert result.p50_multiple == pytest.approx(2)
    assert result.p95_multiple == pytest.approx(2.5)
    assert result.p99_multiple == pytest.approx(2.5)
    assert sum(result.histogram.counts) == 1_000


def test_every_action_has_its_own_figures(lamp: AppDefinition, evening: Scenario) -> None:
    switch, look = benchmark(lamp, evening).actions
    assert (switch.action, switch.sample_count) == ("switch", 500)
    assert switch.avg_latency_ms == pytest.approx(0.003)
    assert switch.p50_latency_ms == pytest.approx(0.003)
    assert switch.p95_latency_ms == pytest.approx(0.003)
    assert switch.p50_multiple == pytest.approx(1.5)
    assert look.p50_latency_ms == pytest.approx(0.005)
    assert look.p50_multiple == pytest.approx(2.5)


def test_there_is_no_99th_percentile_of_fewer_than_1000_samples(
    lamp: AppDefinition, evening: Scenario
) -> None:
    assert [timing.p99_latency_ms for timing in benchmark(lamp, evening).actions] == [None, None]
    few = benchmark(lamp, evening, plan=SamplingPlan(min_samples=998, min_replays=1))
    assert few.sample_count == 998
    assert few.p99_action_latency_ms is None
    assert few.p99_multiple is None
    many = benchmark(lamp, evening, plan=SamplingPlan(min_samples=2_000))
    assert [timing.p99_latency_ms for timing in many.actions] == [
        pytest.approx(0.003),
        pytest.approx(0.005),
    ]


def test_a_slow_app_ends_with_the_budget(lamp: AppDefinition, evening: Scenario) -> None:
    # Each call takes 200 ms: in 5 s there are at most 25 of them.
    moments = accumulate(repeat(200_000_000))
    result = benchmark(lamp, evening, timer=lambda: next(moments))
    assert 5 <= result.sample_count <= 25
    assert result.p50_action_latency_ms == pytest.approx(200)
    assert result.p99_action_latency_ms is None
    assert result.untimed_actions == ()


def test_the_pass_rate_is_of_the_scenarios_of_this_version(lamp: AppDefinition, evening: Scenario) -> None:
    unexpected = "look, expect: {success: false}"
    wrong = load_scenario(EVENING.replace("look, expect: {data: {is_on: true}}", unexpected))
    later = wrong.model_copy(update={"applies_to": ">=2"})
    other = wrong.model_copy(update={"app_id": "fan"})
    assert benchmark(lamp, evening, wrong).scenario_pass_rate == 0.5
    assert benchmark(lamp, evening, later, other).scenario_pass_rate == 1
    assert benchmark(lamp).scenario_pass_rate is None


def test_refused_calls_are_timed(lamp: AppDefinition, refusal: Scenario) -> None:
    result = benchmark(lamp, refusal)
    assert result.scenario_pass_rate == 1
    assert [timing.sample_count for timing in result.actions] == [500, 500]


def test_actions_that_no_scenario_calls_are_called_with_what_they_accept(lamp: AppDefinition) -> None:
    result = benchmark(lamp)
    assert [timing.action for timing in result.actions] == ["switch", "look"]
    assert result.sample_count == 1_000
    assert result.untimed_actions == ()


def test_an_app_with_restricted_access_lets_its_examples_in(lamp: AppDefinition) -> None:
    document = lamp.model_dump(mode="json", by_alias=True, exclude_unset=True)
    restricted = AppDefinition.model_validate(
        {**document, "access_type": "role_restricted", "allowed_role_tags": ["keeper"]}
    )
    (workload,) = example_workloads(restricted, ())
    session = workload.starter(Engine(restricted))()
    for call in workload.calls:
        assert session.execute(call.agent, call.action, call.params).success


def test_an_action_for_which_no_call_is_found_is_told(lamp: AppDefinition, evening: Scenario) -> None:
    document = lamp.model_dump(mode="json", by_alias=True, exclude_unset=True)
    impossible = {"type": "string", "required": True, "pattern": "^a$", "enum": ["b"]}
    document["actions"].append({"name": "paint", "parameters": {"colour": impossible}, "logic": []})
    result = benchmark(AppDefinition.model_validate(document), evening)
    assert result.untimed_actions == ("paint",)
    assert [timing.action for timing in result.actions] == ["switch", "look"]


def test_an_app_without_anything_to_time_has_no_latencies(lamp: AppDefinition) -> None:
    document = lamp.model_dump(mode="json", by_alias=True, exclude_unset=True)
    impossible = {"type": "string", "required": True, "pattern": "^a$", "enum": ["b"]}
    document["actions"] = [{"name": "paint", "parameters": {"colour": impossible}, "logic": []}]
    result = benchmark(AppDefinition.model_validate(document))
    assert result.sample_count == 0
    assert result.avg_action_latency_ms is None
    assert result.p50_multiple is None
    assert result.actions_per_second is None
    assert result.calibration_ms is None
    assert result.actions == ()


def test_quality_and_edge_cases_are_those_of_their_own_reports(
    lamp: AppDefinition, refusal: Scenario
) -> None:
    result = benchmark(lamp, refusal)
    quality = score_quality(lamp)
    assert result.quality_score == quality.overall_score
    assert result.dimension_scores == quality.dimension_scores
    report = edge_cases(lamp, [run_scenario(lamp, refusal)])
    assert result.edge_case_coverage == report.edge_case_coverage
    assert 0 < result.edge_case_coverage < 100


def test_a_result_repeats_with_the_clock(lamp: AppDefinition, evening: Scenario) -> None:
    assert benchmark(lamp, evening) == benchmark(lamp, evening)


def test_the_result_says_all_of_it_as_json(lamp: AppDefinition, evening: Scenario) -> None:
    result = benchmark(lamp, evening)
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(document) == {field.name for field in dataclasses.fields(BenchmarkResult)}
    assert document["environment"] == {"python": "3.11"}
    assert document["actions"][0]["action"] == "switch"
    assert set(document["histogram"]) == {"edges_ms", "counts"}


def test_the_environment_names_what_speed_depends_on(lamp: AppDefinition, evening: Scenario) -> None:
    result = run_benchmark(lamp, [evening], timer=clock())
    assert set(result.environment) == {
        "python",
        "implementation",
        "platform",
        "machine",
        "cpu_count",
        "package",
        "evaluator",
    }
    assert all(result.environment.values())


def test_known_figures_are_repeated(lamp: AppDefinition, evening: Scenario) -> None:
    known = KnownFigures(KnownQuality(12.5, {"documentation": 25.0}), 0.75, 40.0)
    result = run_benchmark(Engine(lamp), [evening], known=known)
    assert (result.scenario_pass_rate, result.edge_case_coverage) == (0.75, 40.0)
    assert (result.quality_score, result.dimension_scores) == (12.5, {"documentation": 25.0})
    assert result.sample_count >= 1_000
