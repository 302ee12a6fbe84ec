"""What is stored of app versions, as the pipeline and the command line need it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from appeval_pipeline.appdef.catalogue import parse_partition_key
from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.dependencies import APP_ASSETS
from appeval_pipeline.store.parameters import TEXTS, texts
from appeval_pipeline.store.rows import Input


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """A row of ``app_versions``: what evaluations of this version start from."""

    app_id: str
    version: int
    status: str
    landed: bool
    root: str
    name: str | None
    definition: str | None
    definition_hash: str | None
    file_path: str | None
    file_sha256: str | None
    error: str | None
    violation: str | None
    violating_sha256: str | None
    data_version: str | None
    run_id: str | None

    @property
    def partition_key(self) -> str:
        """``<app_id>@<version>``."""
        return f"{self.app_id}@{self.version}"

    def as_inputs(self) -> tuple[Input, ...]:
        """This definition as an input of a result; nothing when it is not stored."""
        if self.data_version is None:
            return ()
        source = Input(
            kind="asset",
            key="app_definitions",
            version=self.data_version,
            partition_key=self.partition_key,
            run_id=self.run_id,
        )
        return (source,)


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The lineage of one partition of one asset: the sign that it was evaluated, and from what."""

    asset_key: str
    partition_key: str
    run_id: str
    data_version: str
    inputs: tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class StoredState:
    """Everything stored that decides what is stale."""

    versions: Mapping[str, StoredVersion] = field(default_factory=dict)
    results: Mapping[tuple[str, str], StoredResult] = field(default_factory=dict)

    def results_of(self, partition_key: str) -> dict[str, StoredResult]:
        """The stored results of one partition, by asset."""
        return {
            asset: self.results[asset, partition_key]
            for asset in APP_ASSETS
            if (asset, partition_key) in self.results
        }


def read_unasked(database: Store) -> frozenset[str]:
    """The partitions in which an agent could not try a task, or broke down through no fault of its own."""
    with database.reader() as connection:
        rows = connection.execute(
            "SELECT DISTINCT partition_key FROM agent_evaluations WHERE status = 'error' OR infra_errors > 0"
        ).fetchall()
    return frozenset(str(row[0]) for row in rows)


_VERSION_COLUMNS = (
    "app_id, version, status, landed, root, name, definition, definition_hash, file_path, file_sha256, error,"
    " violation, violating_sha256, data_version, run_id"
)


def read_versions(database: Store, partition_keys: Sequence[str] | None = None) -> dict[str, StoredVersion]:
    """The stored versions by partition key: those asked for, or all."""
    asked = None if partition_keys is None else texts(partition_keys)
    with database.reader() as connection:
        rows = connection.execute(
            f"SELECT {_VERSION_COLUMNS} FROM app_versions"
            f" WHERE CAST(? AS VARCHAR) IS NULL OR list_contains({TEXTS}, partition_key)"
            " ORDER BY app_id, version",
            [asked, asked],
        ).fetchall()
    versions = [StoredVersion(*row) for row in rows]
    return {version.partition_key: version for version in versions}


def read_versions_or_missing(database: Store, partition_keys: Sequence[str]) -> list[StoredVersion]:
    """The stored versions of the partitions, in that order; one that is not stored has status ``missing``."""
    stored = read_versions(database, list(partition_keys)) if database.exists() else {}
    return [stored.get(key) or _missing(key) for key in partition_keys]


def _missing(key: str) -> StoredVersion:
    app_id, version = parse_partition_key(key)
    blank: dict[str, None] = dict.fromkeys(
        ("name", "definition", "definition_hash", "file_path", "file_sha256", "violation", "violating_sha256")
    )
    return StoredVersion(
        app_id=app_id,
        version=version,
        status="missing",
        landed=False,
        root="",
        error="app_definitions has not been materialized",
        data_version=None,
        run_id=None,
        **blank,
    )


def read_state(database: Store) -> StoredState:
    """Everything stored that decides which app versions are stale; empty when there is no store yet."""
    if not database.exists():
        return StoredState()
    return StoredState(versions=read_versions(database), results=read_results(database, APP_ASSETS))


def read_results(database: Store, assets: Sequence[str]) -> dict[tuple[str, str], StoredResult]:
    """What the assets made of each partition, and from what, by asset and partition."""
    with database.reader() as connection:
        rows = connection.execute(
            "SELECT asset_key, partition_key, run_id, data_version, input_kind, input_key, input_version,"
            " input_partition_key, input_run_id, input_content_hash FROM lineage"
            f" WHERE list_contains({TEXTS}, asset_key) ORDER BY ALL",
            [texts(assets)],
        ).fetchall()
    results: dict[tuple[str, str], StoredResult] = {}
    inputs: dict[tuple[str, str], list[Input]] = {}
    for asset_key, partition_key, run_id, data_version, *source in rows:
        inputs.setdefault((asset_key, partition_key), []).append(
            Input(**dict(zip(_INPUT_FIELDS, source, strict=True)))
        )
        results[asset_key, partition_key] = StoredResult(asset_key, partition_key, run_id, data_version, ())
    return {
        key: StoredResult(*key, result.run_id, result.data_version, tuple(inputs[key]))
        for key, result in results.items()
    }


_INPUT_FIELDS = ("kind", "key", "version", "partition_key", "run_id", "content_hash")
