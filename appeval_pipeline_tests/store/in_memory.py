"""A store in memory, for tests of what is stored, not of how."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

import duckdb

from appeval_pipeline.errors import StoreError
from appeval_pipeline.store.database import READER_CONFIG
from appeval_pipeline.store.migration import migrate

T = TypeVar("T")

_NUMBERS = itertools.count(1)


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    """One DuckDB for all stores of this process; its own database is the empty one, which they copy."""
    connection = duckdb.connect(":memory:", config={**READER_CONFIG, "threads": 1})
    migrate(connection)
    return connection


class MemoryStore:
    """As a DuckDB file: changes are whole, readers neither write nor reach files; but nothing is opened."""

    def __init__(self) -> None:
        self.name = f"memory_{next(_NUMBERS)}"
        self._exists = False
        _engine().execute(f"ATTACH ':memory:' AS {self.name}")
        _engine().execute(f"COPY FROM DATABASE memory TO {self.name}")

    def discard(self) -> None:
        _engine().execute(f"DETACH {self.name}")

    @contextmanager
    def reader(self) -> Iterator[duckdb.DuckDBPyConnection]:
        if not self._exists:
            raise StoreError(f"There is no store at {self.name} yet: run `appeval run` first")
        with self._cursor() as connection:
            connection.execute("BEGIN TRANSACTION READ ONLY")
            try:
                yield connection
            except duckdb.Error as error:
                raise StoreError(f"The store {self.name} cannot be read: {error}") from error

    @contextmanager
    def exporter(self, directory: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        raise StoreError(f"The store {self.name} reaches no file, and cannot be exported to {directory}")
        yield

    def exists(self) -> bool:
        return self._exists

    def write(self, change: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        with self._cursor() as connection:
            connection.execute("BEGIN")
            try:
                result = change(connection)
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
        self._exists = True
        return result

    def prepare(self) -> None:
        self._exists = True

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with _engine().cursor() as connection:
            connection.execute(f"USE {self.name}")
            yield connection
