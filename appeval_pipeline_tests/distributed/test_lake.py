"""Several processes at one lake: one write after the other, and readers that see whole batches only."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Store, query, write_batch
from appeval_pipeline.store.ducklake import Catalogue, DuckLake
from appeval_pipeline.store_address import DUCKLAKE_PREFIX, DuckLakeAddress
from appeval_pipeline_tests.distributed.lakes import empty_lake
from appeval_pipeline_tests.store import samples

pytestmark = pytest.mark.distributed

PARTITIONS = 20

WRITER = f"""
import sys
from appeval_pipeline.store import open_store, write_batch
from appeval_pipeline.store_address import parse_store_address
from appeval_pipeline_tests.store import samples

store = open_store(parse_store_address(sys.argv[1]))
for number in range(3):
    name = f"{{sys.argv[2]}}-{{number}}"
    results = [samples.definition(app_id=f"app_{{i}}", name=name) for i in range({PARTITIONS})]
    write_batch(store, samples.batch("app_definitions", *results, run_id=name))
"""

HOLDER = """
import sys, time
from appeval_pipeline.store import open_store
from appeval_pipeline.store_address import parse_store_address

def hold(connection):
    connection.execute("DELETE FROM app_versions")
    print("held", flush=True)
    time.sleep(60)

open_store(parse_store_address(sys.argv[1])).write(hold)
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[DuckLakeAddress]:
    with empty_lake(tmp_path / "lake") as address:
        yield address


def start(code: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def write_all(store: Store, name: str) -> None:
    results = [samples.definition(app_id=f"app_{i}", name=name) for i in range(PARTITIONS)]
    write_batch(store, samples.batch("app_definitions", *results, run_id=name))


def test_three_processes_replace_the_same_partitions_and_a_reader_sees_each_once(
    address: DuckLakeAddress,
) -> None:
    store = DuckLake.at(address)
    write_all(store, "first")
    writers = [start(WRITER, address, name) for name in "abc"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        sql = "SELECT count(*), min(name), max(name) FROM app_versions"
        ((count, least, greatest),) = query(store, sql).rows
        assert (count, least) == (PARTITIONS, greatest)
        seen.add(least)
    errors = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0, 0], errors
    assert len(seen) >= 3
    rows = query(
        store, "SELECT count(*), count(DISTINCT partition_key) FROM lineage WHERE input_kind = 'file'"
    )
    assert rows.rows == ((PARTITIONS, PARTITIONS),)


def test_a_killed_writer_leaves_the_old_rows_and_gives_back_its_turn(address: DuckLakeAddress) -> None:
    store = DuckLake.at(address)
    write_all(store, "first")
    holder = start(HOLDER, address)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match="lock timeout"):
            write_all(DuckLake.at(address, lock_timeout_s=0.2), "second")
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
    count = "SELECT count(*), min(name) FROM app_versions"
    assert query(store, count).rows == ((PARTITIONS, "first"),)
    write_all(store, "third")
    assert query(store, count).rows == ((PARTITIONS, "third"),)


def test_a_write_in_conflict_is_tried_again(address: DuckLakeAddress) -> None:
    """Maintenance, which takes no turns, may rewrite the files that a write deletes from."""
    store = DuckLake.at(address)
    write_all(store, "first")
    attempts = []

    def change(connection: duckdb.DuckDBPyConnection) -> None:
        attempts.append(1)
        connection.execute("UPDATE app_versions SET name = 'mine'")
        if len(attempts) == 1:
            catalogue = Catalogue(f"{DUCKLAKE_PREFIX}{address.connection}", ("ducklake", "postgres_scanner"))
            without_turns = DuckLake(catalogue, address.data_path)
            without_turns.write(lambda other: other.execute("UPDATE app_versions SET name = 'theirs'"))

    store.write(change)
    assert len(attempts) == 2
    assert query(store, "SELECT DISTINCT name FROM app_versions").rows == (("mine",),)


def test_a_postgres_that_is_not_there_is_a_store_error(tmp_path: Path) -> None:
    lake = DuckLake.at(DuckLakeAddress("host='127.0.0.1' port='1' dbname='x'", tmp_path / "lake"))
    for use in (lake.exists, lake.prepare, lambda: query(lake, "SELECT 1")):
        with pytest.raises(StoreError, match="port='1' dbname='x' cannot be read"):
            use()
