"""What the rows of all tables have in common, and results as they are stored: rows and inputs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import ClassVar, TypeAlias

from appeval_pipeline.store.canonical import sha256_of

NOT_CONTENT = {"content": False}

JsonText = str
"""JSON in its canonical text form (:func:`appeval_pipeline.store.canonical.canonical_json`)."""

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of one table; subclasses have one field a column."""

    TABLE: ClassVar[str]

    def content(self) -> dict[str, Scalar]:
        """The values that count for the data version."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.metadata.get("content", True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow(Row):
    """A row about an app version."""

    app_id: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """What a result was computed from.

    Attributes:
        kind: ``asset``, ``file``, ``code``, ``config`` or ``upstream_version``.
        key: An asset's key, a file's path relative to the data directory, or a name.
        version: A data version, a file's SHA-256, a code version, or the hash of a value.
        partition_key: The partition, for the kinds asset and upstream_version.
        run_id: The run that made it, for the kinds asset and upstream_version.
        content_hash: Hash of a file's meaning: comments and layout do not move it.
    """

    kind: str
    key: str
    version: str
    partition_key: str | None = None
    run_id: str | None = None
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionResult:
    """What one asset made of one app version: rows of any of the asset's tables, and its inputs."""

    app_id: str
    version: int
    rows: tuple[Row, ...]
    inputs: tuple[Input, ...]

    @property
    def partition_key(self) -> str:
        """The Dagster partition, ``<app_id>@<version>``."""
        return f"{self.app_id}@{self.version}"

    @property
    def data_version(self) -> str:
        """SHA-256 of the content: equal results have equal versions, whenever and wherever they were made."""
        return content_version(self.rows)


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """What one asset made of one tau-bench experiment, whose name is the Dagster partition."""

    partition_key: str
    rows: tuple[Row, ...]
    inputs: tuple[Input, ...]

    app_id: ClassVar[None] = None
    version: ClassVar[None] = None

    @property
    def data_version(self) -> str:
        """SHA-256 of the content, as of an app version's result."""
        return content_version(self.rows)


AnyResult: TypeAlias = PartitionResult | ExperimentResult


def content_version(rows: Iterable[Row]) -> str:
    """SHA-256 of what counts of the rows."""
    return sha256_of([[row.TABLE, row.content()] for row in rows])
