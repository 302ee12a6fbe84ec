"""Several processes at one store: readers never wait or see half a batch, and a crash leaves old or new."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database, query, write_batch
from appeval_pipeline.store import database as database_module
from appeval_pipeline.store.results import read_state
from appeval_pipeline_tests.store import samples


@pytest.fixture
def database(duckdb_file: Database) -> Database:
    return duckdb_file


WRITER = """
import sys
from pathlib import Path
from appeval_pipeline.store import Database
from appeval_pipeline_tests.store.samples import write_generation

database = Database(Path(sys.argv[1]))
first, last = int(sys.argv[2]), int(sys.argv[3])
for number in range(first, last):
    write_generation(database, number)
    print(number, flush=True)
"""

CRASHING_WRITER = WRITER.replace(
    "database = Database(Path(sys.argv[1]))",
    "import os\nclass Crashing(Database):\n    def _publish(self, connection): os.kill(os.getpid(), 9)\n"
    "database = Crashing(Path(sys.argv[1]))",
)

READER = """
import sys, time
from pathlib import Path
from appeval_pipeline.store import Database, query

database = Database(Path(sys.argv[1]))
reads, seen, deadline = 0, set(), time.monotonic() + float(sys.argv[2])
# Long enough to see several generations, however busy the machine is.
while time.monotonic() < deadline or ((len(seen) < 3 or reads < 11) and time.monotonic() < deadline + 50):
    sql = "SELECT count(*), count(DISTINCT run_id), min(name), max(name) FROM app_versions"
    rows = query(database, sql).rows
    count, runs, least, greatest = rows[0]
    lineage = query(database, "SELECT count(DISTINCT run_id), count(*) FROM lineage").rows[0]
    assert (count, runs) == (50, 1) and least == greatest, rows
    assert lineage == (1, 200), lineage
    reads, seen = reads + 1, seen | {least}
print(reads, len(seen))
"""


def start(code: str, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: "subprocess.Popen[str]", timeout_s: float = 60) -> str:
    output, errors = process.communicate(timeout=timeout_s)
    assert process.returncode == 0, errors
    return output


@contextmanager
def held_by_another_process(path: Path, seconds: float) -> Iterator[None]:
    holder = start(
        "import duckdb, sys, time\nc = duckdb.connect(sys.argv[1])\n"
        "print('held', flush=True)\ntime.sleep(float(sys.argv[2]))",
        path,
        seconds,
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        yield
    finally:
        holder.kill()
        holder.communicate()


def generation(database: Database) -> set[object]:
    return {row[0] for row in query(database, "SELECT DISTINCT name FROM app_versions").rows}


def test_readers_get_whole_answers_while_others_write(database: Database) -> None:
    samples.write_generation(database, 0)
    readers = [start(READER, database.path, 1) for _ in range(2)]
    writer = start(WRITER, database.path, 1, 1000)
    try:
        for reader in readers:
            reads, generations = map(int, finish(reader).split())
            assert reads > 10
            assert generations > 2
    finally:
        writer.kill()
        writer.communicate()


def test_writers_wait_for_each_other(database: Database) -> None:
    writers = [start(WRITER, database.path, first, first + 5) for first in (0, 100)]
    for writer in writers:
        finish(writer)
    with database.reader() as connection:
        assert connection.execute("SELECT count(*) FROM app_versions").fetchone() == (50,)


@pytest.mark.parametrize("delay_s", [0.0, 0.02, 0.05, 0.13])
def test_a_killed_writer_leaves_the_old_or_the_new(database: Database, delay_s: float) -> None:
    samples.write_generation(database, 0)
    writer = start(WRITER, database.path, 1, 1000)
    assert writer.stdout is not None
    writer.stdout.readline()
    time.sleep(delay_s)
    writer.send_signal(signal.SIGKILL)
    writer.communicate()

    (published,) = generation(database)
    samples.write_generation(database, 5000)
    assert generation(database) == {"generation 5000"}
    assert published != "generation 5000"
    leftovers = [path.name for path in database.path.parent.iterdir() if "publishing" in path.name]
    assert leftovers == []


def test_a_crash_before_publishing_keeps_the_old_snapshot(database: Database) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition(name="old")))
    process = start(CRASHING_WRITER, database.path, 1, 2)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert generation(database) == {"old"}
    database.write(lambda connection: None)
    assert generation(database) == {"old", "generation 1"}


def test_nobody_can_write_between_a_change_and_its_publication(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts = []

    def sync(path: Path) -> None:
        """The last thing that publishing does."""
        attempt = start("import duckdb, sys; duckdb.connect(sys.argv[1])", database.write_path)
        attempts.append(attempt.communicate(timeout=60)[1])

    monkeypatch.setattr(database_module, "_sync", sync)
    database.write(lambda connection: None)
    assert len(attempts) == 1
    assert "Conflicting lock" in attempts[0]


def test_what_a_deleted_store_left_in_its_log_does_not_come_back(database: Database) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition(name="old")))
    process = start(CRASHING_WRITER, database.path, 1, 2)
    process.communicate(timeout=60)
    assert database.write_path.with_name("appeval.write.duckdb.wal").stat().st_size > 0
    database.path.unlink()
    database.write_path.unlink()
    write_batch(database, samples.batch("app_definitions", samples.definition(name="new")))
    assert generation(database) == {"new"}


def test_a_store_is_made_where_there_are_no_links(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(source: Path, target: Path) -> None:
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    write_batch(database, samples.batch("app_definitions", samples.definition()))
    assert query(database, "SELECT version FROM app_versions").rows == ((1,),)
    assert {path.name for path in database.path.parent.iterdir()} == {
        "appeval.duckdb",
        "appeval.write.duckdb",
    }


def test_a_lost_writer_file_is_restored_from_the_snapshot(database: Database) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition(version=1)))
    database.write_path.unlink()
    write_batch(database, samples.batch("app_definitions", samples.definition(version=2)))
    assert query(database, "SELECT version FROM app_versions ORDER BY ALL").rows == ((1,), (2,))


def test_a_lost_snapshot_is_published_again(database: Database) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition()))
    database.path.unlink()
    database.prepare()
    assert query(database, "SELECT count(*) FROM app_versions").rows == ((1,),)


def test_a_writer_gives_up_when_the_lock_is_held_too_long(tmp_path: Path) -> None:
    database = Database(tmp_path / "appeval.duckdb", lock_timeout_s=0.5)
    database.prepare()
    with held_by_another_process(database.write_path, 60):
        with pytest.raises(StoreError, match="cannot be opened for writing"):
            database.write(lambda connection: None)
        assert query(database, "SELECT 1").rows == ((1,),)


def test_no_connection_is_left_open(database: Database) -> None:
    database.prepare()
    query(database, "SELECT 1")
    output = finish(
        start(
            "import duckdb, sys\nfor path in sys.argv[1:]:\n    duckdb.connect(path).close()\nprint('free')",
            database.path,
            database.write_path,
        )
    )
    assert output == "free\n"


def test_a_failing_change_is_rolled_back(database: Database) -> None:
    database.prepare()

    def change(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("INSERT INTO schema_migrations VALUES (0, 'x', now()::TIMESTAMP)")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        database.write(change)
    database.write(lambda connection: None)
    assert query(database, "SELECT count(*) FROM schema_migrations WHERE number = 0").rows == ((0,),)


def make_garbage(path: Path) -> None:
    path.write_bytes(b"nonsense" * 1000)


def make_empty(path: Path) -> None:
    path.write_bytes(b"")


def make_directory(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def make_cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def make_damaged_inside(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:12288] + b"\xff" * (len(data) - 12288))


@pytest.mark.parametrize("spoil", [make_garbage, make_empty, make_directory, make_cut_off])
def test_a_snapshot_that_cannot_be_read_is_a_store_error(
    database: Database, spoil: Callable[[Path], None]
) -> None:
    database.prepare()
    spoil(database.path)
    for call in (database.prepare, lambda: query(database, "SELECT 1"), lambda: read_state(database)):
        with pytest.raises(StoreError, match=r"appeval\.duckdb cannot be opened: .*; move it away"):
            call()


def test_a_snapshot_damaged_inside_is_a_store_error(database: Database) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition()))
    make_damaged_inside(database.path)
    with pytest.raises(StoreError, match=r"cannot be (opened|read)"):
        read_state(database)


def test_a_snapshot_that_another_program_holds_is_a_store_error(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "READER_PATIENCE_S", 0.1)
    database.prepare()
    with held_by_another_process(database.path, 60):
        for call in (database.prepare, lambda: query(database, "SELECT 1")):
            with pytest.raises(StoreError, match="close the program that has it open"):
                call()


def test_a_reader_waits_a_moment_for_another_program(database: Database) -> None:
    database.prepare()
    with held_by_another_process(database.path, 0.3):
        assert query(database, "SELECT 1").rows == ((1,),)


def test_a_store_under_a_file_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "a.duckdb", tmp_path / "file" / "deep" / "a.duckdb"):
        with pytest.raises(StoreError, match=r"file.* cannot be made: .*APPEVAL_STORE"):
            Database(path).prepare()
        with pytest.raises(StoreError, match="There is no store"):
            query(Database(path), "SELECT 1")


def test_a_store_with_too_long_a_name_is_a_store_error(tmp_path: Path) -> None:
    database = Database(tmp_path / ("x" * 300 + ".duckdb"))
    for call in (database.prepare, lambda: query(database, "SELECT 1"), lambda: read_state(database)):
        with pytest.raises(StoreError, match="cannot be opened: File name too long"):
            call()


@pytest.mark.parametrize("spoil", [make_garbage, make_empty, make_cut_off, make_damaged_inside])
def test_a_broken_writer_file_is_set_aside_and_restored(
    database: Database, spoil: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    write_batch(database, samples.batch("app_definitions", samples.definition(version=1)))
    spoil(database.write_path)
    spoiled = database.write_path.read_bytes()
    log = database.write_path.with_name(f"{database.write_path.name}.wal")
    log.write_bytes(b"of the broken file")
    write_batch(database, samples.batch("app_definitions", samples.definition(version=2)))
    assert query(database, "SELECT version FROM app_versions ORDER BY ALL").rows == ((1,), (2,))
    broken = database.write_path.with_name("appeval.write.duckdb.broken")
    assert broken.read_bytes() == spoiled
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "it is now appeval.write.duckdb.broken" in record.message


def test_a_broken_writer_file_stays_where_there_is_no_good_snapshot(database: Database) -> None:
    database.prepare()
    make_garbage(database.write_path)
    make_garbage(database.path)
    with pytest.raises(StoreError, match=r"appeval\.write\.duckdb cannot be opened for writing"):
        database.write(lambda connection: None)
    assert database.write_path.exists()
