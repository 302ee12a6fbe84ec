"""A chain is complete down to files, code and configuration, or the check says what it lacks."""

import time
from itertools import pairwise

import pytest

from appeval_pipeline.store import Store, broken_chains, write_batch
from appeval_pipeline.store.inputs import common_inputs
from appeval_pipeline.store.rows import Input, PartitionResult, RegressionReportRow
from appeval_pipeline_tests.store import samples
from appeval_pipeline_tests.store.export import results


@pytest.fixture
def filled(database: Store) -> Store:
    first, second = samples.definition(version=1), samples.definition(version=2)
    write_batch(database, samples.batch("app_definitions", first, second))
    write_batch(database, samples.batch("quality_scores", samples.quality(first), samples.quality(second)))
    write_batch(database, samples.batch("scenario_runs", samples.scenarios(first, True)))
    return database


def broken(database: Store) -> dict[str, str]:
    return {f"{chain.asset_key} of {chain.partition_key}": chain.reason for chain in broken_chains(database)}


def change(database: Store, sql: str) -> None:
    database.write(lambda connection: connection.execute(sql))


def test_results_of_evaluations_are_complete(filled: Store) -> None:
    assert broken(filled) == {}


def test_a_replaced_result_breaks_what_rests_on_it(filled: Store) -> None:
    write_batch(filled, samples.batch("app_definitions", samples.definition(version=1, name="Other")))
    reason = "app_definitions of paypal@1 has been replaced since: evaluate it again"
    assert broken(filled) == {"quality_scores of paypal@1": reason, "scenario_runs of paypal@1": reason}


def test_metrics_without_any_lineage_are_told(filled: Store) -> None:
    change(filled, "DELETE FROM lineage WHERE asset_key = 'quality_scores' AND partition_key = 'paypal@2'")
    assert broken(filled) == {"quality_scores of paypal@2": "it has no lineage"}


@pytest.mark.parametrize(
    ("lost", "reason"),
    [
        ("input_key = 'evaluator'", "it names no evaluator"),
        ("input_key = 'quality.weights'", "it names no configuration quality.weights"),
        (
            "input_kind IN ('code', 'config')",
            "it names no evaluator; it names no configuration engine.limits, quality.weights",
        ),
    ],
)
def test_each_result_names_its_code_and_configuration(filled: Store, lost: str, reason: str) -> None:
    change(filled, f"DELETE FROM lineage WHERE asset_key = 'quality_scores' AND version = 1 AND {lost}")
    assert broken(filled) == {"quality_scores of paypal@1": reason}


def test_what_an_incomplete_result_lacks_is_told_of_all_that_rests_on_it(filled: Store) -> None:
    change(
        filled,
        "DELETE FROM lineage"
        " WHERE partition_key = 'paypal@2' AND asset_key = 'app_definitions' AND input_key = 'evaluator'",
    )
    assert broken(filled) == {
        "app_definitions of paypal@2": "it names no evaluator",
        "quality_scores of paypal@2": (
            "it rests on app_definitions of paypal@2, which is incomplete: it names no evaluator"
        ),
    }


def test_a_chain_that_comes_to_no_file_is_broken(filled: Store) -> None:
    change(filled, "DELETE FROM lineage WHERE input_kind = 'file' AND version = 2")
    assert broken(filled) == {
        "app_definitions of paypal@2": "it comes to no file",
        "quality_scores of paypal@2": "it comes to no file",
    }


def test_results_that_rest_on_each_other_come_to_no_file(filled: Store) -> None:
    change(
        filled,
        "UPDATE lineage SET input_kind = 'asset', input_key = 'quality_scores',"
        " input_partition_key = 'paypal@1', input_version ="
        " (SELECT any_value(data_version) FROM quality_scores WHERE version = 1)"
        " WHERE version = 1 AND input_kind = 'file'",
    )
    assert set(broken(filled).values()) == {"it comes to no file"}
    assert len(broken(filled)) == 3


def compared(*inputs: Input, version: int = 2) -> PartitionResult:
    """A regression report that rests on ``inputs``."""
    row = results.row(RegressionReportRow, "paypal", version, status="compared", output_change_count=0)
    return PartitionResult("paypal", version, (row,), (*inputs, *common_inputs("regression_reports")))


def used(kind: str, result: PartitionResult) -> Input:
    return Input(
        kind=kind,
        key="app_definitions",
        version=result.data_version,
        partition_key=result.partition_key,
        run_id="run-1",
    )


def test_a_comparison_names_its_baseline(filled: Store) -> None:
    own, baseline = samples.definition(version=2), samples.definition(version=1)
    report = compared(used("asset", own))
    write_batch(filled, samples.batch("regression_reports", report))
    assert broken(filled) == {"regression_reports of paypal@2": "it names no baseline"}
    report = compared(used("asset", own), used("upstream_version", baseline))
    write_batch(filled, samples.batch("regression_reports", report))
    assert broken(filled) == {}


def test_another_result_of_the_baseline_breaks_the_comparison(filled: Store) -> None:
    own, old = samples.definition(version=2), samples.definition(version=1, name="Before")
    report = compared(used("asset", own), used("upstream_version", old))
    write_batch(filled, samples.batch("regression_reports", report))
    assert broken(filled) == {
        "regression_reports of paypal@2": (
            "app_definitions of paypal@1 has been replaced since: evaluate it again"
        )
    }


def test_a_thousand_versions_are_followed_in_three_seconds(database: Store) -> None:
    """Each is compared with the one before; all metrics of a version are looked at."""
    definitions = [samples.definition(version=version) for version in range(1, 1001)]
    reports = [
        compared(used("asset", own), used("upstream_version", baseline), version=own.version)
        for baseline, own in pairwise(definitions)
    ]
    for asset, stored in (
        ("app_definitions", definitions),
        ("quality_scores", map(samples.quality, definitions)),
        ("scenario_runs", [samples.scenarios(definition, True, False) for definition in definitions]),
        ("regression_reports", reports),
    ):
        write_batch(database, samples.batch(asset, *stored))
    started = time.perf_counter()
    assert broken(database) == {}
    assert time.perf_counter() - started < 3
    write_batch(database, samples.batch("app_definitions", samples.definition(version=500, name="Other")))
    assert list(broken(database)) == [
        "quality_scores of paypal@500",
        "regression_reports of paypal@500",
        "regression_reports of paypal@501",
        "scenario_runs of paypal@500",
    ]
