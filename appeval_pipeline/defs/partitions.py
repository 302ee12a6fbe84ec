"""One partition an app version, ``<app_id>@<version>``, added as versions are found."""

from collections.abc import Sequence

import dagster as dg

from appeval_pipeline.store import Store, forget

app_versions = dg.DynamicPartitionsDefinition(name="app_versions")


def forget_versions(instance: dg.DagsterInstance, database: Store, partition_keys: Sequence[str]) -> None:
    """Delete partitions, and last their rows: if this is cut short, the rows tell the next call to go on."""
    if not partition_keys:
        return
    for key in partition_keys:
        instance.delete_dynamic_partition(str(app_versions.name), key)
    forget(database, partition_keys)
