"""Does a benchmark say the same when it is run again? ``python -m benchmarks.repeatability``.

All reference apps are benchmarked twice, each time in a process of its own, over and over; shown is by how
much the median multiple of the second differs from that of the first, at worst. ``--busy`` keeps the other
processors at work meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.table import Table

from appeval_pipeline.evaluation import run_benchmark
from benchmarks.measuring import machine
from benchmarks.suites import app_names, app_of, scenarios_of

Figures = dict[str, tuple[float, float]]
"""By app: median latency in µs, and as a multiple."""


def figures() -> Figures:
    """All apps, benchmarked in this process."""
    found = {}
    for name in app_names():
        result = run_benchmark(app_of(name), scenarios_of(name))
        assert result.p50_action_latency_ms is not None
        assert result.p50_multiple is not None
        found[name] = (result.p50_action_latency_ms * 1_000, result.p50_multiple)
    return found


def figures_of_a_fresh_process() -> Figures:
    command = [sys.executable, "-m", "benchmarks.repeatability", "--once"]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name: (latency, multiple) for name, (latency, multiple) in json.loads(output).items()}


def difference(one: float, other: float) -> float:
    """By how much the larger exceeds the smaller, in percent."""
    return (max(one, other) / min(one, other) - 1) * 100


@contextmanager
def busy_processors(count: int) -> Iterator[None]:
    """So many processes that do nothing as fast as they can."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def table_of(pairs: list[tuple[Figures, Figures]]) -> Table:
    title = f"{machine()}: {len(pairs)} times two runs"
    table = Table("app", "p50, µs", "p50 multiple", "worst pair of p50", "worst pair of multiples", "bar")
    table.title, table.title_justify = title, "left"
    for name in app_names():
        runs = [run[name] for pair in pairs for run in pair]
        worst = [
            max(difference(first[name][figure], second[name][figure]) for first, second in pairs)
            for figure in (0, 1)
        ]
        times, multiples = ([run[figure] for run in runs] for figure in (0, 1))
        table.add_row(
            name,
            f"{min(times):.1f} to {max(times):.1f}",
            f"{min(multiples):.2f} to {max(multiples):.2f}",
            f"{worst[0]:.0f}%",
            f"{worst[1]:.0f}%",
            "≤ 15%",
        )
    return table


def main() -> None:
    """Measure all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10, help="how often two runs are compared")
    parser.add_argument("--busy", action="store_true", help="keep the other processors busy")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.once:
        json.dump(figures(), sys.stdout)
        return
    with busy_processors((os.cpu_count() or 1) - 1 if arguments.busy else 0):
        pairs = [(figures_of_a_fresh_process(), figures_of_a_fresh_process()) for _ in range(arguments.pairs)]
    Console().print(table_of(pairs))


if __name__ == "__main__":
    main()
