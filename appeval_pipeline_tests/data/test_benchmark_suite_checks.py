"""Checks V21-04-01 and V21-04-03 of the benchmark suite, and the hygiene of every suite that ships.

V21-04-02 is in test_shipped_quality.
"""

import pytest

from appeval_pipeline.appdef.catalogue import CatalogueEntry, scenario_paths
from appeval_pipeline.evaluation.scenarios import lint_scenarios, read_scenario, run_scenario
from appeval_pipeline_tests.data.shipped import (
    CATALOGUE,
    DATA,
    ENTRIES,
    REFERENCES,
    app_of,
    key,
    scenarios_of,
)


def test_v21_04_01_the_five_benchmark_apps_exist_and_load() -> None:
    loaded = {entry.app_id: app_of(entry) for entry in REFERENCES}
    assert {app_id: len(app.actions) for app_id, app in loaded.items()} == {
        "bench_counter": 2,
        "bench_wallet": 4,
        "bench_inventory": 6,
        "bench_messaging": 5,
        "bench_workflow": 8,
    }
    assert all(app.app_id == app_id for app_id, app in loaded.items())


@pytest.mark.parametrize("entry", REFERENCES, ids=key)
def test_v21_04_03_all_scenarios_of_a_benchmark_app_pass(entry: CatalogueEntry) -> None:
    results = [run_scenario(app_of(entry), scenario) for scenario in scenarios_of(entry)]
    assert results
    assert [failure for result in results for failure in result.failures] == []
    assert all(result.passed for result in results)


@pytest.mark.parametrize("app_id", sorted({entry.app_id for entry in ENTRIES}))
def test_the_lint_finds_nothing_in_a_suite_that_ships(app_id: str) -> None:
    versions = CATALOGUE.versions(app_id)
    suite = [read_scenario(DATA / path) for path in scenario_paths(DATA, app_id, versions[0].root)]
    assert suite
    assert lint_scenarios(map(app_of, versions), suite) == ()
