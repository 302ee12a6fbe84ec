"""Does the HTTP API bear a crowd? ``python -m benchmarks.api``.

The shipped data is evaluated into a store of its own, `appeval serve` serves it in a process of its own, and
clients in this process ask without a pause, each over a connection of its own: nine times out of ten for a
stored result, else for an action (POST `test`). This happens twice: on a quiet store, and while the server is
asked for one run after another, each of which writes to the store and publishes new snapshots.

Everything but 200 counts as an error. The clients' own work is in the times.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

import httpx2 as httpx
from rich.console import Console
from rich.table import Table

from appeval_pipeline.appdef.catalogue import ROOTS
from appeval_pipeline.settings import default_data_dir
from benchmarks.measuring import machine

APPS = "/api/v1/app-definitions"
READS = (
    APPS,
    f"{APPS}/paypal",
    f"{APPS}/paypal/versions",
    f"{APPS}/paypal/quality?version=2",
    f"{APPS}/bench_workflow/quality",
    f"{APPS}/bench_wallet/coverage",
    f"{APPS}/paypal/compare/2?with=3",
    "/api/v1/benchmarks",
)
CALL = {"agent_id": "alice", "action": "transfer", "params": {"to": "bob", "amount": 30}, "agents": ["bob"]}
CALL_PATH = f"{APPS}/paypal/test"
CALLS_OF_TEN = 1
OURS = ("APPEVAL_", "DAGSTER_")
COLUMNS = (
    *("store", "requests", "a second", "p50 ms", "p99 ms", "p99 reads ms", "p99 calls ms"),
    *("runs", "errors"),
)


@dataclass(slots=True)
class Answers:
    """What came back: the seconds that each kind took, and how often what went wrong."""

    took_s: dict[str, list[float]] = field(default_factory=lambda: {"read": [], "call": []})
    errors: Counter[str] = field(default_factory=Counter)
    runs: int = 0


async def ask(client: httpx.AsyncClient, answers: Answers, chance: random.Random, until: float) -> None:
    """One client: the next request as soon as the last is answered."""
    while time.monotonic() < until:
        kind = "call" if chance.randrange(10) < CALLS_OF_TEN else "read"
        started = time.perf_counter()
        try:
            if kind == "call":
                response = await client.post(CALL_PATH, json=CALL)
            else:
                response = await client.get(chance.choice(READS))
        except httpx.HTTPError as error:
            answers.errors[type(error).__name__] += 1
            continue
        answers.took_s[kind].append(time.perf_counter() - started)
        if response.status_code != 200:
            answers.errors[str(response.status_code)] += 1


async def keep_writing(client: httpx.AsyncClient, answers: Answers, until: float) -> None:
    """One run after another."""
    while time.monotonic() < until:
        response = await client.post(
            f"{APPS}/bench_counter/evaluate?wait=true&timeout_s=120", timeout=httpx.Timeout(130)
        )
        if response.status_code != 200 or response.json()["run"]["state"] != "succeeded":
            answers.errors[f"run: {response.text[:80]}"] += 1
        answers.runs += 1


async def crowd(url: str, clients: int, seconds: float, *, writing: bool) -> Answers:
    """All clients at once."""
    answers = Answers()
    limits = httpx.Limits(max_connections=1)
    until = time.monotonic() + seconds
    made = [httpx.AsyncClient(base_url=url, limits=limits, timeout=30) for _ in range(clients + 1)]
    try:
        tasks = [ask(client, answers, random.Random(place), until) for place, client in enumerate(made[1:])]
        if writing:
            tasks.append(keep_writing(made[0], answers, until))
        await asyncio.gather(*tasks)
    finally:
        for client in made:
            await client.aclose()
    return answers


@contextmanager
def server(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """`appeval serve`, until it is left."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "appeval_pipeline.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        if not process.stderr.readline().startswith("HTTP API"):
            raise SystemExit(process.stderr.read())
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        process.kill()


def report(name: str, answers: Answers, seconds: float) -> list[str]:
    """The cells of a row."""
    every = [took for kind in answers.took_s.values() for took in kind]
    p50, p99 = percentile(every, 50), percentile(every, 99)
    cells = [f"{len(every):,}", f"{len(every) / seconds:,.0f}", f"{p50:.0f}", f"{p99:.0f}"]
    cells += [f"{percentile(answers.took_s[kind], 99):.0f}" for kind in ("read", "call")]
    return [name, *cells, str(answers.runs), str(sum(answers.errors.values()))]


def percentile(values: Sequence[float], number: int) -> float:
    """In milliseconds."""
    return quantiles(values, n=100)[number - 1] * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    chosen = parser.parse_args()
    out = Console()
    table = Table(
        *(
            "store",
            "requests",
            "a second",
            "p50 ms",
            "p99 ms",
            "p99 reads ms",
            "p99 calls ms",
            "runs",
            "errors",
        )
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for root in ROOTS:
            shutil.copytree(default_data_dir() / root, folder / "data" / root)
        environment = {
            **{
                key: value
                for key, value in os.environ.items()
                if not key.startswith(("APPEVAL_", "DAGSTER_"))
            },
            "APPEVAL_DATA_DIR": str(folder / "data"),
            "APPEVAL_AGENTS": "oracle",
        }
        evaluate = [sys.executable, "-m", "appeval_pipeline.cli", "run"]
        subprocess.run(evaluate, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
        with server(folder, environment) as url:
            asyncio.run(crowd(url, 5, 2, writing=False))
            for title, writing in (("quiet", False), ("runs write", True)):
                answers = asyncio.run(crowd(url, chosen.clients, chosen.seconds, writing=writing))
                table.add_row(*report(title, answers, chosen.seconds))
                for error, count in answers.errors.most_common(5):
                    out.print(f"{count} × {error}")
    out.print(table)
    out.print(f"{chosen.clients} clients for {chosen.seconds:.0f} s each: {machine()}")


if __name__ == "__main__":
    main()
