"""The chain from a metric down to files, code and configuration, and how it can break."""

import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database, explain_metric, query, write_batch
from appeval_pipeline.version import EVALUATOR_VERSION
from appeval_pipeline_tests.store import samples


@pytest.fixture
def filled(database: Database) -> Database:
    first, second = samples.definition(version=1), samples.definition(version=2)
    write_batch(database, samples.batch("app_definitions", first, second))
    write_batch(database, samples.batch("quality_scores", samples.quality(first), samples.quality(second)))
    write_batch(database, samples.batch("scenario_runs", samples.scenarios(first, True)))
    return database


def test_metric_lineage_reaches_file_and_code(filled: Database) -> None:
    rows = query(
        filled,
        "SELECT input_kind, input_key, input_version, depth FROM metric_lineage"
        " WHERE version = 1 AND metric = 'quality.overall' AND input_key <> 'appeval-pipeline'"
        " AND input_kind <> 'config' ORDER BY ALL",
    ).rows
    assert rows == (
        ("asset", "app_definitions", samples.definition().data_version, 1),
        ("code", "evaluator", EVALUATOR_VERSION, 1),
        ("code", "evaluator", EVALUATOR_VERSION, 2),
        ("file", "apps/paypal/v1.yaml", "sha-of-file", 2),
    )


def test_explaining_a_metric_goes_down_to_the_file(filled: Database) -> None:
    node = explain_metric(filled, "paypal", 1, "quality.overall")
    assert (node.kind, node.key, node.version, node.run_id) == (
        "metric",
        "quality.overall",
        "80 points",
        "run-1",
    )
    (scores,) = node.inputs
    assert (scores.kind, scores.key, scores.partition_key) == ("asset", "quality_scores", "paypal@1")
    definitions, *code = scores.inputs
    assert (definitions.kind, definitions.key, definitions.run_id) == ("asset", "app_definitions", "run-1")
    assert [source.kind for source in code] == ["code", "code", "config", "config"]
    assert ("file", "apps/paypal/v1.yaml", "sha-of-file") in [
        (source.kind, source.key, source.version) for source in definitions.inputs
    ]


@pytest.mark.parametrize(
    ("app_id", "version", "metric", "message"),
    [
        ("paypal", 1, "quality.beauty", "has no metric 'quality.beauty'; it has definition.actions, "),
        ("paypal", 3, "quality.overall", "stored versions: 1, 2"),
        ("venmo", 1, "quality.overall", "stored apps: paypal"),
    ],
)
def test_an_unknown_metric_is_an_error_that_lists_the_known(
    filled: Database, app_id: str, version: int, metric: str, message: str
) -> None:
    with pytest.raises(StoreError, match=message):
        explain_metric(filled, app_id, version, metric)
