"""What happens at a limit of the language and beyond it: the error's message, or None if there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from appeval_pipeline.appdef import documents, targets
from appeval_pipeline.engine import Engine
from appeval_pipeline.engine.result import ActionResult
from appeval_pipeline.errors import AppEvalError
from appeval_pipeline.expr import compile_expression, limits, parse
from appeval_pipeline_tests.engine.apps import (
    branch,
    fail,
    give,
    loop,
    make_app,
    notify,
    parameters_for,
    update,
)

CONSTANTS: Final = {
    name: value
    for module in (documents, limits, targets)
    for name, value in vars(module).items()
    if name.startswith("MAX_")
}


def message(function: Callable[..., object], *arguments: Any) -> str | None:
    try:
        function(*arguments)
    except (AppEvalError, documents.DocumentError, limits.LimitExceeded) as error:
        return str(error)
    return None


def run(*logic: dict[str, Any], **params: object) -> ActionResult:
    engine = Engine(make_app(list(logic), parameters_for(params)))
    return engine.session(["alice"]).execute("alice", "go", params)


def nested(levels: int) -> Any:
    return [] if levels == 1 else [nested(levels - 1)]


def branches(levels: int) -> list[dict[str, Any]]:
    return [branch("true", branches(levels - 1))] if levels else []


def observations(count: int) -> str | None:
    result = run(loop("params.x", "n", notify("agent.id", "Hi")), x=[0] * count)
    return "observations_dropped" if result.observations_dropped else result.error


def state(size: int) -> str | None:
    empty = {"per_agent": {"alice": {"text": ""}}, "shared": {}}
    text = "x" * (size - len(json.dumps(empty, separators=(",", ":"))))
    return run(update("agent.text", "set", "params.x"), x=text).error


def seconds(elapsed: int) -> str | None:
    meter = limits.Meter(iter([100.0, 100.0 + elapsed]).__next__)
    meter.checkpoint(1)
    return message(meter.checkpoint, 2)


AT: Final[dict[str, tuple[str, Callable[[int], str | None]]]] = {
    "iterations of one loop": ("MAX_LOOP_ITERATIONS", lambda n: run(loop("params.x", "i"), x=[0] * n).error),
    "branches and loops inside one another": (
        "MAX_BLOCK_NESTING",
        lambda n: message(make_app, branches(n)),
    ),
    "characters of an expression": ("MAX_EXPRESSION_LENGTH", lambda n: message(parse, "1".ljust(n))),
    "levels of an expression": ("MAX_EXPRESSION_NESTING", lambda n: message(parse, "[" * n + "]" * n)),
    "characters of all expressions and texts of an app": (
        "MAX_LOGIC_LENGTH",
        lambda n: message(make_app, [fail("x" * n)]),
    ),
    "blocks and operations of an app": ("MAX_LOGIC_WORK", lambda n: message(make_app, [fail("x")] * n)),
    "steps of a target": (
        "MAX_TARGET_STEPS",
        lambda n: message(make_app, [update("agent" + ".x" * n, "set", 1)]),
    ),
    "blocks and operations that one action runs": (
        "MAX_WORK",
        lambda n: message(limits.Meter().checkpoint, n),
    ),
    "seconds that one action runs": ("MAX_ACTION_SECONDS", seconds),
    "bytes of the state, as JSON": ("MAX_STATE_BYTES", state),
    "messages of one action": ("MAX_OBSERVATIONS", observations),
    "characters of a string": (
        "MAX_STRING_LENGTH",
        lambda n: run(give(v="len(params.x + params.y)"), x="x" * (n - 9), y="y" * 9).error,
    ),
    "elements of a value that an action makes, at all levels": (
        "MAX_ARRAY_LENGTH",
        lambda n: run(give(v="params.x"), x=[0] * n).error,
    ),
    "levels of a value that an action makes": (
        "MAX_VALUE_DEPTH",
        lambda n: run(give(v="params.x"), x=nested(n)).error,
    ),
    "levels of a state or parameter that is handed in": (
        "MAX_INPUT_DEPTH",
        lambda n: run(give(v=1), x=nested(n)).error,
    ),
    "values in a state or parameter that is handed in": (
        "MAX_INPUT_VALUES",
        lambda n: run(give(v=1), x=[0] * n).error,
    ),
    "characters of all texts in a state or parameter that is handed in": (
        "MAX_INPUT_CHARACTERS",
        lambda n: run(give(v=1), x=["x" * (n // 4)] * 4 + ["y" * (n % 4)]).error,
    ),
    "size of an integer, above or below zero": ("MAX_NUMBER", lambda n: message(compile_expression, str(n))),
    "characters of a file": (
        "MAX_DOCUMENT_BYTES",
        lambda n: message(documents.read_document, "a: 1\n#".ljust(n, "x")),
    ),
    "levels of a file": (
        "MAX_DOCUMENT_DEPTH",
        lambda n: message(documents.read_document, "a: " + "[" * (n - 1) + "]" * (n - 1)),
    ),
    "values of a file, aliases written out": (
        "MAX_DOCUMENT_NODES",
        lambda n: message(documents.read_document, "a: [" + "0," * (n - 3) + "]"),
    ),
}
"""The limits as the page calls them, each with its constant and what happens at a size."""
