"""The DuckDB files: one that a writer holds for a moment, and the snapshot that readers open.

While a process has a DuckDB file open for writing, nobody else can open it, not even to read. So results are
written to ``<stem>.write.duckdb`` and each write ends by publishing a copy, which takes the snapshot's place
atomically: readers never wait, and never see half a batch.
"""

from __future__ import annotations

import fcntl
import io
import logging
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

import duckdb
import tenacity

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.migration import applied_number, migrate, migrations
from appeval_pipeline.store.schema import empty_database

T = TypeVar("T")

logger = logging.getLogger(__name__)

_ONE_WRITER = threading.RLock()
"""DuckDB's file lock keeps out other processes, but not other threads of this one."""

READER_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "lock_configuration": "true",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""A reader can neither reach files or extensions nor change these settings."""

_WRITER_CONFIG: dict[str, str | bool | int | float | list[str]] = {"threads": 1}
"""A batch is small: handing its pieces to other threads would take longer than the work."""

_NO_EXTENSIONS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}

READER_PATIENCE_S = 2.0
"""How long a reader waits for a snapshot that another program has open; our own never lock it."""


class Database:
    """The two files of one store.

    Args:
        path: The snapshot, as ``APPEVAL_STORE`` names it.
        lock_timeout_s: How long a write waits for another process to finish its own.
    """

    def __init__(self, path: Path, *, lock_timeout_s: float = 60.0) -> None:
        self.path = path
        self.write_path = path.with_name(f"{path.stem}.write{path.suffix}")
        self._log_path = self.write_path.with_name(f"{self.write_path.name}.wal")
        self._temporary_prefix = f".{path.name}.publishing-"
        self._lock_timeout_s = lock_timeout_s

    @property
    def name(self) -> str:
        """The snapshot's path."""
        return str(self.path)

    @contextmanager
    def reader(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection to the snapshot as it is now.

        Raises:
            StoreError: There is no snapshot, or it cannot be opened, or its schema is not the present one.
        """
        if not self.exists():
            raise StoreError(f"There is no store at {self.path} yet: run `appeval run` first")
        with self._snapshot() as connection:
            if applied_number(connection) < migrations()[-1].number:
                raise StoreError(
                    f"The store {self.path} was written by an older version: run `appeval run` to renew it"
                )
            yield connection

    @contextmanager
    def exporter(self, directory: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        """The snapshot, attached read-only to a connection that may write files in ``directory``.

        Raises:
            StoreError: As for :meth:`reader`, or the snapshot cannot be read any more.
        """
        with self.reader():  # says what is wrong with the snapshot
            pass
        try:
            with duckdb.connect(":memory:", config=_NO_EXTENSIONS) as connection:
                connection.execute(f"ATTACH {_literal(self.path)} AS store (READ_ONLY)")
                connection.execute("USE store")
                connection.execute(f"SET allowed_directories = [{_literal(directory)}]")
                connection.execute("SET enable_external_access = false")
                connection.execute("SET lock_configuration = true")
                yield connection
        except duckdb.Error as error:
            raise StoreError(f"The store {self.path} cannot be exported: {_first_line(error)}") from error

    def exists(self) -> bool:
        """Whether there is a snapshot.

        Raises:
            StoreError: The path cannot be looked at.
        """
        try:
            return self.path.exists()
        except OSError as error:
            raise StoreError(f"The store {self.path} cannot be opened: {error.strerror}") from error

    def write(self, change: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Apply ``change`` in one transaction and publish the result.

        Raises:
            StoreError: Another process held the file for longer than the lock timeout, or the change failed:
                the store is as it was. Or the result could not be published: readers see what there was,
                and the next write publishes both.
        """
        with _ONE_WRITER, self._writer() as connection:
            connection.execute("BEGIN")
            try:
                result = change(connection)
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            self._publish(connection)
            return result

    def prepare(self) -> None:
        """Make sure that there is a snapshot with the present schema.

        Raises:
            StoreError: There is one that cannot be read, or none can be written.
        """
        if self.exists():
            with self._snapshot() as connection:
                if applied_number(connection) == migrations()[-1].number:
                    return
        self.write(lambda connection: None)

    @contextmanager
    def _snapshot(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            connection = _connect(self.path, READER_PATIENCE_S, read_only=True)
        except duckdb.Error as error:
            advice = (
                "close the program that has it open"
                if _is_lock_conflict(error)
                else "move it away and `appeval run` writes a new one, or name another file in APPEVAL_STORE"
            )
            raise StoreError(
                f"The store {self.path} cannot be opened: {_first_line(error)}; {advice}"
            ) from error
        try:
            yield connection
        except duckdb.Error as error:
            raise StoreError(f"The store {self.path} cannot be read: {_first_line(error)}") from error
        finally:
            connection.close()

    @contextmanager
    def _writer(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The store's directory {self.path.parent} cannot be made: {error.strerror}; "
                "name another file in APPEVAL_STORE"
            ) from error
        connection = self._open_for_writing()
        try:
            if applied_number(connection) == 0 and self.exists():
                self._restore_from_snapshot(connection)
            migrate(connection)
            yield connection
        except (duckdb.Error, OSError) as error:
            raise StoreError(f"The store {self.path} cannot be written: {_first_line(error)}") from error
        finally:
            connection.close()

    def _open_for_writing(self) -> duckdb.DuckDBPyConnection:
        try:
            if not any(path.exists() for path in (self.write_path, self._log_path, self.path)):
                self._found()
            try:
                return _connect(self.write_path, self._lock_timeout_s)
            except duckdb.Error as error:
                if _is_lock_conflict(error) or not self._set_broken_file_aside():
                    raise
            return _connect(self.write_path, self._lock_timeout_s)
        except (duckdb.Error, OSError) as error:
            raise StoreError(
                f"The store's file {self.write_path} cannot be opened for writing: {_first_line(error)}"
            ) from error

    def _found(self) -> None:
        """Put an empty store in the writer's place, whole, unless another process has just done so.

        Where the file system knows no links, the writer makes its file by migrating. So it does where the
        log of a deleted store was left behind: DuckDB drops it then, but would apply it to our file.
        """
        temporary = self.path.with_name(f"{self._temporary_prefix}{os.getpid()}")
        with suppress(OSError):
            _write_to_disk(temporary, io.BytesIO(empty_database()))
            os.link(temporary, self.write_path)
        temporary.unlink(missing_ok=True)

    def _set_broken_file_aside(self) -> bool:
        """Rename an unreadable writer's file, if a readable snapshot can take its place.

        Returns:
            Whether it is worth opening the file again.
        """
        with _exclusive(self.path.parent):
            try:
                _connect(self.write_path, 0).close()
            except duckdb.Error as error:
                if _is_lock_conflict(error):
                    return True  # another process has repaired it, and is at work on it
                fault = _first_line(error)
            else:
                return True
            if not self.write_path.is_file() or not self._has_readable_snapshot():
                return False
            broken = self.write_path.with_name(f"{self.write_path.name}.broken")
            self.write_path.replace(broken)
            if self._log_path.exists():
                self._log_path.replace(self._log_path.with_name(f"{self._log_path.name}.broken"))
        logger.warning(
            "%s cannot be read (%s): it is now %s, and %s takes its place",
            self.write_path,
            fault,
            broken.name,
            self.path.name,
        )
        return True

    def _has_readable_snapshot(self) -> bool:
        try:
            with self.reader():
                return True
        except StoreError:
            return False

    def _restore_from_snapshot(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Fill a lost writer's file from the snapshot."""
        connection.execute(f"ATTACH {_literal(self.path)} AS snapshot (READ_ONLY)")
        try:
            connection.execute("BEGIN")
            connection.execute(f"COPY FROM DATABASE snapshot TO {_current_database(connection)}")
            connection.execute("COMMIT")
        finally:
            connection.execute("DETACH snapshot")

    def _publish(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Copy the writer's file and put the copy in the snapshot's place; this ends the connection.

        The writer's lock is held, so that nobody else publishes now, leftovers are nobody's, and the file
        stays as the checkpoint left it. Closing any descriptor of a file gives up all of a process's locks
        on it, hence the order of the two ends.
        """
        for leftover in self.path.parent.glob(f"{self._temporary_prefix}*"):
            leftover.unlink(missing_ok=True)
        temporary = self.path.with_name(f"{self._temporary_prefix}{os.getpid()}")
        with self.write_path.open("rb") as written:
            try:
                connection.execute("CHECKPOINT")  # all of it is in the one file now, none in its log
                _write_to_disk(temporary, written)
                temporary.replace(self.path)
                _sync(self.path.parent)
            finally:
                connection.close()


def _connect(path: Path, patience_s: float, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    """Open a file, waiting so long for whoever has it open; raises duckdb.Error."""
    retry = tenacity.Retrying(
        retry=tenacity.retry_if_exception(_is_lock_conflict),
        wait=tenacity.wait_random_exponential(multiplier=0.02, max=0.5),
        stop=tenacity.stop_after_delay(patience_s),
        reraise=True,
    )
    if read_only:
        return retry(duckdb.connect, str(path), read_only=True, config=READER_CONFIG)
    return retry(duckdb.connect, str(path), config=_WRITER_CONFIG)


@contextmanager
def _exclusive(directory: Path) -> Iterator[None]:
    """Be the only process in here for this directory."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _is_lock_conflict(error: BaseException) -> bool:
    return isinstance(error, duckdb.IOException) and "Could not set lock on file" in str(error)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]


def _literal(path: Path) -> str:
    """``path`` as an SQL string; ATTACH takes no parameters."""
    return "'" + str(path).replace("'", "''") + "'"


def _current_database(connection: duckdb.DuckDBPyConnection) -> str:
    row = connection.execute("SELECT current_database()").fetchone()
    name = str(row[0]) if row else ""
    return '"' + name.replace('"', '""') + '"'


def _write_to_disk(path: Path, content: BinaryIO) -> None:
    with path.open("xb") as file:
        shutil.copyfileobj(content, file, 1024 * 1024)
        file.flush()
        os.fsync(file.fileno())


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
