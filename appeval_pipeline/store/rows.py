"""The rows of the store's tables, as plain values, without the provenance that every row also carries.

A field's metadata says what does not belong to the content that a data version hashes: ``measured`` values
(times) and ``origin`` values (which file it came from; the lineage has that).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

from appeval_pipeline.store.canonical import sha256_of

NOT_CONTENT = {"content": False}

JsonText = str
"""JSON in its canonical text form (:func:`appeval_pipeline.store.canonical.canonical_json`)."""

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of one table; subclasses have one field a column."""

    TABLE: ClassVar[str]

    app_id: str
    version: int

    def content(self) -> dict[str, Scalar]:
        """The values that count for the data version."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.metadata.get("content", True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AppVersionRow(Row):
    """One app version: its definition as stored, and what is wrong with it."""

    TABLE: ClassVar[str] = "app_versions"

    status: str
    landed: bool
    root: str
    name: str | None
    category: str | None
    definition: JsonText | None
    definition_hash: str | None
    action_count: int | None
    file_path: str | None = field(metadata=NOT_CONTENT)
    file_sha256: str | None = field(metadata=NOT_CONTENT)
    error: str | None
    warning_count: int
    warnings: JsonText
    violation: str | None = field(metadata=NOT_CONTENT)
    violating_sha256: str | None = field(metadata=NOT_CONTENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityScoreRow(Row):
    """The quality of one app version."""

    TABLE: ClassVar[str] = "quality_scores"

    status: str
    overall_score: float | None
    level: str | None
    suggestion_count: int | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityDimensionRow(Row):
    """One dimension of the quality of one app version."""

    TABLE: ClassVar[str] = "quality_dimensions"

    dimension: str
    score: float
    details: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySuggestionRow(Row):
    """One suggestion for one app version; position 0 is the best."""

    TABLE: ClassVar[str] = "quality_suggestions"

    position: int
    dimension: str
    location: str
    message: str
    gain: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRunRow(Row):
    """One scenario, run on one app version, or the reason why it was not."""

    TABLE: ClassVar[str] = "scenario_runs"

    file_path: str
    scenario_name: str
    status: str
    passed: bool | None
    steps_passed: int | None
    steps_total: int | None
    partial_credit: float | None
    failure_count: int | None
    duration_ms: float | None = field(metadata=NOT_CONTENT)
    error: str | None
    description: str | None
    tags: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioStepRow(Row):
    """One step of a scenario run."""

    TABLE: ClassVar[str] = "scenario_steps"

    file_path: str
    scenario_name: str
    step_index: int
    step_name: str
    agent: str
    action: str
    params: JsonText
    passed: bool
    success: bool
    data: JsonText
    error: str | None
    error_kind: str | None
    state_diff: JsonText
    observations: JsonText
    trace: JsonText
    duration_ms: float | None = field(metadata=NOT_CONTENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFailureRow(Row):
    """One expectation or assertion that a scenario run did not meet."""

    TABLE: ClassVar[str] = "scenario_failures"

    file_path: str
    scenario_name: str
    failure_index: int
    step_name: str
    expected: JsonText
    actual: JsonText
    error: str


ROW_TYPES: tuple[type[Row], ...] = (
    AppVersionRow,
    QualityScoreRow,
    QualityDimensionRow,
    QualitySuggestionRow,
    ScenarioRunRow,
    ScenarioStepRow,
    ScenarioFailureRow,
)


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
    """What one asset made of one partition: rows of any of the asset's tables, and its inputs."""

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
        return sha256_of([[row.TABLE, row.content()] for row in self.rows])
