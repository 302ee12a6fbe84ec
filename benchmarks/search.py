"""How fast is the search for the shortest plan? ``python -m benchmarks.search``.

Every shipped task is searched from its start, with the budget that `appeval agent` has; and the largest space
is searched once more, as if its goal could not be reached, for the states that are expanded in a second.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from appeval_pipeline.agents import Budget, SearchResult, ToolCall, shortest_plan
from appeval_pipeline.appdef.catalogue import load_version, scan
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.agents import EvaluationTask
from appeval_pipeline.evaluation.agents.environment import start_state
from appeval_pipeline.evaluation.agents.space import AppSpace
from appeval_pipeline.evaluation.suite import find_tasks
from benchmarks.measuring import machine

DATA = Path(__file__).parents[1] / "data"
BAR_S = 10.0


@dataclass(frozen=True, slots=True)
class Searched:
    """One task of one app version, and what the search for its shortest plan took."""

    app: str
    task: EvaluationTask
    engine: Engine
    result: SearchResult[ToolCall]

    @property
    def states_per_s(self) -> float:
        """States expanded in a second."""
        return self.result.expanded / self.result.elapsed_s


def search(engine: Engine, task: EvaluationTask, budget: Budget) -> SearchResult[ToolCall]:
    """The shortest plan from the task's start."""
    space = AppSpace(engine, task)
    return shortest_plan(space, space.node(start_state(engine, task)), budget, time.perf_counter)


def shipped() -> list[Searched]:
    """All tasks, the largest search first."""
    found = []
    for entry in scan(DATA).entries:
        engine = Engine(load_version(DATA, entry).app)
        for task in find_tasks(DATA, entry):
            found.append(Searched(entry.partition_key, task, engine, search(engine, task, Budget())))
    return sorted(found, key=lambda searched: -searched.result.seen)


def exhaust(searched: Searched) -> Searched:
    """The same space, searched for what is never true."""
    task = searched.task.model_copy(update={"goal_condition": "1 == 2"})
    return Searched(searched.app, task, searched.engine, search(searched.engine, task, Budget()))


def main() -> None:
    """Measure all and print two tables."""
    tasks = shipped()
    table = Table(
        "app",
        "task",
        "fewest actions",
        "exact",
        "expanded",
        "seen",
        "time",
        title=f"{machine()}; bar: {BAR_S:.0f} s",
    )
    for searched in tasks:
        result = searched.result
        table.add_row(
            searched.app,
            searched.task.name,
            "none" if result.distance is None else str(result.distance),
            "yes" if result.is_exact else "no",
            f"{result.expanded:,}",
            f"{result.seen:,}",
            f"{result.elapsed_s:.2f} s",
        )
    Console(width=120).print(table)
    rates = Table("app", "expanded", "seen", "time", "expanded in a second", title="a goal out of reach")
    for searched in map(exhaust, {searched.app: searched for searched in reversed(tasks)}.values()):
        result = searched.result
        rates.add_row(
            searched.app,
            f"{result.expanded:,}",
            f"{result.seen:,}",
            f"{result.elapsed_s:.2f} s",
            f"{searched.states_per_s:,.0f}",
        )
    Console(width=120).print(rates)


if __name__ == "__main__":
    main()
