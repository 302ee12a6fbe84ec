"""Single trials of agents, step by step, as far as a page can bear.

The first trial of each task and agent that succeeded and the first that failed come before all others, so
that each has its turn before the space is used up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import duckdb
import orjson

MAX_TRIALS_OF_A_TASK = 3
"""Of one agent, or of one experiment."""
MAX_TRIALS = 600
MAX_BYTES = 2_000_000
"""Of all trials together, as JSON."""
FIRST_STEPS, LAST_STEPS = 30, 10
"""Of a trial with more steps, those in between are left out."""
MAX_TEXT = 600
"""Characters of what was said, sent or answered."""
MAX_CHANGES = 12
"""Changes of the state by one step."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a step changed: JSON texts before and after, None where there was or is nothing."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Step:
    """An action of the agent with what came of it.

    Attributes:
        index: From 0.
        action: The tool that was called, or else what kind of action it was.
        arguments: Of the call, as JSON.
        said: What the agent said.
        failed: Whether the action failed.
        told: What other agents were told.
        written: Records that were written, where the changes themselves are not stored.
        changes_left_out: How many changes or records are not listed.
    """

    index: int
    action: str
    arguments: str
    said: str
    observation: str
    error: str
    failed: bool
    told: tuple[str, ...]
    changes: tuple[Change, ...]
    written: tuple[str, ...]
    changes_left_out: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong in a trial; ``step`` is where it shows, if it shows anywhere."""

    kind: str
    step: int | None
    detail: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial.

    Attributes:
        id: Names it in links.
        partition: The app version or experiment.
        asset: What its numbers come from.
        task: The task's name.
        owner: The task's file, or its number, by which tables find the trial.
        outcome: ``passed``, ``failed`` or ``broken``.
        why: How it ended.
        facts: Whatever else is to be told, as names and texts.
        query: Asks the store for all of its steps.
    """

    id: str
    partition: str
    asset: str
    task: str
    owner: str
    agent: str
    number: int
    outcome: str
    why: str
    reward: float | None
    step_count: int
    facts: tuple[tuple[str, str], ...]
    faults: tuple[Fault, ...]
    steps: tuple[Step, ...]
    query: str


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of the page in order, and how many there are in the store."""

    items: tuple[Trial, ...] = ()
    total: int = 0

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.total - len(self.items)

    def of(self, partition: str, owner: str, agent: str) -> tuple[Trial, ...]:
        """Those of one task and agent."""
        return tuple(
            trial
            for trial in self.items
            if (trial.partition, trial.owner, trial.agent) == (partition, owner, agent)
        )


def within_bounds(ranked: Iterable[tuple[int, Trial]], total: int, most: int = MAX_TRIALS) -> Trials:
    """As many trials as fit, at most so many: those of the lowest rank; in the order in which they came."""
    candidates = list(ranked)
    sizes = [len(orjson.dumps(trial)) for _, trial in candidates]
    chosen: set[int] = set()
    size = 0
    for place in sorted(range(len(candidates)), key=lambda place: candidates[place][0]):
        if size + sizes[place] > MAX_BYTES or len(chosen) == most:
            break
        size += sizes[place]
        chosen.add(place)
    return Trials(tuple(candidates[place][1] for place in sorted(chosen)), total)


def grouped(rows: Iterable[Sequence[object]], keys: int) -> dict[tuple[object, ...], list[Sequence[object]]]:
    """The rows, without their first columns, by these."""
    found: dict[tuple[object, ...], list[Sequence[object]]] = defaultdict(list)
    for row in rows:
        found[tuple(row[:keys])].append(row[keys:])
    return found


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    """How many rows a table has."""
    row = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
    return int(row[0]) if row else 0
