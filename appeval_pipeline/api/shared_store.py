"""One open snapshot for all threads of a server, renewed when another has been published."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Final, TypeVar, TypeVarTuple

import duckdb

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store import Database, Store

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

MAX_REMEMBERED: Final = 200
"""Answers kept of a snapshot: those that were asked for last."""

Signature = tuple[int, int, int]
"""Inode, time and size of a snapshot's file: another snapshot has another."""


class SharedStore:
    """A store whose readers share one connection, each with a cursor of its own.

    Within a process DuckDB knows an open file by its path: who opens a path while somebody has it open gets
    what that one has, though another file may stand there by now. Readers that overlap without end would see
    the oldest snapshot for ever. So when another snapshot stands at the path, readers wait until those before
    them have finished, which takes milliseconds, and the first one opens it.

    Args:
        store: The store. A lake has no file to look at and is opened anew by each reader.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._path = store.path if isinstance(store, Database) else None
        self._changed = threading.Condition()
        self._reading = 0
        self._thread = threading.local()
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._signature: Signature | None = None
        self._open = ExitStack()
        self._remembered: OrderedDict[tuple[Hashable, ...], object] = OrderedDict()

    @property
    def name(self) -> str:
        """The store's address."""
        return self._store.name

    @contextmanager
    def reader(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection to the snapshot as it is now; what one reader sees does not change.

        Raises:
            StoreError: There is no store, or it cannot be opened or read.
        """
        if self._path is None:
            with self._store.reader() as connection:
                yield connection
            return
        with self._cursor(self._path) as cursor:
            try:
                yield cursor
            except duckdb.Error as error:
                reason = str(error).strip().splitlines()[0]
                raise StoreError(f"The store {self.name} cannot be read: {reason}") from error

    def remembered(self, make: Callable[[duckdb.DuckDBPyConnection, *Ts], T], *args: *Ts) -> T:
        """What ``make`` reads of the present snapshot, which is read once: a snapshot does not change.

        Args:
            make: Reads with a connection and ``args``, which can be hashed; nobody changes what it gives.

        Raises:
            StoreError: As for :meth:`reader`.
        """
        with self.reader() as connection:
            # A reader's snapshot stays the present one until it has finished.
            if self._path is None:
                return make(connection, *args)
            key = (make, *args)
            with self._changed:
                if key in self._remembered:
                    self._remembered.move_to_end(key)
                    return self._remembered[key]  # type: ignore[return-value]
            made = make(connection, *args)
            with self._changed:
                self._remembered[key] = made
                if len(self._remembered) > MAX_REMEMBERED:
                    self._remembered.popitem(last=False)
            return made

    @contextmanager
    def _cursor(self, path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        depth = getattr(self._thread, "depth", 0)
        with self._changed:
            # Who reads already would wait for itself: a reader within a reader sees the same snapshot.
            connection = self._connection if depth else None
            connection = connection or self._current(path)
            self._reading += 1
        self._thread.depth = depth + 1
        try:
            with connection.cursor() as cursor:
                yield cursor
        finally:
            self._thread.depth = depth
            with self._changed:
                self._reading -= 1
                self._changed.notify_all()

    def _current(self, path: Path) -> duckdb.DuckDBPyConnection:
        """The connection to the snapshot that stands at ``path``; the lock is held."""
        while True:
            signature = _signature(path)
            if self._connection is not None and signature == self._signature:
                return self._connection
            if self._reading == 0:
                break
            self._changed.wait()
        self.close()
        self._connection = self._open.enter_context(self._store.reader())
        # Of the file as it was before it was opened: a newer one is looked at once more.
        self._signature = signature
        return self._connection

    def close(self) -> None:
        """Let go of the snapshot; the next reader opens it again."""
        self._connection = self._signature = None
        self._remembered.clear()
        self._open.close()

    def exporter(self, directory: Path) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """As the store's own."""
        return self._store.exporter(directory)

    def exists(self) -> bool:
        """Whether anything was ever written to it."""
        return self._store.exists()

    def write(self, change: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """As the store's own."""
        return self._store.write(change)

    def prepare(self) -> None:
        """Make sure that it exists with the present schema."""
        self._store.prepare()


def _signature(path: Path) -> Signature | None:
    """None where there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_ino, found.st_mtime_ns, found.st_size)
