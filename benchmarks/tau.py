"""How fast are tau-bench's tasks run here, beside its own ``Env``? ``python -m benchmarks.tau``.

Each task of retail is reset, its expected actions are done, its outputs said, and it is judged, by the same
loop in both. Ground truths are computed anew in each pass. The original takes most of a minute: there is one
pass of it, in pieces, with passes of ours in between. Rewards and hashes have to be equal, task by task.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from appeval_pipeline.agents import run_episode
from appeval_pipeline.taubench import (
    OracleTauAgent,
    ScriptedUser,
    TauEnvironment,
    TauSuite,
    TauTask,
    load_suite,
)
from appeval_pipeline.taubench.reference import ReferenceEnvironment
from benchmarks.measuring import machine

BAR = 20.0
BAR_S = 2.0
PIECE = 5
"""Tasks of the original at a time."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a task.

    Attributes:
        hashes: Of the database as it is, and as it must be.
    """

    task: int
    reward: float | None
    hashes: tuple[str, ...]


def ours(suite: TauSuite, tasks: tuple[TauTask, ...], hashing: bool) -> tuple[float, list[Judged]]:
    """Run tasks here; the seconds it took, and what came of it."""
    fresh = TauSuite(suite.domain, suite.split)
    database = suite.domain.database

    async def run() -> list[Judged]:
        judged = []
        for task in tasks:
            environment = TauEnvironment(fresh, task, ScriptedUser())
            trajectory = await run_episode(OracleTauAgent(task), environment)
            changes = (environment.changes(), fresh.truth(task).changes) if hashing else ()
            judged.append(Judged(task.id, trajectory.reward, tuple(map(database.data_hash, changes))))
        return judged

    started = time.perf_counter()
    judged = asyncio.run(run())
    return time.perf_counter() - started, judged


def theirs(suite: TauSuite, tasks: tuple[TauTask, ...]) -> tuple[float, list[Judged]]:
    """Run tasks in the original; the seconds it took, without constructing it, and what came of it."""
    elapsed_s = 0.0
    judged = []
    for task in tasks:
        environment = ReferenceEnvironment(suite, task, ScriptedUser())
        started = time.perf_counter()
        trajectory = asyncio.run(run_episode(OracleTauAgent(task), environment))
        elapsed_s += time.perf_counter() - started
        judged.append(Judged(task.id, trajectory.reward, environment.hashes))
    return elapsed_s, judged


def main() -> None:
    """Measure both, hold them against each other, and print a table."""
    suite = load_suite()
    suite.domain.database.data_hash({})  # the texts of all records: once a process
    tasks = suite.tasks
    plain, hashed, original_s, original = [], [], 0.0, []
    _, judged = ours(suite, tasks, hashing=True)
    for first in range(0, len(tasks), PIECE):
        plain.append(ours(suite, tasks, hashing=False)[0])
        hashed.append(ours(suite, tasks, hashing=True)[0])
        piece_s, piece = theirs(suite, tasks[first : first + PIECE])
        original_s += piece_s
        original += piece
    table = Table("", "all tasks", "a task", "times faster", title=machine())
    rows = {
        f"tau-bench's Env, from {suite.domain.source.package}": original_s,
        "ours": statistics.median(plain),
        "ours, with both hashes of the whole database": statistics.median(hashed),
    }
    for name, seconds in rows.items():
        table.add_row(
            name, f"{seconds:.2f} s", f"{seconds / len(tasks) * 1e3:.1f} ms", f"{original_s / seconds:.0f}"
        )
    console = Console(width=110)
    console.print(table)
    console.print(
        f"{len(tasks)} tasks; equal rewards and hashes: {sum(map(Judged.__eq__, judged, original))}; "
        f"bars: {BAR:.0f} times, {BAR_S:.0f} s"
    )


if __name__ == "__main__":
    main()
