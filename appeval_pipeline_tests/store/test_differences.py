"""Why a metric differs between two versions: what changed of all that it rests on, and what did not."""

import json
from pathlib import Path

import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database, explain_difference
from appeval_pipeline.store.differences import InputChange, MetricDifference
from appeval_pipeline.version import EVALUATOR_VERSION
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store.evaluating import evaluate

SCENARIOS = "apps/counter/scenarios"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Three versions: the second adds one thing, the third changes what the action does."""
    folder = tmp_path_factory.mktemp("differences")
    data = folder / "data"
    catalogues.add_version(data, version=1, name="Counter")
    template = catalogues.DEFINITION.replace("category: custom", "category: custom\ndescription: Counts.")
    catalogues.add_version(data, version=2, name="Counter", template=template)
    template = template.replace("operation: add", "operation: subtract")
    catalogues.add_version(data, version=3, name="Counter", template=template)
    catalogues.add_scenario(data)
    catalogues.add_scenario(data, file="first.yaml", extra='applies_to: "1"\n')
    database = Database(folder / "results" / "appeval.duckdb")
    evaluate(data, database)
    return database


def explained(database: Database, version: int, metric: str, against: int | None) -> MetricDifference:
    return explain_difference(database, "counter", version, metric, against)


def test_values_changes_and_what_is_the_same_are_told(database: Database) -> None:
    found = explained(database, 3, "scenarios.passed", 2)
    assert (found.old.value, found.new.value, found.difference, found.unit) == (1, 0, -1, "count")
    path = "actions.increase.logic[0].operation"
    assert found.changed == (
        InputChange(
            "definition",
            "apps/counter/v2.yaml → apps/counter/v3.yaml",
            "changed",
            (f'{path}: "add" → "subtract"',),
        ),
    )
    assert found.same == (
        "code appeval-pipeline",
        "code evaluator",
        "config engine.limits",
        f"scenario {SCENARIOS}/counting.yaml",
    )
    assert found.notes == ()


def test_a_scenario_that_applies_to_one_version_only_is_told(database: Database) -> None:
    found = explained(database, 2, "scenarios.total", 1)
    assert InputChange("scenario", f"{SCENARIOS}/first.yaml", "removed") in found.changed
    found = explained(database, 1, "scenarios.total", 2)
    assert InputChange("scenario", f"{SCENARIOS}/first.yaml", "added") in found.changed


def test_a_score_rests_on_no_scenario(database: Database) -> None:
    found = explained(database, 2, "quality.overall", 1)
    assert [change.kind for change in found.changed] == ["definition"]
    assert found.changed[0].details == ('description added: "Counts."',)
    assert "config quality.weights" in found.same


def test_without_another_version_the_baseline_is_it(database: Database) -> None:
    assert explained(database, 3, "quality.overall", None).old.version == 2
    with pytest.raises(StoreError, match="counter version 1 has no baseline"):
        explained(database, 1, "quality.overall", None)


def test_comparisons_with_two_baselines_say_so(database: Database) -> None:
    found = explained(database, 3, "regression.new_failures", 2)
    assert InputChange("baseline", "counter@1 → counter@2", "changed") in found.changed


def test_a_version_without_the_metric_has_no_value(database: Database) -> None:
    found = explained(database, 2, "regression.new_failures", 1)
    assert (found.old.value, found.new.value, found.difference) == (None, 0, None)
    assert InputChange("baseline", "none → counter@1", "added") in found.changed


def test_other_code_is_told_with_both_versions(database: Database, tmp_path: Path) -> None:
    copy = Database(tmp_path / "appeval.duckdb")
    copy.path.write_bytes(database.path.read_bytes())
    copy.write(
        lambda connection: connection.execute(
            "UPDATE lineage SET input_version = 'older' WHERE input_key = 'evaluator' AND version = 1"
        )
    )
    found = explained(copy, 2, "quality.overall", 1)
    assert InputChange("code", "evaluator", "changed", (f"older → {EVALUATOR_VERSION}",)) in found.changed


def test_a_measured_metric_comes_with_a_warning(database: Database) -> None:
    assert explained(database, 2, "benchmark.p50_latency_ms", 1).notes == (
        "This is measured: it varies from run to run, too.",
    )


def test_of_one_version_there_is_only_the_latest_result(database: Database) -> None:
    with pytest.raises(StoreError, match="keeps only the latest result of counter version 2"):
        explained(database, 2, "quality.overall", 2)


@pytest.mark.parametrize(
    ("version", "metric", "against", "message"),
    [
        (4, "quality.overall", 1, "Nothing is stored for counter version 4; stored versions: 1, 2, 3"),
        (2, "quality.overall", 4, "Nothing is stored for counter version 4; stored versions: 1, 2, 3"),
        (2, "quality.beauty", 1, "has no metric 'quality.beauty'"),
    ],
)
def test_what_is_not_stored_is_an_error_that_lists_what_is(
    database: Database, version: int, metric: str, against: int, message: str
) -> None:
    with pytest.raises(StoreError, match=message):
        explained(database, version, metric, against)


def test_json_has_all_of_it(database: Database) -> None:
    found = explained(database, 3, "scenarios.passed", 2)
    document = found.to_dict()
    assert document["difference"] == -1
    assert document["old"] == {
        "version": 2,
        "partition_key": "counter@2",
        "value": 1,
        "run_id": "run-1",
        "materialized_at": "2026-01-02T12:00:00",
    }
    assert document["changed"] == [
        {
            "kind": "definition",
            "name": "apps/counter/v2.yaml → apps/counter/v3.yaml",
            "what": "changed",
            "details": ['actions.increase.logic[0].operation: "add" → "subtract"'],
            "details_left_out": 0,
        }
    ]
    assert json.loads(json.dumps(document)) == document
