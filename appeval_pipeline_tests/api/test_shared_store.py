"""Readers of one server share a snapshot, and never keep an old one alive."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from appeval_pipeline.api.shared_store import MAX_REMEMBERED, SharedStore
from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database

COUNT = "SELECT count(*) FROM run_failures"


def write_failure(store: Database | SharedStore, run_id: str) -> None:
    sql = "INSERT INTO run_failures (run_id, partition_keys, error, failed_at) VALUES (?, '[]', 'x', now())"
    store.write(lambda connection: connection.execute(sql, [run_id]) and None)


def count(store: SharedStore) -> int:
    with store.reader() as connection:
        row = connection.execute(COUNT).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database(tmp_path / "appeval.duckdb")
    database.prepare()
    return database


def test_a_reader_sees_one_snapshot_and_the_next_reader_the_new_one(database: Database) -> None:
    store = SharedStore(database)
    with store.reader() as connection:
        assert connection.execute(COUNT).fetchone() == (0,)
        write_failure(database, "one")
        assert connection.execute(COUNT).fetchone() == (0,)
    assert count(store) == 1


def test_readers_that_overlap_without_end_see_what_is_written(database: Database) -> None:
    store = SharedStore(database)
    stop = threading.Event()
    seen: list[int] = []

    def read() -> None:
        while not stop.is_set():
            seen.append(count(store))

    with ThreadPoolExecutor(4) as pool:
        reading = [pool.submit(read) for _ in range(4)]
        for number in range(5):
            write_failure(database, str(number))
            written = count(store)
            assert written == number + 1
        stop.set()
        for one in reading:
            one.result()
    assert set(seen) <= set(range(6))
    assert len(seen) > 20


def test_a_reader_within_a_reader_sees_the_same_snapshot(database: Database) -> None:
    store = SharedStore(database)
    with store.reader():
        write_failure(database, "one")
        assert count(store) == 0
    assert count(store) == 1


def test_a_store_that_appears_later_is_found(tmp_path: Path) -> None:
    store = SharedStore(Database(tmp_path / "late.duckdb"))
    with pytest.raises(StoreError, match="There is no store"):
        count(store)
    store.prepare()
    assert count(store) == 0


def test_it_can_be_read_again_after_it_was_closed(database: Database) -> None:
    store = SharedStore(database)
    assert count(store) == 0
    store.close()
    assert count(store) == 0


def test_a_faulty_statement_is_an_error_of_the_store(database: Database) -> None:
    store = SharedStore(database)
    with pytest.raises(StoreError, match="cannot be read"), store.reader() as connection:
        connection.execute("SELECT nothing FROM nowhere")
    with pytest.raises(StoreError), store.reader() as connection:
        connection.execute("DELETE FROM run_failures")


def test_what_was_read_of_a_snapshot_is_remembered_until_the_next(database: Database) -> None:
    store = SharedStore(database)
    asked: list[str] = []

    def make(connection: duckdb.DuckDBPyConnection, name: str) -> tuple[str, int]:
        asked.append(name)
        row = connection.execute(COUNT).fetchone()
        assert row is not None
        return name, int(row[0])

    assert [store.remembered(make, name) for name in ("a", "b", "a")] == [("a", 0), ("b", 0), ("a", 0)]
    assert asked == ["a", "b"]
    write_failure(database, "one")
    assert store.remembered(make, "a") == ("a", 1)
    for number in range(MAX_REMEMBERED):
        store.remembered(make, str(number))
    asked.clear()
    assert store.remembered(make, "a") == ("a", 1)
    assert asked == ["a"]
