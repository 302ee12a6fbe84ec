"""Ranges of partitions, looked up once where a step says so."""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg
from sqlalchemy import event
from sqlalchemy.engine import Engine

from appeval_pipeline.defs.partitions import app_versions, remembered_ranges

KEYS = ["paypal@1", "paypal@2", "paypal@10", "wallet@1"]
PAYPAL = dg.PartitionKeyRange("paypal@1", "paypal@10")


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """The SQL statements that Dagster's storage runs meanwhile."""
    statements: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", count)


def test_a_range_has_the_partitions_between_its_ends(instance: dg.DagsterInstance) -> None:
    instance.add_dynamic_partitions("app_versions", KEYS)
    with dg.partition_loading_context(dynamic_partitions_store=instance):
        plain = app_versions.get_partition_keys_in_range(PAYPAL)
        with remembered_ranges():
            assert app_versions.get_partition_keys_in_range(PAYPAL) == plain == KEYS[:3]


def test_a_remembered_range_is_looked_up_once(instance: dg.DagsterInstance) -> None:
    instance.add_dynamic_partitions("app_versions", KEYS)
    with dg.partition_loading_context(dynamic_partitions_store=instance), remembered_ranges():
        app_versions.get_partition_keys_in_range(PAYPAL)
        with counted_statements() as statements:
            app_versions.get_partition_keys_in_range(PAYPAL)
        assert statements == []


def test_what_was_remembered_is_forgotten_afterwards(instance: dg.DagsterInstance) -> None:
    instance.add_dynamic_partitions("app_versions", KEYS)
    with dg.partition_loading_context(dynamic_partitions_store=instance):
        with remembered_ranges():
            app_versions.get_partition_keys_in_range(PAYPAL)
        instance.delete_dynamic_partition("app_versions", "paypal@2")
        assert app_versions.get_partition_keys_in_range(PAYPAL) == ["paypal@1", "paypal@10"]
