from dataclasses import replace
from datetime import datetime

import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database, Store, query, write_batch
from appeval_pipeline_tests.store import samples


@pytest.fixture
def database(kept_database: Store) -> Store:
    return kept_database


def test_rows_carry_their_provenance(database: Database) -> None:
    result = samples.definition()
    write_batch(database, samples.batch("app_definitions", result, run_id="run-7"))
    assert query(
        database,
        "SELECT run_id, asset_key, partition_key, data_version, materialized_at, app_id, version"
        " FROM app_versions",
    ).rows == (
        ("run-7", "app_definitions", "paypal@1", result.data_version, datetime(2026, 1, 2, 12), "paypal", 1),
    )


def test_a_write_replaces_the_partition_and_leaves_the_others(database: Database) -> None:
    first, second = samples.definition(version=1), samples.definition(version=2)
    write_batch(database, samples.batch("app_definitions", first, second))
    write_batch(
        database, samples.batch("app_definitions", samples.definition(version=2, name="New"), run_id="run-2")
    )
    assert query(database, "SELECT version, name, run_id FROM app_versions ORDER BY ALL").rows == (
        (1, "PayPal", "run-1"),
        (2, "New", "run-2"),
    )
    assert query(
        database, "SELECT version, run_id, count(*) FROM lineage GROUP BY ALL ORDER BY ALL"
    ).rows == (
        (1, "run-1", 4),
        (2, "run-2", 4),
    )


def test_rows_of_an_earlier_result_do_not_stay_behind(database: Database) -> None:
    upstream = samples.definition()
    write_batch(database, samples.batch("scenario_runs", samples.scenarios(upstream, True, False)))
    counts = write_batch(database, samples.batch("scenario_runs", samples.scenarios(upstream, True)))
    assert counts == {"scenario_runs": 1, "scenario_steps": 0, "scenario_failures": 0, "lineage": 4}
    assert query(database, "SELECT count(*) FROM scenario_runs").rows == ((1,),)


def test_a_failing_write_changes_nothing(database: Database) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition()))
    good = samples.definition(name="Changed")
    bad_row = replace(samples.definition(version=2).rows[0], warnings="no JSON")
    bad = replace(samples.definition(version=2), rows=(bad_row,))
    with pytest.raises(StoreError, match="cannot be written"):
        write_batch(database, samples.batch("app_definitions", good, bad))
    assert query(database, "SELECT version, name FROM app_versions").rows == ((1, "PayPal"),)


def test_the_data_version_is_of_the_content_alone(database: Database) -> None:
    upstream = samples.definition()
    slow = samples.scenarios(upstream, True)
    fast = replace(slow, rows=tuple(replace(row, duration_ms=0.1) for row in slow.rows))  # type: ignore[call-arg]
    assert slow.data_version == fast.data_version
    assert slow.data_version != samples.scenarios(upstream, False).data_version
    moved = replace(upstream, rows=(replace(upstream.rows[0], file_path="elsewhere", file_sha256="x"),))  # type: ignore[call-arg]
    assert moved.data_version == upstream.data_version


def test_text_that_no_database_takes_does_not_cost_the_batch(database: Database) -> None:
    row = replace(samples.definition().rows[0], name="half \ud800 emoji", definition='{"a":"\ud800"}')  # type: ignore[call-arg]
    write_batch(database, samples.batch("app_definitions", replace(samples.definition(), rows=(row,))))
    assert query(database, "SELECT name, definition FROM app_versions").rows == (
        ("half ? emoji", '{"a":"?"}'),
    )


def test_a_time_without_zone_is_refused(database: Database) -> None:
    batch = replace(
        samples.batch("app_definitions", samples.definition()), materialized_at=datetime(2026, 1, 1)
    )
    with pytest.raises(ValueError, match="aware"):
        write_batch(database, batch)


def test_many_rows_are_written_quickly(database: Database) -> None:
    upstreams = [samples.definition(app_id=f"app_{index}") for index in range(2000)]
    write_batch(database, samples.batch("app_definitions", *upstreams))
    assert query(database, "SELECT count(*), count(DISTINCT partition_key) FROM app_versions").rows == (
        (2000, 2000),
    )
