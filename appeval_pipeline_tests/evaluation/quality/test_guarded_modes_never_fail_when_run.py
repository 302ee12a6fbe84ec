"""What the analysis calls guarded does not happen: random logic, run on random states.

Before each update with a guarded failure mode a probe is put: a branch that ends the action with an error
where the mode would fail. No run may ever end there. Numbers are whole, for counts are read as such.
"""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.engine import Engine
from appeval_pipeline.evaluation.quality.guards import FailureMode, analyse

PARAMETERS: dict[str, Any] = {
    "to": {"type": "string", "required": True},
    "tag": {"type": "string", "required": True},
    "amount": {"type": "number", "required": True, "minValue": 0},
    "signed": {"type": "number", "required": True},
    "keys": {"type": "array", "required": True},
}
STATE: list[dict[str, Any]] = [
    {"name": "balance", "type": "number"},
    {"name": "limit", "type": "number"},
    {"name": "tags", "type": "array"},
    {"name": "who", "type": "string"},
    {"name": "stock", "type": "object", "perAgent": False},
]
NUMBERS = (
    "agent.balance", "agent.balance", "agents[params.to].balance", "agents[agent.who].balance", "agent.limit",
    "params.amount", "params.amount", "params.signed", "1", "2", "params.amount + 1", "len(agent.tags)",
    "shared.stock[params.tag].count", "min(agent.balance, params.amount)", "agent.limit / params.signed",
)  # fmt: skip
TARGETS = (
    "agent.balance", "agents[params.to].balance", "agents[agent.who].balance", "agent.limit",
    "shared.stock[params.tag].count",
)  # fmt: skip
CONDITIONS = (
    "agents[params.to] != null", "params.to != agent.id", "params.to != agent.who", "params.to == agent.who",
    "contains(shared.stock, params.tag)", "shared.stock[params.tag] == null", "params.signed != 0",
    "contains(agent.tags, params.tag)",
)  # fmt: skip


def number(chance: random.Random, items: list[str]) -> str:
    return chance.choice([*NUMBERS, *(f"shared.stock[{item}].count" for item in items)])


def condition(chance: random.Random, items: list[str], depth: int = 2) -> str:
    kind = chance.random()
    if depth and kind < 0.3:
        left, right = condition(chance, items, depth - 1), condition(chance, items, depth - 1)
        return f"({left} {chance.choice(['&&', '||'])} {right})"
    if depth and kind < 0.36:
        return f"!({condition(chance, items, depth - 1)})"
    if kind < 0.7:
        operator = chance.choice(["<", "<=", ">", ">=", "=="])
        return f"{number(chance, items)} {operator} {number(chance, items)}"
    present = [f"shared.stock[{item}] != null" for item in items]
    same = [f"{item} == params.tag" for item in items]
    return chance.choice([*CONDITIONS, *present, *same])


def update(chance: random.Random, items: list[str]) -> dict[str, Any]:
    kind = chance.random()
    if kind < 0.12:
        operation = chance.choice(["remove", "remove", "append"])
        return _update("agent.tags", operation, chance.choice(["params.tag", "'a'", *items]))
    if kind < 0.2:
        return _update("agent.who", "set", chance.choice(["params.to", "'bob'"]))
    if kind < 0.24:
        return _update("shared.stock[params.tag]", "set", {"count": "params.amount"})
    if kind < 0.26:
        return _update("shared.stock", "set", {})
    target = chance.choice([*TARGETS, *(f"shared.stock[{item}].count" for item in items)])
    return _update(target, chance.choice(["subtract", "subtract", "add", "set"]), number(chance, items))


def _update(target: str, operation: str, value: Any) -> dict[str, Any]:
    return {"type": "update", "target": target, "operation": operation, "value": value}


def blocks(chance: random.Random, items: list[str], depth: int) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = []
    for _ in range(chance.randint(1, 4)):
        kind = chance.random()
        if kind < 0.4:
            result.append({"type": "validate", "condition": condition(chance, items), "errorMessage": "no"})
        elif kind < 0.75 or not depth:
            result.append(update(chance, items))
        elif kind < 0.9:
            arms = [blocks(chance, items, depth - 1), blocks(chance, items, depth - 1)]
            if chance.random() < 0.4:
                chance.choice(arms).append({"type": "error", "message": "no"})
            test = condition(chance, items)
            result.append({"type": "branch", "condition": test, "then": arms[0], "else": arms[1]})
        else:
            item, collection = f"item_{depth}", chance.choice(["params.keys", "agent.tags"])
            body = blocks(chance, [*items, item], depth - 1)
            result.append({"type": "loop", "collection": collection, "item": item, "body": body})
    return result


def with_probes(document: dict[str, Any], modes: list[FailureMode]) -> dict[str, Any]:
    """``document`` with a probe before each block that has guarded ``modes``, later blocks first."""
    result = copy.deepcopy(document)
    for mode in sorted(modes, key=lambda mode: [p for p in mode.block if isinstance(p, int)], reverse=True):
        parent: Any = result
        for part in mode.block[:-1]:
            parent = parent[part]
        # Conditions before the last only say that the paths in it are there.
        fails = {"type": "error", "message": f"PROBE {mode.location} {mode.subject}"}
        test = (mode.guard or "").rpartition(" && ")[2]
        parent.insert(mode.block[-1], {"type": "branch", "condition": test, "then": [], "else": [fails]})
    return result


def random_call(chance: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A state, and parameters."""

    def count() -> int:
        return chance.choice([-2, -1, 0, 1, 1, 2, 2, 3, 5])

    agents = {
        name: {
            "balance": count(),
            "limit": count(),
            "tags": chance.choices("abc", k=chance.randint(0, 3)),
            "who": chance.choice(["me", "bob", "eve"]),
        }
        for name in ("me", "bob", "eve")
        if name == "me" or chance.random() < 0.8
    }
    stock = {key: {"count": count()} for key in "abc" if chance.random() < 0.7}
    parameters = {
        "to": chance.choice(["me", "bob", "eve"]),
        "tag": chance.choice("abc"),
        "amount": abs(count()),
        "signed": count(),
        "keys": chance.choices("abc", k=chance.randint(0, 3)),
    }
    return {"per_agent": agents, "shared": {"stock": stock}}, parameters


@pytest.mark.parametrize("seed", range(8))
def test_no_run_meets_a_failure_that_is_called_guarded(seed: int) -> None:
    chance = random.Random(seed)
    probed = 0
    for _ in range(60):
        logic = blocks(chance, [], 2)
        document = {
            "app_id": "any",
            "name": "Any",
            "category": "custom",
            "state_schema": STATE,
            "actions": [{"name": "act", "parameters": PARAMETERS, "logic": logic}],
        }
        app = AppDefinition.model_validate(document)
        modes = [
            mode
            for mode in analyse(app, app.actions[0], 0).modes
            if mode.guarded and mode.guard and mode.location.endswith((".target", ".value"))
        ]
        if not modes:
            continue
        probed += len(modes)
        engine = Engine(AppDefinition.model_validate(with_probes(document, modes)))
        for _ in range(30):
            state, parameters = random_call(chance)
            result = engine.execute("me", "act", parameters, state)
            assert "PROBE" not in (result.error or ""), (result.error, logic, state, parameters)
    assert probed >= 10
