"""One partition an app version, ``<app_id>@<version>``, and one an experiment, added as they are found."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import dagster as dg

from appeval_pipeline.store import Store, forget

_known_ranges: ContextVar[dict[dg.PartitionKeyRange, Sequence[str]] | None] = ContextVar(
    "known_ranges", default=None
)


class AppVersions(dg.DynamicPartitionsDefinition):
    """The partitions of app versions.

    With each piece of metadata for a partition Dagster asks anew which partitions its run has, in three
    queries: a quarter of the time of a run on a thousand versions. A step may have them remembered.
    """

    def get_partition_keys_in_range(self, partition_key_range: dg.PartitionKeyRange) -> Sequence[str]:
        """The partitions from the range's start to its end, in the order in which they were added."""
        known = _known_ranges.get()
        if known is None:
            return super().get_partition_keys_in_range(partition_key_range)
        if partition_key_range not in known:
            known[partition_key_range] = super().get_partition_keys_in_range(partition_key_range)
        return known[partition_key_range]


app_versions = AppVersions(name="app_versions")

tau_experiments = dg.DynamicPartitionsDefinition(name="tau_experiments")
"""tau-bench experiments, each by the name of its file."""


@contextmanager
def remembered_ranges() -> Iterator[None]:
    """Within it, each range of partitions is looked up once."""
    token = _known_ranges.set({})
    try:
        yield
    finally:
        _known_ranges.reset(token)


def forget_versions(instance: dg.DagsterInstance, database: Store, partition_keys: Sequence[str]) -> None:
    """Delete partitions, and last their rows: if this is cut short, the rows tell the next call to go on."""
    if not partition_keys:
        return
    for key in partition_keys:
        instance.delete_dynamic_partition(str(app_versions.name), key)
    forget(database, partition_keys)
