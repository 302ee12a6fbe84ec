"""Do trials wait for anything but their models? ``python -m benchmarks.concurrency``.

Tasks of tau-bench are tried by models, agent and customer, at a service of another process on loopback that
takes a fifth of a second for each answer. Each trial asks as often. Were there nothing but the service, all
would take the waves of trials times the questions of one times that latency; the ratio says what there is
beside it.
"""

from __future__ import annotations

import asyncio
import math
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from appeval_pipeline.agents.journal import Journal
from appeval_pipeline.taubench.experiments import ExperimentSettings, prepare
from appeval_pipeline_tests.agents.scripted_server import Answer, ScriptedServer, call, completion
from benchmarks.measuring import machine

BAR = 1.3
LATENCY_S = 0.2
TASKS = 32
CONCURRENCY = 16
REPEATS = 5
CALLS = 5
"""Of tools, in each trial; then the agent says goodbye."""
QUESTIONS = CALLS + 1 + 2
"""Of both sides in each trial: the customer is asked for its first message, and for its last."""


class SlowServer(ScriptedServer):
    """Plays both sides, slowly."""

    def __init__(self) -> None:
        super().__init__([])

    def _next(self, body: dict[str, Any], key: str) -> Answer:
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if "tools" not in body:
            answer = completion("###STOP###" if turn else "I have a question.")
        elif turn < CALLS:
            answer = completion(None, call("list_all_product_types", {}, f"call_{turn}"))
        else:
            answer = completion("Goodbye.")
        return replace(answer, delay_s=LATENCY_S)


def serve(told: Connection) -> None:
    """Tell the address, and answer until told to end."""
    with SlowServer().running() as server:
        told.send(server.url)
        told.recv()


@contextmanager
def served() -> Iterator[str]:
    """The address of a service in another process."""
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs,))
    process.start()
    try:
        yield str(ours.recv())
    finally:
        ours.send(None)
        process.join()


def run(url: str, tasks: int) -> float:
    """Try tasks; the seconds it took, from the first trial's beginning to the last one's end."""
    played = {"model": "played", "api_base": url}
    settings = ExperimentSettings(
        agent="tool-calling",
        user="llm",
        task_ids=f"0-{tasks - 1}",
        max_concurrency=CONCURRENCY,
        **played,
        **{f"user_{name}": value for name, value in played.items()},
    )
    prepared = prepare(settings)
    with (
        tempfile.TemporaryDirectory() as folder,
        Journal(Path(folder), prepared.configuration()) as journal,
    ):
        started = time.perf_counter()
        results = asyncio.run(prepared.evaluator().run(prepared.tasks, journal))
        elapsed_s = time.perf_counter() - started
    assert [(result.error, result.turns) for result in results] == [(None, CALLS + 1)] * tasks
    return elapsed_s


def main() -> None:
    """Print the table."""
    ideal_s = math.ceil(TASKS / CONCURRENCY) * QUESTIONS * LATENCY_S
    with served() as url:
        run(url, 1)  # loads litellm
        times_s = [run(url, TASKS) for _ in range(REPEATS)]
    median_s = statistics.median(times_s)
    console = Console()
    console.print(machine())
    table = Table("tasks", "at once", "questions a trial", "ideal", "median", "ratio", "worst", "bar")
    table.add_row(
        str(TASKS),
        str(CONCURRENCY),
        str(QUESTIONS),
        f"{ideal_s:.1f} s",
        f"{median_s:.2f} s",
        f"{median_s / ideal_s:.2f}×",
        f"{max(times_s) / ideal_s:.2f}×",
        f"≤ {BAR}×",
    )
    console.print(table)


if __name__ == "__main__":
    main()
