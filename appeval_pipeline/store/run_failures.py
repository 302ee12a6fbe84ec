"""Runs that failed: what the table ``run_failures`` holds.

A failed run has made no result, so its rows have no asset's provenance: they belong to the run alone, are
kept when results are replaced or versions forgotten, and are no part of exports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from appeval_pipeline.store.backend import Store
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.parameters import TEXTS, texts
from appeval_pipeline.store.writing import insert

MAX_ERROR = 10_000
"""Characters of an error that are stored; the run's log has all of it."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """One step of a run that failed.

    Attributes:
        run_id: The run.
        partition_keys: The app versions it worked on.
        step_key: The step, named like its asset; None if the run failed outside its steps.
        error: Why.
        failed_at: When the run ended, an aware time.
    """

    run_id: str
    partition_keys: tuple[str, ...]
    step_key: str | None
    error: str
    failed_at: datetime


def record_failures(database: Store, failures: Sequence[RunFailure]) -> None:
    """Store the failures; those of the same runs that are there already are replaced."""
    run_ids = sorted({failure.run_id for failure in failures})
    records = [
        {
            "run_id": failure.run_id,
            "partition_keys": canonical_json(list(failure.partition_keys)),
            "step_key": failure.step_key,
            "error": failure.error[:MAX_ERROR],
            "failed_at": failure.failed_at.astimezone(UTC).replace(tzinfo=None),
        }
        for failure in failures
    ]

    def change(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute(f"DELETE FROM run_failures WHERE list_contains({TEXTS}, run_id)", [texts(run_ids)])
        insert(connection, "run_failures", records)

    database.write(change)
