"""Which app versions the runs of an instance work on."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg

from appeval_pipeline.defs.jobs import RANGE_END_TAG, RANGE_START_TAG
from appeval_pipeline.defs.partitions import app_versions

PARTITION_TAG = "dagster/partition"

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]

LONGEST_RUN = timedelta(hours=6)
"""An unfinished run that is older was killed together with everything that could have said so."""


def run_partitions(tags: Mapping[str, str], known: Sequence[str]) -> tuple[str, ...]:
    """The partitions of a run with these tags; ``known`` are all there are, in Dagster's order."""
    if PARTITION_TAG in tags:
        return (tags[PARTITION_TAG],)
    first, last = tags.get(RANGE_START_TAG), tags.get(RANGE_END_TAG)
    if first not in known or last not in known:
        return ()
    return tuple(known[known.index(first) : known.index(last) + 1])


def busy_partitions(instance: dg.DagsterInstance) -> frozenset[str]:
    """The app versions that some unfinished run works on.

    What is stale about them may be seen to before the run ends. Ask this first and read the store afterwards:
    the store then has all results of the runs that are not counted.
    """
    known = instance.get_dynamic_partitions(str(app_versions.name))
    created_after = datetime.now(UTC) - LONGEST_RUN
    runs = instance.get_runs(dg.RunsFilter(statuses=UNFINISHED, created_after=created_after))
    return frozenset(key for run in runs for key in run_partitions(run.tags, known))
