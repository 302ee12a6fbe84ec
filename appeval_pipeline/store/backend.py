"""What every results store can do, whatever holds its tables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar

import duckdb

T = TypeVar("T")


class Store(Protocol):
    """The tables of all results: DuckDB's SQL, whether they lie in one file or in a lake."""

    @property
    def name(self) -> str:
        """The store's address, for messages; it holds no secret."""
        ...

    def reader(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """A read-only connection that sees whole batches only, and reaches nothing but the store.

        Raises:
            StoreError: There is no store, it cannot be opened, or its schema is not the present one.
        """
        ...

    def exporter(self, directory: Path) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """A reader that may also write files in ``directory``.

        Raises:
            StoreError: As for :meth:`reader`.
        """
        ...

    def exists(self) -> bool:
        """Whether anything was ever written to it.

        Raises:
            StoreError: It cannot be looked at.
        """
        ...

    def write(self, change: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """Apply ``change`` in one transaction; it may be called again after a conflict.

        Raises:
            StoreError: The store could not be had for writing in time, or the write failed; it is as it was.
        """
        ...

    def prepare(self) -> None:
        """Make sure that it exists with the present schema.

        Raises:
            StoreError: It cannot be read or written.
        """
        ...
