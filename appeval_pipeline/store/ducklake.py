"""The results in a DuckLake: a catalogue that many machines share, and data files beside it.

Readers and writers attach it for a moment each. A reader sees the lake's last snapshot, so nothing has to be
published. Writers take turns, by a lock in the catalogue's own Postgres: without it, two of them could
replace the same partition at once, and both would insert. What DuckLake cannot do of what the migrations say
is left out in one place, :func:`run_script`.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import duckdb
import tenacity

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.migration import applied_number, migrate, migrations
from appeval_pipeline.store_address import DUCKLAKE_PREFIX, DuckLakeAddress

T = TypeVar("T")

WRITERS_TURN = 7_202_011
"""The key of the Postgres advisory lock that a writer holds; any number does that nobody else uses."""

MOST_ATTEMPTS = 5
"""How often a write is tried: only a program that keeps no turns can be in conflict with it."""

_NO_NETWORK: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_COLUMN_COMMENT = re.compile(r"COMMENT\s+ON\s+COLUMN\s+(?P<table>\w+)\.", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Where a lake's catalogue is.

    Attributes:
        attach: What DuckDB's ATTACH takes.
        extensions: The DuckDB extensions that it takes.
        turns: How libpq reaches the Postgres in which writers take turns; None where only one process
            writes.
    """

    attach: str
    extensions: tuple[str, ...] = ("ducklake",)
    turns: str | None = None


class DuckLake:
    """One lake.

    Args:
        catalogue: The catalogue.
        data_path: The directory with the data files.
        lock_timeout_s: How long a write waits for its turn.
    """

    def __init__(self, catalogue: Catalogue, data_path: Path, *, lock_timeout_s: float = 60.0) -> None:
        self._catalogue = catalogue
        self._data_path = data_path
        self._lock_timeout_s = lock_timeout_s

    @classmethod
    def at(cls, address: DuckLakeAddress, *, lock_timeout_s: float = 60.0) -> DuckLake:
        """The lake whose catalogue is in Postgres."""
        catalogue = Catalogue(
            f"{DUCKLAKE_PREFIX}{address.connection}", ("ducklake", "postgres_scanner"), address.connection
        )
        return cls(catalogue, address.data_path, lock_timeout_s=lock_timeout_s)

    @property
    def name(self) -> str:
        """The catalogue's address."""
        return self._catalogue.attach

    @contextmanager
    def reader(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection that reaches the data files and no others.

        Raises:
            StoreError: There is no lake, it cannot be reached, or its schema is not the present one.
        """
        with self._reading([self._data_path]) as connection:
            yield connection

    @contextmanager
    def exporter(self, directory: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        """A reader that may also write files in ``directory``.

        Raises:
            StoreError: As for :meth:`reader`, or the store cannot be read any more.
        """
        with self._reading([self._data_path, directory]) as connection:
            try:
                yield connection
            except duckdb.Error as error:
                raise StoreError(f"The store {self.name} cannot be exported: {_first_line(error)}") from error

    def exists(self) -> bool:
        """Whether the catalogue holds a lake with our tables.

        Raises:
            StoreError: The catalogue cannot be reached.
        """
        try:
            with self._attached(read_only=True) as connection:
                return applied_number(connection) > 0
        except _NoLakeError:
            return False

    def write(self, change: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Apply ``change`` in one transaction.

        Raises:
            StoreError: The lake cannot be reached, its other writers took too long, or the write failed.
        """
        with self._attached(read_only=False) as connection:
            migrate(connection, run_script)
            return _attempts(lambda: _in_transaction(connection, change))

    def prepare(self) -> None:
        """Make the lake, or bring its schema up to date.

        Raises:
            StoreError: It cannot be reached or written.
        """
        try:
            with self._attached(read_only=True) as connection:
                if applied_number(connection) == migrations()[-1].number:
                    return
        except _NoLakeError:
            pass
        self.write(lambda connection: None)

    @contextmanager
    def _reading(self, directories: list[Path]) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            with self._attached(read_only=True) as connection:
                if applied_number(connection) < migrations()[-1].number:
                    raise StoreError(
                        f"The store {self.name} was written by an older version: "
                        "run `appeval run` to renew it"
                    )
                allowed = ", ".join(_literal(str(directory)) for directory in directories)
                connection.execute(f"SET allowed_directories = [{allowed}]")
                connection.execute("SET enable_external_access = false")
                connection.execute("SET lock_configuration = true")
                yield connection
        except _NoLakeError as error:
            raise StoreError(f"There is no store at {self.name} yet: run `appeval run` first") from error

    @contextmanager
    def _attached(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        options = f"DATA_PATH {_literal(f'{self._data_path}/')}{', READ_ONLY' if read_only else ''}"
        try:
            if not read_only:
                self._data_path.mkdir(parents=True, exist_ok=True)
            with (
                _connect(self._catalogue.extensions) as connection,
                nullcontext() if read_only else self._turn(connection),
            ):
                try:
                    connection.execute(f"ATTACH {_literal(self._catalogue.attach)} AS lake ({options})")
                except duckdb.Error as error:
                    if read_only and "does not exist" in str(error):
                        raise _NoLakeError(self.name) from error
                    raise
                connection.execute("USE lake")
                yield connection
        except (duckdb.Error, OSError) as error:
            use = "read" if read_only else "written"
            raise StoreError(f"The store {self.name} cannot be {use}: {_first_line(error)}") from error

    @contextmanager
    def _turn(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Be the only writer of this catalogue; Postgres frees the lock of one that died."""
        if self._catalogue.turns is None:
            yield
            return
        connection.execute(f"ATTACH {_literal(self._catalogue.turns)} AS turns (TYPE postgres, READ_ONLY)")
        with connection.cursor() as lock:  # whose transaction lasts longer than those of the write
            lock.execute("BEGIN")  # so that both statements go over one connection to Postgres
            for statement in (
                f"SELECT set_config('lock_timeout', '{round(self._lock_timeout_s * 1000)}ms', true)",
                f"SELECT pg_advisory_xact_lock({WRITERS_TURN})::text",
            ):
                lock.execute(f"FROM postgres_query('turns', {_literal(statement)})").fetchall()
            yield


class _NoLakeError(StoreError):
    """The catalogue can be reached, and there is no lake in it."""


def run_script(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Execute a migration, without what DuckLake cannot do: a view's columns have no comments there."""
    for statement in connection.extract_statements(sql):
        comment = _COLUMN_COMMENT.search(statement.query)
        if comment is None or not _is_view(connection, comment["table"]):
            connection.execute(statement)


def _is_view(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    row = connection.execute(
        "SELECT count(*) FROM duckdb_views() WHERE view_name = ? AND database_name = current_database()",
        [name],
    ).fetchone()
    return row is not None and row[0] > 0


def extension_file(name: str) -> Path:
    """The file of a DuckDB extension that was installed as a Python package.

    Raises:
        StoreError: The package is not installed, or is for another version of DuckDB.
    """
    package = f"duckdb_extension_{name}"
    found = importlib.util.find_spec(package)
    folders = found.submodule_search_locations if found else None
    for folder in folders or ():
        file = Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        if file.is_file():
            return file
    raise StoreError(
        f"A store in DuckLake needs the package {package.replace('_', '-')} for DuckDB {duckdb.__version__}: "
        "install the extra `distributed` with constraints.txt"
    )


@contextmanager
def _connect(extensions: tuple[str, ...]) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:", config=_NO_NETWORK) as connection:
        for name in extensions:
            connection.execute(f"LOAD {_literal(str(extension_file(name)))}")
        yield connection


def _in_transaction(
    connection: duckdb.DuckDBPyConnection, change: Callable[[duckdb.DuckDBPyConnection], T]
) -> T:
    connection.execute("BEGIN")
    try:
        result = change(connection)
        connection.execute("COMMIT")
    except duckdb.TransactionException:
        raise  # a failed COMMIT has rolled back
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return result


def _attempts(write: Callable[[], T]) -> T:
    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(duckdb.TransactionException),
        stop=tenacity.stop_after_attempt(MOST_ATTEMPTS),
        wait=tenacity.wait_random_exponential(0.1, max=5),
        reraise=True,
    )
    return attempts(write)


def _literal(text: str) -> str:
    """``text`` as an SQL string; these statements take no parameters."""
    return "'" + text.replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
