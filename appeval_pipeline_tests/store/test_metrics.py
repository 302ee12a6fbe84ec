import pytest

from appeval_pipeline.store import Store, query, write_batch
from appeval_pipeline_tests.store import samples


@pytest.fixture
def filled(database: Store) -> Store:
    first, second = samples.definition(version=1), samples.definition(version=2)
    write_batch(database, samples.batch("app_definitions", first, second))
    write_batch(
        database, samples.batch("quality_scores", samples.quality(first), samples.quality(second, 91.5))
    )
    write_batch(
        database,
        samples.batch(
            "scenario_runs", samples.scenarios(first, True, False, None), samples.scenarios(second)
        ),
    )
    return database


def metrics(database: Store, version: int) -> dict[str, tuple[object, object]]:
    sql = f"SELECT metric, value, unit FROM metrics WHERE app_id = 'paypal' AND version = {version}"
    return {str(metric): (value, unit) for metric, value, unit in query(database, sql).rows}


def test_metrics_has_every_number_under_one_name(filled: Store) -> None:
    assert metrics(filled, 1) == {
        "definition.actions": (5, "count"),
        "definition.warnings": (2, "count"),
        "quality.overall": (80, "points"),
        "quality.suggestions": (0, "count"),
        "quality.validation": (60, "points"),
        "scenarios.total": (3, "count"),
        "scenarios.evaluated": (2, "count"),
        "scenarios.passed": (1, "count"),
        "scenarios.pass_rate": (0.5, "ratio"),
        "scenarios.steps_passed": (5, "count"),
        "scenarios.steps_total": (8, "count"),
        "scenarios.partial_credit": (0.625, "ratio"),
        "scenarios.failures": (3, "count"),
        "scenarios.duration_ms": (5, "ms"),
    }


def test_a_version_without_scenarios_has_totals_but_no_rate(filled: Store) -> None:
    found = {name: value for name, value in metrics(filled, 2).items() if name.startswith("scenarios.")}
    assert found == {
        "scenarios.total": (0, "count"),
        "scenarios.evaluated": (0, "count"),
        "scenarios.passed": (0, "count"),
    }


def test_a_score_that_could_not_be_computed_is_no_metric(database: Store) -> None:
    write_batch(database, samples.batch("quality_scores", samples.quality(samples.definition(), None)))
    assert metrics(database, 1) == {}


def test_latest_quality_has_the_latest_version_of_each_app(filled: Store) -> None:
    assert query(filled, "SELECT app_id, version, overall_score FROM latest_quality").rows == (
        ("paypal", 2, 91.5),
    )
