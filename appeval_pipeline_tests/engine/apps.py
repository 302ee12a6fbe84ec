"""Small apps and states for the engine's tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline.engine.result import ActionResult
from appeval_pipeline.expr import ExecutionContext

Json = dict[str, Any]

KINDS = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}


def cases(name: str) -> Any:
    """What the case file ``name`` beside the tests holds."""
    return yaml.safe_load((Path(__file__).parent / "cases" / f"{name}.yaml").read_text(encoding="utf-8"))


def make_app(logic: list[Json], parameters: Json | None = None, **keys: Any) -> AppDefinition:
    """An app with the one action ``go``."""
    return load_app(
        {
            "app_id": "an_app",
            "name": "App",
            "category": "custom",
            "actions": [{"name": "go", "parameters": parameters or {}, "logic": logic}],
            **keys,
        }
    )


def parameters_for(values: Mapping[str, object]) -> Json:
    """Specs of required parameters that ``values`` fit."""
    return {name: {"type": KINDS[type(value)], "required": True} for name, value in values.items()}


def state_of(agents: Json, shared: Json | None = None) -> Json:
    return {"per_agent": agents, "shared": shared or {}}


def run(
    logic: list[Json],
    *,
    state: Json | None = None,
    params: Json | None = None,
    context: ExecutionContext | None = None,
    trace: bool = False,
    **keys: Any,
) -> ActionResult:
    """What ``go`` with ``logic`` does, called by alice; bob is there too."""
    app = make_app(logic, keys.pop("parameters", None) or parameters_for(params or {}), **keys)
    engine = Engine(app)
    start = engine.initial_state(["alice", "bob"]) if state is None else state
    return engine.execute("alice", "go", params, start, context, trace)


def validate(condition: str, message: str = "No.") -> Json:
    return {"type": "validate", "condition": condition, "errorMessage": message}


def update(target: str, operation: str, value: object) -> Json:
    return {"type": "update", "target": target, "operation": operation, "value": value}


def notify(to: str, message: str, **data: object) -> Json:
    return {"type": "notify", "to": to, "message": message, **({"data": data} if data else {})}


def give(**value: object) -> Json:
    return {"type": "return", "value": value}


def fail(message: str) -> Json:
    return {"type": "error", "message": message}


def branch(condition: str, then: list[Json], otherwise: list[Json] | None = None) -> Json:
    block: Json = {"type": "branch", "condition": condition, "then": then}
    return block if otherwise is None else {**block, "else": otherwise}


def loop(collection: str, item: str, *body: Json) -> Json:
    return {"type": "loop", "collection": collection, "item": item, "body": list(body)}
