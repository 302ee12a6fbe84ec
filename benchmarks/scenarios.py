"""How fast is the evaluation? ``python -m benchmarks.scenarios`` prints the table of docs/performance.md."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.engine import Engine, ExecutionContext
from appeval_pipeline.evaluation import (
    Scenario,
    analyze_coverage,
    load_scenario,
    run_scenario,
    score_quality,
)
from appeval_pipeline.evaluation.edge_cases import edge_cases
from benchmarks.by_hand import Wallet
from benchmarks.measuring import compare, machine

DATA = Path(__file__).parents[1] / "data" / "benchmarks"
RUNS = 1_000
AMOUNTS = (5, 10, 15, 20, 25)
Row = tuple[str, str, str, str]


def transfers() -> Scenario:
    """Five transfers, each held to its data, state and observation, and three assertions."""
    steps = []
    for number, amount in enumerate(AMOUNTS, 1):
        sent = sum(AMOUNTS[:number])
        steps.append(
            {
                "agent": "ann",
                "action": "transfer",
                "params": {"to": "bob", "amount": amount},
                "expect": {
                    "data": {"new_balance": 1_000 - sent},
                    "state": {"ann.balance": 1_000 - sent, "bob.balance": sent},
                    "observations": [{"to": "bob", "message_contains": f"{amount} cents"}],
                },
            }
        )
    balances = {"ann": {"balance": 1_000}, "bob": {"balance": 0}}
    return load_scenario(
        {
            "name": "Five transfers",
            "app_id": "bench_wallet",
            "setup": {"agents": ["ann", "bob"], "initial_state": {"per_agent": balances}},
            "steps": steps,
            "assertions": ["ann.balance == 925", "bob.balance == 75", "len(ann.transactions) == 5"],
        }
    )


def transfers_by_hand() -> list[dict[str, Any]]:
    """The same in plain Python: the five calls, all checks, and what each step changed.

    Raises:
        AssertionError: A check failed.
    """
    accounts = {
        "ann": {"balance": 1_000, "transactions": []},
        "bob": {"balance": 0, "transactions": []},
    }
    wallet = Wallet({"per_agent": accounts, "shared": {}}, ExecutionContext(), 6_000)
    ann, bob = accounts["ann"], accounts["bob"]
    steps: list[dict[str, Any]] = []
    sent = 0
    for amount in AMOUNTS:
        before = ann["balance"], bob["balance"]
        result = wallet.transfer("ann", {"to": "bob", "amount": amount})
        sent += amount
        assert result.success
        assert result.data is not None
        assert result.data["new_balance"] == 1_000 - sent
        assert ann["balance"] == 1_000 - sent
        assert bob["balance"] == sent
        assert any(
            made["agent_id"] == "bob" and f"{amount} cents" in made["message"] for made in result.observations
        )
        place = f"ann.transactions[{len(steps)}]"
        changes = {
            "ann.balance": {"before": before[0], "after": ann["balance"]},
            place: {"after": ann["transactions"][-1]},  # type: ignore[index]
            "bob.balance": {"before": before[1], "after": bob["balance"]},
        }
        steps.append({"success": True, "data": result.data, "state_diff": changes})
    assert ann["balance"] == 925
    assert bob["balance"] == 75
    assert len(ann["transactions"]) == 5  # type: ignore[arg-type]
    return steps


def check_equal(engine: Engine, scenario: Scenario) -> None:
    """The two must do the same, or comparing their times says nothing."""
    result = run_scenario(engine, scenario)
    assert result.passed, result.failures
    ours = [
        {"success": step.success, "data": step.data, "state_diff": step.state_diff} for step in result.steps
    ]
    assert ours == transfers_by_hand()


def scenario_runs() -> Iterator[Row]:
    engine = Engine(load_app(DATA / "bench_wallet" / "v1.yaml"))
    scenario = transfers()
    check_equal(engine, scenario)
    result = compare(
        lambda: lambda: run_scenario(engine, scenario), lambda: transfers_by_hand, RUNS, repeats=9
    )
    total = f"{result.ours_us * RUNS / 1e6:.2f} s / {result.theirs_us * RUNS / 1e6:.2f} s"
    yield f"{RUNS:,} scenarios of {len(AMOUNTS)} steps / by hand", total, f"{result.ratio:.1f}×", "≤ 1 s"


def evaluations() -> Iterator[Row]:
    folder = DATA / "bench_workflow"
    app = load_app(folder / "v1.yaml")
    engine = Engine(app)
    scenarios = [load_scenario(path) for path in sorted((folder / "scenarios").iterdir())]
    results = [run_scenario(engine, scenario) for scenario in scenarios]
    works: list[tuple[str, Callable[[AppDefinition], object]]] = [
        ("quality", score_quality),
        ("coverage", lambda app: analyze_coverage(app, results)),
        ("edge cases", lambda _: edge_cases(engine, results)),
    ]
    total = 0.0
    for name, work in works:
        elapsed_ms = _median_ms(lambda work=work: work(app))  # type: ignore[misc]
        total += elapsed_ms
        yield f"{name} of bench_workflow", "", f"{elapsed_ms:.1f} ms", ""
    yield "all of these", "", f"{total:.1f} ms", "≤ 100 ms"


def _median_ms(work: Callable[[], object], repeats: int = 9) -> float:
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1_000)
    return statistics.median(times)


def main() -> None:
    """Measure all and print the table."""
    table = Table("measure", "ours / theirs", "ratio or time", "bar", title=machine(), title_justify="left")
    for rows in (scenario_runs(), evaluations()):
        for row in rows:
            table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
