"""The reference apps behave at their edges, and their scenarios meet every edge case (page 2.4)."""

import pytest

from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import analyze_coverage, edge_cases, run_scenario, score_quality
from appeval_pipeline_tests.data.shipped import CATALOGUE, REFERENCES, app_of, key, scenarios_of
from appeval_pipeline_tests.timing import process_seconds


@pytest.mark.parametrize("entry", REFERENCES, ids=key)
def test_scenarios_of_a_reference_app_meet_its_edge_cases(entry: CatalogueEntry) -> None:
    engine = Engine(app_of(entry))
    report = edge_cases(engine, [run_scenario(engine, scenario) for scenario in scenarios_of(entry)])
    unmet = [(case.action, case.kind, case.parameter) for case in report.cases if not case.covered_by]
    assert unmet == []
    assert report.edge_case_coverage == 100
    assert (report.unsolved, report.capped) == ((), False)


@pytest.mark.parametrize("entry", REFERENCES, ids=key)
def test_a_reference_app_behaves_in_each_edge_case(entry: CatalogueEntry) -> None:
    report = edge_cases(app_of(entry))
    assert [case for case in report.cases if not case.is_robust] == []
    assert report.edge_case_robustness == 100


def test_paypal_breaks_off_where_its_first_version_lacks_a_guard_and_later_ones_do_not() -> None:
    first, second, third = (edge_cases(app_of(CATALOGUE.entry("paypal", version))) for version in (1, 2, 3))
    fragile = [(case.action, case.kind, case.parameter) for case in first.cases if not case.is_robust]
    assert fragile == [("request_money", "empty_string", "from")]
    assert second.edge_case_robustness == third.edge_case_robustness == 100


def test_reading_and_analysing_the_largest_reference_app_takes_a_tenth_of_a_second() -> None:
    entry = CATALOGUE.entry("bench_workflow", 1)
    engine = Engine(app_of(entry))
    results = [run_scenario(engine, scenario) for scenario in scenarios_of(entry)]
    runs = 8
    with process_seconds(0.3 * runs):  # alone on a machine, each takes 0.1 s
        for _ in range(runs):
            score_quality(engine.app)
            analyze_coverage(engine.app, results)
            edge_cases(engine, results)
