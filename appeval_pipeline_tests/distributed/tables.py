"""All that a store holds, but for what differs from run to run."""

from dataclasses import fields

from appeval_pipeline.settings import Settings
from appeval_pipeline.store import open_store, query, table_columns
from appeval_pipeline.store.rows import ROW_TYPES

OF_THE_RUN = {"run_id", "materialized_at", "input_run_id"}
"""Columns that differ from run to run, beside those with measured times."""


def rows_of_all_tables(settings: Settings) -> dict[str, list[str]]:
    store = open_store(settings.store)
    measured = {row.TABLE: {f.name for f in fields(row) if f.metadata} for row in ROW_TYPES}
    found: dict[str, list[str]] = {}
    for table in [*measured, "lineage"]:
        left_out = OF_THE_RUN | measured.get(table, set())
        names = ", ".join(column.name for column in table_columns()[table] if column.name not in left_out)
        found[table] = sorted(map(repr, query(store, f"SELECT {names} FROM {table}").rows))
    return found
