"""What the scenarios of the reference apps cover."""

from __future__ import annotations

import pytest

from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.evaluation import CoverageReport, analyze_coverage, run_scenario
from appeval_pipeline_tests.data.shipped import REFERENCES, app_of, key, scenarios_of


def report_of(entry: CatalogueEntry) -> CoverageReport:
    app = app_of(entry)
    return analyze_coverage(app, [run_scenario(app, scenario) for scenario in scenarios_of(entry)])


def test_the_reference_apps_are_there() -> None:
    assert {entry.app_id for entry in REFERENCES} >= {"bench_counter", "bench_wallet"}


@pytest.mark.parametrize("entry", REFERENCES, ids=key)
def test_scenarios_of_a_reference_app_cover_every_action_and_branch(entry: CatalogueEntry) -> None:
    report = report_of(entry)
    assert report.uncovered_actions == ()
    assert report.uncovered_branches == ()
    assert report.uncovered_blocks == ()
    assert (report.action_coverage, report.branch_coverage, report.block_coverage) == (100, 100, 100)
    assert report.recommendations == ()
    assert not report.paths_capped


def test_without_its_scenarios_each_action_is_missed() -> None:
    (entry,) = (entry for entry in REFERENCES if entry.app_id == "bench_counter")
    report = analyze_coverage(app_of(entry), [])
    assert [gap.message for gap in report.uncovered_actions] == [
        "`increment` is never called",
        "`reset` is never called",
    ]
    # increment: two guards, so three ends; reset: one guard, two ends.
    assert report.paths_total == 5
