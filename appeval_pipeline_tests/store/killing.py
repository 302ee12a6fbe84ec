"""Kills writers and runs at random moments: ``python -m appeval_pipeline_tests.store.killing runs 20``.

Each victim is forked from this process, which has imported everything and has no file open, so that most of
what it does before it dies is work on the store.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import signal
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from appeval_pipeline import launch
from appeval_pipeline.launch import EvaluationRequest
from appeval_pipeline.settings import Settings
from appeval_pipeline.store import Batch, Database, query, write_batch
from appeval_pipeline.store.freshness import make_plan
from appeval_pipeline.store.results import read_state
from appeval_pipeline_tests import catalogues
from appeval_pipeline_tests.store import evaluating
from appeval_pipeline_tests.store.wholeness import torn_partitions

VERSIONS = 5


@dataclass(frozen=True, slots=True)
class Killed:
    """What became of the victims.

    Attributes:
        kills: How many were killed while they were at work.
        mixtures: Of how many runs the results in the store were, after each of these kills.
    """

    kills: int
    mixtures: frozenset[int]


def forked(work: Callable[[], object]) -> int:
    """The id of a child that does ``work``; it ends with 1 if that fails."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001 - a child that went on would be a second test
            traceback.print_exc()
        finally:
            os._exit(1)
    return child


def killed(work: Callable[[], object], after_s: float) -> bool:
    """Do ``work`` in a child that is killed after so long; whether it was still at it."""
    child = forked(work)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the work failed before it was killed"
    return os.WIFSIGNALED(status)


def check_whole(database: Database) -> None:
    """Neither the snapshot nor the writer's file may hold a part of a partition."""
    assert torn_partitions(database) == []
    database.write(lambda connection: None)  # publishes what the writer's file has
    assert torn_partitions(database) == []


def kill_writers(directory: Path, kills: int, chance: random.Random) -> Killed:
    """Kill a process that stores the results of all assets again and again.

    Results of one run are seen between two rounds of writing, of two within one. A quarter of a second is
    enough for a few writes.
    """
    database = Database(directory / "appeval.duckdb")
    batches = recorded_batches(directory / "data", database)
    numbers = itertools.count(1)
    mixtures: list[int] = []

    def work() -> None:
        for number in itertools.count(next(numbers) * 1_000):
            for batch in batches:
                write_batch(database, replace(batch, run_id=f"run-{number}"))

    for _ in range(kills):
        assert killed(work, chance.uniform(0.02, 0.25))
        next(numbers)
        check_whole(database)
        mixtures.append(runs_in(database))
    return Killed(len(mixtures), frozenset(mixtures))


def runs_in(database: Database) -> int:
    """Of how many runs the stored results are."""
    return int(str(query(database, "SELECT count(DISTINCT run_id) FROM lineage").rows[0][0]))


def recorded_batches(data_dir: Path, database: Database) -> list[Batch]:
    """Evaluate everything once, and keep what was stored."""
    batches: list[Batch] = []

    def record(store: Database, batch: Batch) -> dict[str, int]:
        batches.append(batch)
        return write_batch(store, batch)

    evaluating.evaluate(data_dir, database, write=record)
    return batches


def kill_runs(directory: Path, kills: int, chance: random.Random) -> Killed:
    """Kill runs that evaluate everything again, then let one do the rest.

    A run that ended before its moment came does not count, and another one is killed.
    """
    from appeval_pipeline.defs import execution  # noqa: F401 - so that victims are forked with it

    settings = Settings.model_validate(
        {
            "data_dir": directory / "data",
            "store": directory / "appeval.duckdb",
            "dagster_home": directory / "dagster",
        }
    )
    database = Database(directory / "appeval.duckdb")
    database.prepare()
    mixtures: list[int] = []

    def work() -> None:
        assert launch.run(settings, EvaluationRequest(everything=True)).errors == ()

    started = time.monotonic()
    _, status = os.waitpid(forked(work), 0)
    assert status == 0, "the first run failed"
    whole_s = time.monotonic() - started
    for _ in range(2 * kills):  # another run may be faster than the first, and end in time
        was_at_work = killed(work, chance.uniform(0, whole_s))
        check_whole(database)
        if was_at_work:
            mixtures.append(runs_in(database))
        if len(mixtures) == kills:
            break
    assert launch.run(settings).errors == ()
    check_whole(database)
    assert make_plan(settings.data_dir, read_state(database)).needs == ()
    return Killed(len(mixtures), frozenset(mixtures))


def main() -> None:
    """Kill, and tell how often."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("writers", "runs"))
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for version in range(1, VERSIONS + 1):
            catalogues.add_version(directory / "data", version=version)
        catalogues.add_scenario(directory / "data")
        kill = kill_writers if arguments.what == "writers" else kill_runs
        found = kill(directory, arguments.kills, random.Random(arguments.seed))
    print(found.kills, len(found.mixtures), *sorted(found.mixtures))


if __name__ == "__main__":
    main()
