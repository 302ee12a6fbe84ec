"""V21-05 of ADR-021: regression detection."""

from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import detect_regressions
from appeval_pipeline.evaluation.known import KnownQuality

from .wallet import WALLET, compared, edited, scenario, steady_timer


def test_v21_05_01_no_changes_give_an_empty_report() -> None:
    report = detect_regressions(load_app(WALLET), edited(), [scenario()], timer=steady_timer)
    assert report.is_empty
    assert not report.is_breaking
    assert report.to_dict() | {"timing": []} == {
        "app_id": "wallet",
        "old_version": 1,
        "new_version": 2,
        "is_breaking": False,
        "is_empty": True,
        "new_failures": [],
        "fixed_tests": [],
        "still_failing": [],
        "failures": [],
        "output_changes": [],
        "output_changes_left_out": 0,
        "interface_changes": [],
        "latency_change_pct": 0.0,
        "throughput_change_pct": 0.0,
        "timing": [],
        "not_timed": [],
        "quality_score_delta": 0.0,
        "dimension_changes": {},
        "not_compared": [],
    }
    assert [action.action for action in report.timing] == ["pay", "look"]


def test_v21_05_02_a_breaking_change_fails_a_scenario() -> None:
    report = compared(
        ("operation: subtract, value: params.amount", "operation: subtract, value: 2 * params.amount")
    )
    assert report.is_breaking
    assert report.new_failures == ("Paying",)
    first, assertion = report.failures
    assert first.to_dict() == {
        "scenario": "Paying",
        "step": "Ann pays Bob",
        "action": "pay",
        "expected": {"data.left": 90},
        "actual": {"data.left": 80},
        "error": "data.left is 80, expected 90",
    }
    # The payment that failed its step did not happen for the steps after it.
    assert (assertion.step, assertion.error) == (
        "assertion: ann.balance == 90",
        "ann.balance == 90 is false: ann.balance is 100",
    )
    assert (report.fixed_tests, report.interface_changes) == ((), ())


def test_v21_05_03_a_compatible_change_leaves_behaviour_as_it_was() -> None:
    report = compared(
        ("maxLength: 20", "maxLength: 40"),
        (
            "      note: {type",
            "      tip: {type: number, default: 0, description: On top.}\n      note: {type",
        ),
    )
    assert not report.is_breaking
    assert not report.breaks_interface
    assert (report.failures, report.output_changes) == ((), ())
    assert [(change.kind, change.severity) for change in report.interface_changes] == [
        ("constraint_loosened", "compatible"),
        ("parameter_added", "compatible"),
    ]


def test_v21_05_04_a_slower_version_shows_in_latency_and_throughput() -> None:
    slower = edited(
        (
            "      - type: branch\n",
            "      - {type: loop, collection: 'slice(shared.many, 0)', item: one, body: "
            "[{type: validate, condition: one >= 0, errorMessage: no}]}\n      - type: branch\n",
        ),
        (
            "initial_config",
            f"  - {{name: many, type: array, perAgent: false, default: {list(range(900))}}}\ninitial_config",
        ),
    )
    report = detect_regressions(load_app(WALLET), slower, [scenario()])
    timing = {action.action: action for action in report.timing}
    assert timing["look"].is_significant
    assert timing["look"].ratio > 2
    assert report.latency_change_pct is not None
    assert report.throughput_change_pct is not None
    assert report.latency_change_pct > 10
    assert -100 < report.throughput_change_pct < -10
    assert not report.is_empty
    assert not report.is_breaking


def test_known_quality_is_not_scored_again() -> None:
    known = KnownQuality(80.0, {"documentation": 80.0}), KnownQuality(70.5, {"documentation": 60.0})
    engines = Engine(load_app(WALLET)), Engine(edited())
    report = detect_regressions(*engines, [scenario()], known=known, time_it=False)
    assert report.quality_score_delta == -9.5
    assert report.dimension_changes == {"documentation": -20.0}
