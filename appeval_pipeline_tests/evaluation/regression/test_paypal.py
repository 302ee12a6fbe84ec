"""The versions of paypal that ship, as the demonstration of comparing."""

from appeval_pipeline.evaluation import detect_regressions
from appeval_pipeline_tests.data.shipped import CATALOGUE, app, scenarios_of


def test_the_planted_break_of_paypal_is_found() -> None:
    scenarios = scenarios_of(CATALOGUE.entry("paypal", 3))
    report = detect_regressions(app("paypal", 2), app("paypal", 3), scenarios, time_it=False)
    assert report.new_failures == ("Histories of limited size", "Requests for money")
    assert {(change.action, change.path, change.kind) for change in report.output_changes} == {
        ("transfer", "observations[0].data.note", "removed"),
        ("transfer", "error", "changed"),
    }
    assert [(change.kind, change.location) for change in report.interface_changes] == [
        ("result_removed", "actions.pay_request.returns.transaction_id")
    ]


def test_paypal_2_is_compatible_with_paypal_1() -> None:
    scenarios = scenarios_of(CATALOGUE.entry("paypal", 1))
    report = detect_regressions(app("paypal", 1), app("paypal", 2), scenarios, time_it=False)
    assert not report.is_breaking
    assert not report.breaks_interface
    assert report.quality_score_delta > 0
