"""Dagster's SQLite files, written with less waiting for the disk and less work."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dagster._core.storage.event_log.sqlite import sqlite_event_log
from dagster._core.storage.runs.sqlite import sqlite_run_storage
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Dialect, Engine

_MAKING_ENGINES = (sqlite_event_log, sqlite_run_storage)
"""Dagster's modules that make an engine for each statement."""


@contextmanager
def patient_commits() -> Iterator[None]:
    """Let the operating system decide when what Dagster stores in SQLite reaches the disk.

    For each event of a run Dagster opens an SQLite file some nine times. SQLite then waits for the disk at
    every commit, and, as nobody else has the file open, moves its write-ahead log into it at every close:
    most of the time of a run on many versions. Within this context it waits at checkpoints only, and a
    connection to each file stays open, so that the others close for free.

    Whatever process dies, nothing is lost. A power failure may cost the last events of a run, but no file;
    and what was evaluated is decided by the results store, which does wait for the disk.
    """
    held: dict[str, sqlite3.Connection] = {}

    def connect(dialect: Dialect, _record: object, arguments: list[str], options: dict[str, Any]) -> object:
        connection = dialect.connect(*arguments, **options)
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = NORMAL")
            path = arguments[0]
            if path not in held and Path(path).is_absolute() and _has_write_ahead_log(connection):
                held[path] = _opened(path)
        return connection

    event.listen(Engine, "do_connect", connect)
    try:
        yield
    finally:
        event.remove(Engine, "do_connect", connect)
        for connection in held.values():
            connection.close()


@contextmanager
def kept_engines() -> Iterator[None]:
    """Let Dagster have one SQLAlchemy engine for each of its SQLite files.

    It makes a new one for each statement, and so compiles each statement anew: some seven hundred in a run on
    one app version, a sixth of its time. An engine that is kept remembers them.
    """
    engines: dict[str, Engine] = {}

    def kept(url: str, **options: Any) -> Engine:
        if url not in engines:
            engines[url] = create_engine(url, **options)
        return engines[url]

    for module in _MAKING_ENGINES:
        setattr(module, create_engine.__name__, kept)
    try:
        yield
    finally:
        for module in _MAKING_ENGINES:
            setattr(module, create_engine.__name__, create_engine)


def _has_write_ahead_log(connection: sqlite3.Connection) -> bool:
    """Whether it has one already; a file gets one when Dagster has made its tables."""
    return bool(connection.execute("PRAGMA journal_mode").fetchone() == ("wal",))


def _opened(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    # Only who has read from a file counts as having it open.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return connection
