"""How fast is the engine? ``python -m benchmarks.engine`` prints the table of docs/performance.md."""

from __future__ import annotations

import compileall
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

import appeval_pipeline
from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.engine import Engine, ExecutionContext, Session
from appeval_pipeline.expr import compile_expression
from benchmarks.by_hand import LOOP_APP, Adder, Wallet
from benchmarks.measuring import Work, compare, machine

WALLET = Path(__file__).parents[1] / "data" / "benchmarks" / "bench_wallet" / "v1.yaml"
GUARD = "params.amount <= agent.balance && agents[params.to] != null"
GUARD_PYTHON = 'params["amount"] <= agent["balance"] and agents.get(params["to"]) is not None'
GUARD_CEL = "params.amount <= agent.balance && params.to in agents"  # CEL compares no map with null
VARIABLES: dict[str, Any] = {
    "params": {"amount": 5, "to": "bob"},
    "agent": {"balance": 100},
    "agents": {"ann": {"balance": 100}, "bob": {"balance": 0}},
}
CALLS = 2_000
Row = tuple[str, str, str, str]


def wallet_state(stored: int = 0) -> dict[str, Any]:
    """Two rich agents; the first with ``stored`` transactions."""
    transactions = [
        {"id": f"{number:016x}", "to": "bob", "amount": 5, "timestamp": "2026-01-01T00:00:00.000Z"}
        for number in range(stored)
    ]
    return {
        "per_agent": {
            "ann": {"balance": 10**9, "transactions": transactions},
            "bob": {"balance": 0, "transactions": []},
        },
        "shared": {},
    }


def transfer_of(engine: Engine, *, trace: bool = False, stored: int = 0) -> Callable[[], Work]:
    def make() -> Work:
        session = engine.session(state=wallet_state(stored))
        return lambda: session.execute("ann", "transfer", {"to": "bob", "amount": 5}, trace=trace)

    return make


def transfer_by_hand(app: AppDefinition) -> Callable[[], Work]:
    limit = app.initial_config["max_transactions"]
    assert isinstance(limit, int)

    def make() -> Work:
        wallet = Wallet(wallet_state(), ExecutionContext(), limit)
        return lambda: wallet.transfer("ann", {"to": "bob", "amount": 5})

    return make


def check_equal(app: AppDefinition) -> None:
    """The two must do the same, or comparing their times says nothing."""
    session: Session = Engine(app).session(state=wallet_state())
    wallet = Wallet(wallet_state(), ExecutionContext(), 6000)
    for params in ({"to": "bob", "amount": 5}, {"to": "bob", "amount": 7}):
        ours, theirs = session.execute("ann", "transfer", params), wallet.transfer("ann", params)
        assert ours.data == theirs.data
        assert ours.observations == theirs.observations
        assert ours.state_after == theirs.state_after


def transfers(app: AppDefinition) -> Iterator[Row]:
    engine, hand = Engine(app), transfer_by_hand(app)
    for name, trace, bar in (("transfer", False, "≤ 3.0"), ("transfer, trace on", True, "≤ 4.0")):
        result = compare(transfer_of(engine, trace=trace), hand, CALLS)
        yield name, f"{result.ours_us:.2f} µs / {result.theirs_us:.2f} µs", f"{result.ratio:.2f}×", bar
    grown = compare(transfer_of(engine, stored=5_000), transfer_of(engine), 500)
    times = f"{grown.ours_us:.2f} µs / {grown.theirs_us:.2f} µs"
    yield "transfer with 5,000 stored / with none", times, f"{grown.ratio:.2f}×", "≤ 1.3"


def expressions() -> Iterator[Row]:
    compiled = compile_expression(GUARD)
    # eval is what is measured against; the text is the constant above.
    code = compile(GUARD_PYTHON, "guard", "eval")
    namespace: dict[str, Any] = {"__builtins__": {}}
    assert compiled.evaluate(VARIABLES) is eval(code, namespace, VARIABLES) is True  # noqa: S307
    result = compare(
        lambda: lambda: compiled.evaluate(VARIABLES),
        lambda: lambda: eval(code, namespace, VARIABLES),  # noqa: S307
        20_000,
    )
    times = f"{result.ours_us:.3f} µs / {result.theirs_us:.3f} µs"
    yield "expression / eval of a code object", times, f"{result.ratio:.2f}×", "≤ 6"
    try:
        import celpy
    except ImportError:
        yield "cel-python / expression", "pip install cel-python", "not measured", "≥ 20"
        return
    environment = celpy.Environment()
    program = environment.program(environment.compile(GUARD_CEL))
    activation = celpy.json_to_cel(VARIABLES)
    assert program.evaluate(activation)
    cel = compare(
        lambda: lambda: program.evaluate(activation),
        lambda: lambda: compiled.evaluate(VARIABLES),
        200,
        repeats=7,
    )
    yield (
        "cel-python / expression",
        f"{cel.ours_us:.1f} µs / {cel.theirs_us:.3f} µs",
        f"{cel.ratio:.0f}×",
        "≥ 20",
    )


def loops() -> Iterator[Row]:
    engine = Engine(load_app(LOOP_APP))
    numbers = list(range(1_000))

    def ours() -> Work:
        session = engine.session(["ann"])
        return lambda: session.execute("ann", "add_all", {"numbers": numbers})

    def theirs() -> Work:
        adder = Adder()
        return lambda: adder.add_all("ann", {"numbers": numbers})

    result = compare(ours, theirs, 100)
    yield (
        "loop of 1,000 updates",
        f"{result.ours_us:.0f} µs / {result.theirs_us:.0f} µs",
        f"{result.ratio:.2f}×",
        "≤ 5",
    )


def loading() -> Iterator[Row]:
    document = yaml.safe_load(WALLET.read_text(encoding="utf-8"))
    document["actions"] += [{**action, "name": f"{action['name']}_too"} for action in document["actions"]]
    with tempfile.TemporaryDirectory() as folder:
        times = []
        for attempt in range(9):
            # Another text each time, or the parser would remember the expressions.
            text = yaml.safe_dump(document).replace("cents", f"cents{attempt}")
            path = Path(folder, f"v{attempt}.yaml")
            path.write_text(text, encoding="utf-8")
            _forget_expressions()
            started = time.perf_counter()
            load_app(path)
            times.append((time.perf_counter() - started) * 1000)
    yield "loading and checking 8 actions from YAML", "", f"{statistics.median(times):.1f} ms", "≤ 15 ms"


def _forget_expressions() -> None:
    from appeval_pipeline.expr import parsing

    parsing._parse.cache_clear()


def importing() -> Iterator[Row]:
    own = "import appeval_pipeline.engine"
    needed = "\n".join(
        (
            "import lark, lark.exceptions, orjson, pydantic.alias_generators, pydantic_core, yaml",
            "from lark import Lark, Transformer",
            "from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError",
            "import difflib, decimal, hashlib, importlib.resources, json, random",
        )
    )
    forbidden = ("dagster", "duckdb", "pandas", "litellm")
    program = f"{own}\nimport sys\nprint([name for name in {forbidden!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "[]", found

    compileall.compile_dir(str(Path(appeval_pipeline.__file__).parent), quiet=2)

    def run(program: str) -> Work:
        return lambda: subprocess.run([sys.executable, "-c", program], check=True)

    result = compare(lambda: run(own), lambda: run(needed), 1, repeats=21)
    times = f"{result.ours_us / 1000:.0f} ms / {result.theirs_us / 1000:.0f} ms"
    yield "importing the engine / its third-party imports", times, f"{result.ratio:.2f}×", "≤ 1.3"


def main() -> None:
    """Measure all and print the table."""
    app = load_app(WALLET)
    check_equal(app)
    table = Table("measure", "ours / theirs", "ratio", "bar", title=machine(), title_justify="left")
    for rows in (transfers(app), expressions(), loops(), loading(), importing()):
        for row in rows:
            table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
