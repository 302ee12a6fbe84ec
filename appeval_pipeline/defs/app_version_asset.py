"""What all assets on app versions have in common."""

import warnings
from collections.abc import Callable, Sequence

import dagster as dg

from appeval_pipeline.defs.metadata import table_metadata
from appeval_pipeline.defs.partitions import app_versions
from appeval_pipeline.version import EVALUATOR_VERSION

WRITE_POOL = "duckdb_write"
"""The Dagster pool, of size 1, that serialises the store's writers."""

RETRIES = dg.RetryPolicy(max_retries=2, delay=1, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)

OWNERS = ["team:app-evaluation"]

KINDS = {"python", "duckdb"}

Compute = Callable[..., dg.MaterializeResult[None]]


def app_version_asset(
    *,
    group: str,
    description: str,
    deps: Sequence[dg.AssetsDefinition] = (),
    kinds: frozenset[str] = frozenset(),
) -> Callable[[Compute], dg.AssetsDefinition]:
    """Declare a function as an asset, named like it, with a partition an app version.

    One run takes many partitions at once; the evaluator's version is the asset's code version.
    """

    def declare(compute: Compute) -> dg.AssetsDefinition:
        with warnings.catch_warnings():
            # BackfillPolicy is in beta; without it Dagster would start one run a partition.
            warnings.simplefilter("ignore", dg.BetaWarning)
            return dg.asset(
                name=compute.__name__,
                deps=deps,
                partitions_def=app_versions,
                group_name=group,
                description=description,
                metadata=table_metadata(compute.__name__),
                code_version=EVALUATOR_VERSION,
                backfill_policy=dg.BackfillPolicy.single_run(),
                retry_policy=RETRIES,
                pool=WRITE_POOL,
                kinds={*KINDS, *kinds},
                owners=OWNERS,
            )(compute)

    return declare
