"""The last step of every asset: store the batch, and tell Dagster about each partition."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import dagster as dg

from appeval_pipeline.defs.charts import chart_metadata, charted_partitions
from appeval_pipeline.defs.metadata import result_metadata
from appeval_pipeline.defs.partitions import remembered_ranges
from appeval_pipeline.defs.resources import Workspace
from appeval_pipeline.store import Batch, write_batch
from appeval_pipeline.store.canonical import sha256_of
from appeval_pipeline.store.rows import AnyResult, ExperimentResult, PartitionResult

ResultType = TypeVar("ResultType", PartitionResult, ExperimentResult)


def store_results(
    context: dg.AssetExecutionContext,
    workspace: Workspace,
    results: Sequence[ResultType],
    describe: Callable[[ResultType], dict[str, object]],
) -> dg.MaterializeResult[None]:
    """Store the results of all partitions of this step in one transaction.

    Dagster stamps one data version on all partitions of a step: for one partition it is the result's own, for
    several the hash of theirs. The store has each one's own.
    """
    asset_key = context.asset_key.to_user_string()
    batch = Batch(
        asset_key=asset_key,
        run_id=context.run.run_id,
        materialized_at=datetime.now(UTC),
        results=tuple(results),
    )
    row_counts = write_batch(workspace.database, batch)
    context.log.info("Stored %s for %d partitions", row_counts, len(results))
    drawn = charted_partitions(results)
    with remembered_ranges():
        for result in results:
            metadata = describe(result)
            if result.partition_key in drawn:
                metadata.update(chart_metadata(result))
            metadata.update(result_metadata(result, workspace.data_path, workspace.store))
            context.add_asset_metadata(metadata, partition_key=result.partition_key)
    return dg.MaterializeResult(data_version=dg.DataVersion(_batch_version(results)))


def _batch_version(results: Sequence[AnyResult]) -> str:
    versions = {result.partition_key: result.data_version for result in results}
    return next(iter(versions.values())) if len(versions) == 1 else sha256_of(versions)
