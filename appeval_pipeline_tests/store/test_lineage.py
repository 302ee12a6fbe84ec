"""The chain from a metric down to files, code and configuration, and how it can break."""

import json
from collections.abc import Iterator

import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import LineageNode, Store, explain_metric, query, write_batch
from appeval_pipeline.store.inputs import common_inputs
from appeval_pipeline.store.rows import Input, PartitionResult, RegressionReportRow
from appeval_pipeline.version import EVALUATOR_VERSION
from appeval_pipeline_tests.store import samples
from appeval_pipeline_tests.store.export import results


@pytest.fixture
def filled(database: Store) -> Store:
    first, second = samples.definition(version=1), samples.definition(version=2)
    write_batch(database, samples.batch("app_definitions", first, second))
    write_batch(database, samples.batch("quality_scores", samples.quality(first), samples.quality(second)))
    write_batch(database, samples.batch("scenario_runs", samples.scenarios(first, True)))
    return database


def test_metric_lineage_reaches_file_and_code(filled: Store) -> None:
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


def test_explaining_a_metric_goes_down_to_the_file(filled: Store) -> None:
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
        ("paypal", 1, "quality.overal", r"has no metric 'quality.overal'; did you mean quality.overall\?$"),
        ("paypal", 3, "quality.overall", "stored versions: 1, 2"),
        ("venmo", 1, "quality.overall", "stored apps: paypal"),
    ],
)
def test_an_unknown_metric_is_an_error_that_lists_those_alike_or_all(
    filled: Store, app_id: str, version: int, metric: str, message: str
) -> None:
    with pytest.raises(StoreError, match=message):
        explain_metric(filled, app_id, version, metric)


def test_a_result_on_which_several_rest_is_told_once(filled: Store) -> None:
    first, second = samples.definition(version=1), samples.definition(version=2)
    sources = [
        Input(kind=kind, key=key, version=made.data_version, partition_key=made.partition_key, run_id="run-1")
        for kind, key, made in (
            ("asset", "app_definitions", second),
            ("asset", "quality_scores", samples.quality(second)),
            ("upstream_version", "app_definitions", first),
            ("upstream_version", "quality_scores", samples.quality(first)),
        )
    ]
    row = results.row(RegressionReportRow, "paypal", 2, status="compared")
    report = PartitionResult("paypal", 2, (row,), (*sources, *common_inputs("regression_reports")))
    write_batch(filled, samples.batch("regression_reports", report))
    (tree,) = explain_metric(filled, "paypal", 2, "regression.new_failures").inputs
    told = [
        (node.kind, node.key, node.partition_key, node.is_repeated) for node in parts(tree) if node.run_id
    ]
    assert told == [
        ("asset", "regression_reports", "paypal@2", False),
        ("asset", "app_definitions", "paypal@2", False),
        ("asset", "quality_scores", "paypal@2", False),
        ("asset", "app_definitions", "paypal@2", True),
        ("upstream_version", "app_definitions", "paypal@1", False),
        ("upstream_version", "quality_scores", "paypal@1", False),
        ("asset", "app_definitions", "paypal@1", True),
    ]
    files = [node.key for node in parts(tree) if node.kind == "file"]
    assert files == ["apps/paypal/v2.yaml", "apps/paypal/v1.yaml"]
    document = tree.to_dict()
    assert json.loads(json.dumps(document)) == document


def test_a_result_that_is_gone_is_told_as_such(filled: Store) -> None:
    write_batch(filled, samples.batch("app_definitions", samples.definition(version=1, name="Other")))
    (scores,) = explain_metric(filled, "paypal", 1, "quality.overall").inputs
    assert scores.inputs[0].note == "this result has been replaced since; evaluate the version again"
    assert scores.inputs[0].inputs == ()


def parts(node: LineageNode) -> Iterator[LineageNode]:
    yield node
    for inner in node.inputs:
        yield from parts(inner)
