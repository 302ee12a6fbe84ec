"""Is a slower version noticed, and an equal one left alone? ``python -m benchmarks.regression``.

Each comparison is of two definitions parsed apart, in two engines. The slower version of ``bench_messaging``
counts in a loop before one of its actions does its work, as long as it takes to double its time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation import Scenario
from appeval_pipeline.evaluation.timing import TimingComparison, compare_timings
from benchmarks.measuring import machine
from benchmarks.suites import app_of, scenarios_of

EQUAL = ("bench_wallet", "bench_workflow")
SLOWED = "bench_messaging"
FIRST_GUESS = 10
Row = tuple[str, str, str, str]


def slowed(app: AppDefinition, action: str, steps: int) -> AppDefinition:
    """``app``, of which one action first goes over ten numbers ``steps`` times, to no effect."""
    document = app.model_dump(mode="json", by_alias=True, exclude_unset=True)
    definition = next(found for found in document["actions"] if found["name"] == action)
    check = {"type": "validate", "condition": "idle_number < 10", "errorMessage": "never"}
    inner = {"type": "loop", "collection": f"{list(range(10))}", "item": "idle_number", "body": [check]}
    idle = {"type": "loop", "collection": f"{[0] * steps}", "item": "idle_round", "body": [inner]}
    definition["logic"].insert(0, idle)
    return AppDefinition.model_validate(document)


def ratio_of(name: str, action: str, steps: int) -> float:
    """How much slower ``action`` is with so many idle steps."""
    old = app_of(name)
    comparison = compare_timings(Engine(old), Engine(slowed(old, action, steps)), scenarios_of(name))
    return next(found.ratio for found in comparison.actions if found.action == action)


def steps_that_double(name: str, action: str) -> int:
    """With how many idle steps ``action`` takes twice the time: found by proportion, in two steps."""
    steps = FIRST_GUESS
    for _ in range(2):
        steps = max(round(steps / (ratio_of(name, action, steps) - 1)), 1)
    return steps


def equal_versions(name: str, tries: int) -> Row:
    """How often two equal versions are told apart; it should be never."""
    scenarios = scenarios_of(name)
    false_alarms, times, changes = 0, [], []
    for _ in range(tries):
        comparison, elapsed = _timed(app_of(name), app_of(name), scenarios)
        false_alarms += bool(comparison.significant)
        times.append(elapsed)
        changes.append(abs(comparison.latency_change_pct or 0))
    found = f"{false_alarms} of {tries} (largest latency change {max(changes):.1f}%)"
    return f"{name}: equal versions said to differ", found, f"{_median(times):.0f} ms", "0"


def slowed_versions(tries: int) -> Iterator[Row]:
    """How often an action that became twice as slow is found, and no other."""
    app, scenarios = app_of(SLOWED), scenarios_of(SLOWED)
    for action in app.actions:
        steps = steps_that_double(SLOWED, action.name)
        right, times, ratios = 0, [], []
        for _ in range(tries):
            comparison, elapsed = _timed(
                app_of(SLOWED), slowed(app_of(SLOWED), action.name, steps), scenarios
            )
            right += [found.action for found in comparison.significant] == [action.name]
            times.append(elapsed)
            ratios.append(next(found.ratio for found in comparison.actions if found.action == action.name))
        found = f"{right} of {tries} (ratio {min(ratios):.2f} to {max(ratios):.2f}, {steps} idle steps)"
        yield f"{SLOWED}: {action.name} twice as slow, found alone", found, f"{_median(times):.0f} ms", "all"


def _timed(
    old: AppDefinition, new: AppDefinition, scenarios: Sequence[Scenario]
) -> tuple[TimingComparison, float]:
    engines = Engine(old), Engine(new)
    started = time.perf_counter()
    comparison = compare_timings(*engines, scenarios)
    return comparison, (time.perf_counter() - started) * 1_000


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def main() -> None:
    """Measure all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=200, help="comparisons a row")
    tries = parser.parse_args().tries
    table = Table("measure", "found", "time each", "bar", title=machine(), title_justify="left")
    for name in EQUAL:
        table.add_row(*equal_versions(name, tries))
    for row in slowed_versions(max(tries // 5, 1)):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
