"""What a version changes against another: the stored report, or one made on the spot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import TypeVar

from appeval_pipeline.api.models.base import MAX_ROWS, Source
from appeval_pipeline.api.models.comparing import Change, ComparisonAnswer, Timing
from appeval_pipeline.api.reading import Connection, Stored, read_row, read_rows
from appeval_pipeline.evaluation import detect_regressions
from appeval_pipeline.store.recording import record_regression
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import (
    AppVersionRow,
    PartitionResult,
    RegressionChangeRow,
    RegressionReportRow,
    RegressionTimingRow,
    Row,
)
from appeval_pipeline.store.scenario_files import applying, read_suites
from appeval_pipeline.store.sources import Comparand

R = TypeVar("R", bound=Row)


def read_comparison(connection: Connection, app_id: str, old: int, new: int) -> ComparisonAnswer | None:
    """The stored report of ``new`` against ``old``; None if it was never compared with that version."""
    stored = read_row(connection, RegressionReportRow, app_id, new)
    if stored is None or stored.row.old_version != old or stored.row.status != "compared":
        return None
    changes = [one.row for one in read_rows(connection, RegressionChangeRow, app_id, new)]
    timings = [one.row for one in read_rows(connection, RegressionTimingRow, app_id, new)]
    return _answer(stored.row, changes, timings, old, "stored", [stored.source])


def compute_comparison(
    data_dir: Path, old: Stored[AppVersionRow], new: Stored[AppVersionRow]
) -> ComparisonAnswer:
    """Compare two stored definitions, without timing, by the scenario files that apply to either."""
    before, after = _version(old), _version(new)
    files = applying(read_suites(data_dir, [after])[after.partition_key], after.version, before.version)
    comparand = Comparand(after, before, files, ())
    result = record_regression(comparand, partial(detect_regressions, time_it=False))
    (report,) = _rows_of(result, RegressionReportRow)
    changes = list(_rows_of(result, RegressionChangeRow))[:MAX_ROWS]
    return _answer(report, changes, [], before.version, "computed", [old.source, new.source])


def _version(stored: Stored[AppVersionRow]) -> StoredVersion:
    names = {field.name for field in fields(StoredVersion)} & {field.name for field in fields(AppVersionRow)}
    row = {name: getattr(stored.row, name) for name in names}
    return StoredVersion(**row, data_version=stored.source.data_version, run_id=stored.source.run_id)


def _rows_of(result: PartitionResult, kind: type[R]) -> Iterator[R]:
    return (row for row in result.rows if isinstance(row, kind))


def _answer(
    report: RegressionReportRow,
    changes: list[RegressionChangeRow],
    timings: list[RegressionTimingRow],
    old_version: int,
    origin: str,
    sources: list[Source],
) -> ComparisonAnswer:
    return ComparisonAnswer.model_validate(
        {
            **asdict(report),
            "old_version": old_version,
            "new_version": report.version,
            "origin": origin,
            "changes": [Change.model_validate(row) for row in changes],
            "timings": [Timing.model_validate(row) for row in timings],
            "sources": sources,
        }
    )
