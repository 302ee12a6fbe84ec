"""What all assets have in common, those on app versions and those on tau-bench experiments."""

import warnings
from collections.abc import Callable, Sequence

import dagster as dg

from appeval_pipeline.defs.metadata import table_metadata
from appeval_pipeline.defs.partitions import app_versions, tau_experiments
from appeval_pipeline.version import EVALUATOR_VERSION

WRITE_POOL = "duckdb_write"
"""The Dagster pool, of size 1, that serialises the store's writers."""

RETRIES = dg.RetryPolicy(max_retries=2, delay=1, backoff=dg.Backoff.EXPONENTIAL, jitter=dg.Jitter.PLUS_MINUS)

OWNERS = ["team:app-evaluation"]

KINDS = {"python", "duckdb"}

EXPERIMENT_GROUP = "tau_bench"

Compute = Callable[..., dg.MaterializeResult[None]]


def app_version_asset(
    *,
    group: str,
    description: str,
    deps: Sequence[dg.AssetsDefinition] = (),
    kinds: frozenset[str] = frozenset(),
    pool: str = WRITE_POOL,
) -> Callable[[Compute], dg.AssetsDefinition]:
    """Declare a function as an asset, named like it, with a partition an app version.

    One run takes many partitions at once; the evaluator's version is the asset's code version.

    Args:
        pool: Who takes part in it waits for the others, across runs.
    """
    return _declaring(app_versions, group, description, deps, kinds, pool)


def experiment_asset(
    *,
    description: str,
    deps: Sequence[dg.AssetsDefinition] = (),
    kinds: frozenset[str] = frozenset(),
    pool: str = WRITE_POOL,
) -> Callable[[Compute], dg.AssetsDefinition]:
    """Declare a function as an asset, named like it, with a partition an experiment; else as the above."""
    return _declaring(tau_experiments, EXPERIMENT_GROUP, description, deps, kinds, pool)


def _declaring(
    partitions: dg.PartitionsDefinition[str],
    group: str,
    description: str,
    deps: Sequence[dg.AssetsDefinition],
    kinds: frozenset[str],
    pool: str,
) -> Callable[[Compute], dg.AssetsDefinition]:
    def declare(compute: Compute) -> dg.AssetsDefinition:
        with warnings.catch_warnings():
            # BackfillPolicy is in beta; without it Dagster would start one run a partition.
            warnings.simplefilter("ignore", dg.BetaWarning)
            return dg.asset(
                name=compute.__name__,
                deps=deps,
                partitions_def=partitions,
                group_name=group,
                description=description,
                metadata=table_metadata(compute.__name__),
                code_version=EVALUATOR_VERSION,
                backfill_policy=dg.BackfillPolicy.single_run(),
                retry_policy=RETRIES,
                pool=pool,
                kinds={*KINDS, *kinds},
                owners=OWNERS,
            )(compute)

    return declare
