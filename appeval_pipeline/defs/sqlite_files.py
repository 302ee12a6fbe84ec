"""Dagster's SQLite files, written with less waiting for the disk."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Dialect, Engine


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


def _has_write_ahead_log(connection: sqlite3.Connection) -> bool:
    """Whether it has one already; a file gets one when Dagster has made its tables."""
    return bool(connection.execute("PRAGMA journal_mode").fetchone() == ("wal",))


def _opened(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    # Only who has read from a file counts as having it open.
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return connection
