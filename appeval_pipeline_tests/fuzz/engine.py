"""A coverage-guided fuzzer over reading, checking, compiling and running definitions.

    pip install atheris
    python -m appeval_pipeline_tests.fuzz.engine -max_total_time=600 -timeout=5 -len_control=0 -max_len=2000

Every input is a definition that ships, changed in a few places: keys, values, expressions and texts are
swapped, dropped, or replaced by made-up ones. What comes out must be an error of this package or a result;
a failed action must leave the state equal. Anything else ends the run and leaves the input in a file.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["appeval_pipeline"]):
    from appeval_pipeline.appdef import load_app
    from appeval_pipeline.appdef.documents import read_document
    from appeval_pipeline.engine import Engine, ExecutionContext
    from appeval_pipeline.errors import AppEvalError
    from appeval_pipeline.expr import compile_expression, interpolate, parse, print_expression

DATA = Path(__file__).parents[2] / "data"
SEEDS: list[Any] = [read_document(path).data for path in sorted(DATA.glob("*/*/v*.yaml"))]
PIECES = [
    "agent", "agents", "params", "shared", "config", "x", "balance", "amount", "to", "id", "name", "null",
    "true", "false", "0", "1", "-1", "1.5", "9223372036854775808", "1000000", "'a'", '"b"', "''", "[]", "{}",
    ".", "[", "]", "(", ")", "{", "}", ",", ":", " + ", " - ", " * ", " / ", " == ", " != ", " < ", " <= ",
    " > ", " >= ", " && ", " || ", "!", "-", "${", "$$", "len(", "contains(", "str(", "num(", "round(",
    "max(", "slice(", "generate_id()", "timestamp()", "now()", "__class__", "é", "\\u0041", "\n", "'",
]  # fmt: skip
SCALARS: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    1.5,
    1e308,
    2**63,
    -(2**63),
    2**70,
    "",
    "a",
    "bob",
    "ann",
    [],
    {},
]


def text(data: atheris.FuzzedDataProvider) -> str:
    """A made-up expression, or any string."""
    if data.ConsumeProbability() < 0.1:
        return str(data.ConsumeUnicode(30))
    count = data.ConsumeIntInRange(1, 12)
    return "".join(PIECES[data.ConsumeIntInRange(0, len(PIECES) - 1)] for _ in range(count))


def value(data: atheris.FuzzedDataProvider, depth: int = 0) -> Any:
    kind = data.ConsumeIntInRange(0, 5)
    if kind == 0 or depth > 3:
        return SCALARS[data.ConsumeIntInRange(0, len(SCALARS) - 1)]
    if kind == 1:
        return [value(data, depth + 1) for _ in range(data.ConsumeIntInRange(0, 3))]
    if kind == 2:
        return {text(data): value(data, depth + 1) for _ in range(data.ConsumeIntInRange(0, 3))}
    return text(data)


def places(node: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every container in ``node`` with each of its keys."""
    keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in keys:
        found.append((node, key))
        places(node[key], found)
    return found


def change(definition: Any, data: atheris.FuzzedDataProvider) -> None:
    """Change one place of a definition."""
    found = places(definition, [])
    if not found:
        return
    container, key = found[data.ConsumeIntInRange(0, len(found) - 1)]
    match data.ConsumeIntInRange(0, 4):
        case 0:
            container[key] = value(data)
        case 1:
            other, other_key = found[data.ConsumeIntInRange(0, len(found) - 1)]
            container[key] = json.loads(json.dumps(other[other_key]))
        case 2:
            del container[key]
        case 3 if isinstance(container, list):
            container.append(json.loads(json.dumps(container[key])))
        case _:
            container[key] = text(data)


def fuzz_expression(data: atheris.FuzzedDataProvider) -> None:
    source = text(data)
    variables = {name: value(data) for name in ("params", "agent", "agents", "x")}
    try:
        tree = parse(source)
    except AppEvalError:
        pass
    else:
        assert parse(print_expression(tree)) == tree, source
    for run in (
        lambda: compile_expression(source).evaluate(variables),
        lambda: interpolate(source, variables),
    ):
        with contextlib.suppress(AppEvalError):
            run()


def fuzz_definition(data: atheris.FuzzedDataProvider) -> None:
    definition = json.loads(json.dumps(SEEDS[data.ConsumeIntInRange(0, len(SEEDS) - 1)]))
    for _ in range(data.ConsumeIntInRange(1, 6)):
        change(definition, data)
    try:
        app = load_app(definition) if isinstance(definition, dict) else load_app(str(definition) + "\n")
    except AppEvalError:
        return
    engine = Engine(app)
    session = engine.session(["ann", "bob"], context=ExecutionContext(seed=1))
    for _ in range(data.ConsumeIntInRange(1, 6)):
        action = app.actions[data.ConsumeIntInRange(0, len(app.actions) - 1)]
        params = {name: value(data) for name in action.parameters if data.ConsumeBool()}
        before = session.state
        result = session.execute("ann", action.name, params, trace=data.ConsumeBool())
        assert result.success or session.state == before
        assert result.state_after == session.state
        json.dumps(result.to_dict())


def fuzz(raw: bytes) -> None:
    data = atheris.FuzzedDataProvider(raw)
    if data.ConsumeBool():
        fuzz_expression(data)
    else:
        fuzz_definition(data)


if __name__ == "__main__":
    atheris.Setup(sys.argv, fuzz)
    atheris.Fuzz()
