"""Stored figures of app versions, for the evaluations that repeat them."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import orjson

from appeval_pipeline.evaluation.known import KnownFigures, KnownQuality
from appeval_pipeline.store.backend import Store

_CHOSEN = "partition_key IN (SELECT unnest(from_json(CAST(? AS JSON), '[\"VARCHAR\"]')))"


def read_qualities(database: Store, partition_keys: Sequence[str]) -> dict[str, KnownQuality]:
    """The stored quality by partition key; a version without one is left out."""
    with database.reader() as connection:
        return _qualities(connection, orjson.dumps(list(partition_keys)).decode())


def read_figures(database: Store, partition_keys: Sequence[str]) -> dict[str, KnownFigures]:
    """The stored figures by partition key; a version that lacks one of them is left out."""
    keys = orjson.dumps(list(partition_keys)).decode()
    with database.reader() as connection:
        qualities = _qualities(connection, keys)
        coverages = connection.execute(
            "SELECT partition_key, edge_case_coverage FROM edge_case_reports"
            f" WHERE edge_case_coverage IS NOT NULL AND {_CHOSEN}",
            [keys],
        ).fetchall()
        # From the lineage, for a version without any scenario has runs, too.
        rates = connection.execute(
            "SELECT l.partition_key, count(*) FILTER (r.passed) / nullif(count(r.passed), 0)"
            " FROM (SELECT DISTINCT partition_key FROM lineage WHERE asset_key = 'scenario_runs'"
            f" AND {_CHOSEN}) AS l LEFT JOIN scenario_runs AS r USING (partition_key) GROUP BY ALL",
            [keys],
        ).fetchall()
    pass_rates = dict(rates)
    return {
        key: KnownFigures(qualities[key], pass_rates[key], coverage)
        for key, coverage in coverages
        if key in qualities and key in pass_rates
    }


def _qualities(connection: duckdb.DuckDBPyConnection, keys: str) -> dict[str, KnownQuality]:
    overall = connection.execute(
        f"SELECT partition_key, overall_score FROM quality_scores WHERE status = 'scored' AND {_CHOSEN}",
        [keys],
    ).fetchall()
    dimensions = connection.execute(
        f"SELECT partition_key, dimension, score FROM quality_dimensions WHERE {_CHOSEN}", [keys]
    ).fetchall()
    scores: dict[str, dict[str, float]] = {}
    for key, dimension, score in dimensions:
        scores.setdefault(key, {})[dimension] = score
    return {key: KnownQuality(score, scores.get(key, {})) for key, score in overall}
