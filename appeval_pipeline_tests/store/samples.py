"""Small made-up results to store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar, cast

import duckdb

from appeval_pipeline.store import Batch, Store, write_batch
from appeval_pipeline.store.inputs import common_inputs
from appeval_pipeline.store.rows import (
    AppVersionRow,
    Input,
    PartitionResult,
    QualityDimensionRow,
    QualityScoreRow,
    ScenarioRunRow,
)

T = TypeVar("T")

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


def batch(asset_key: str, *results: PartitionResult, run_id: str = "run-1") -> Batch:
    return Batch(asset_key=asset_key, run_id=run_id, materialized_at=NOON, results=results)


@dataclass(frozen=True, slots=True)
class _Within:
    """A store that is being written to."""

    connection: duckdb.DuckDBPyConnection

    def write(self, change: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        return change(self.connection)


def write_together(database: Store, batches: Sequence[Batch]) -> None:
    """Write batches as one change: a file has to be opened and published once only."""

    def change(connection: duckdb.DuckDBPyConnection) -> None:
        for one in batches:
            write_batch(cast(Store, _Within(connection)), one)

    database.write(change)


def definition(app_id: str = "paypal", version: int = 1, *, name: str = "PayPal") -> PartitionResult:
    path = f"apps/{app_id}/v{version}.yaml"
    row = AppVersionRow(
        app_id=app_id,
        version=version,
        status="valid",
        landed=True,
        root="apps",
        name=name,
        category="payment",
        definition='{"app_id":"paypal"}',
        definition_hash="hash-of-definition",
        action_count=5,
        file_path=path,
        file_sha256="sha-of-file",
        error=None,
        warning_count=2,
        warnings="[]",
        violation=None,
        violating_sha256=None,
    )
    source = Input(kind="file", key=path, version="sha-of-file", content_hash="hash-of-definition")
    return PartitionResult(app_id, version, (row,), (source, *common_inputs("app_definitions")))


def write_generation(database: Store, number: int) -> None:
    """Fifty versions that were written together, and say so."""
    upstreams = [definition(app_id=f"app_{i}", name=f"generation {number}") for i in range(50)]
    write_batch(database, batch("app_definitions", *upstreams, run_id=f"run-{number}"))


def quality(upstream: PartitionResult, score: float | None = 80.0) -> PartitionResult:
    row = QualityScoreRow(
        app_id=upstream.app_id,
        version=upstream.version,
        status="scored" if score is not None else "error",
        overall_score=score,
        level="Good" if score is not None else None,
        suggestion_count=0 if score is not None else None,
        error=None if score is not None else "boom",
        suggestions_left_out=0 if score is not None else None,
    )
    dimension = QualityDimensionRow(
        app_id=upstream.app_id, version=upstream.version, dimension="validation", score=60.0, details="{}"
    )
    rows = (row, dimension) if score is not None else (row,)
    return PartitionResult(
        upstream.app_id, upstream.version, rows, (_asset(upstream), *common_inputs("quality_scores"))
    )


def scenarios(upstream: PartitionResult, *passed: bool | None) -> PartitionResult:
    """One scenario run for each of ``passed``; None for one that did not run; each has four steps."""
    rows = tuple(
        ScenarioRunRow(
            app_id=upstream.app_id,
            version=upstream.version,
            file_path=f"apps/{upstream.app_id}/scenarios/{index}.yaml",
            scenario_name=f"scenario {index}",
            status={True: "passed", False: "failed", None: "invalid"}[outcome],
            passed=outcome,
            steps_passed={True: 4, False: 1, None: None}[outcome],
            steps_total=None if outcome is None else 4,
            partial_credit={True: 1.0, False: 0.25, None: None}[outcome],
            failure_count={True: 0, False: 3, None: None}[outcome],
            duration_ms=None if outcome is None else 2.5,
            error=None if outcome is not None else "bad file",
            description=None,
            tags="[]",
        )
        for index, outcome in enumerate(passed)
    )
    return PartitionResult(
        upstream.app_id, upstream.version, rows, (_asset(upstream), *common_inputs("scenario_runs"))
    )


def _asset(upstream: PartitionResult) -> Input:
    return Input(
        kind="asset",
        key="app_definitions",
        version=upstream.data_version,
        partition_key=upstream.partition_key,
        run_id="run-1",
    )
