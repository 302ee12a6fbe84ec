"""Every case of `guard_cases.txt`: the failure modes of an action's logic, and which are guarded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.evaluation.quality.guards import analyse

PARAMETERS: dict[str, Any] = {
    "to": {"type": "string", "required": True, "minLength": 1},
    "sku": {"type": "string", "required": True, "minLength": 1},
    "tag": {"type": "string", "required": True, "minLength": 1},
    "size": {"type": "string", "required": True, "enum": ["small", "large"]},
    "amount": {"type": "number", "required": True, "minValue": 0},
    "signed": {"type": "number", "required": True, "maxValue": 1000},
    "capped": {"type": "number", "required": True, "minValue": 0, "maxValue": 50},
    "parts": {"type": "number", "required": True, "minValue": 0},
    "share": {"type": "number", "required": True, "minValue": 1},
    "position": {"type": "number", "required": True, "minValue": 0},
    "lines": {"type": "array", "required": True, "maxLength": 10},
    "limit": {"type": "number"},
    "code": {"type": "string"},
}
STATE: list[dict[str, Any]] = [
    {"name": "balance", "type": "number", "default": 0},
    {"name": "limit", "type": "number", "default": 0},
    {"name": "tags", "type": "array", "default": []},
    {"name": "cart", "type": "string", "default": ""},
    {"name": "items", "type": "object", "default": {}, "perAgent": False},
    {"name": "counts", "type": "object", "default": {}, "perAgent": False},
    {"name": "queue", "type": "array", "default": [], "perAgent": False},
    {"name": "rate", "type": "number", "default": 1, "perAgent": False},
    {
        "name": "prices",
        "type": "object",
        "perAgent": False,
        "properties": [{"name": "small", "type": "number"}, {"name": "large", "type": "number"}],
    },
]


def blocks_of(script: str) -> list[dict[str, Any]]:
    """The logic blocks that a case's short hand stands for."""
    top: list[dict[str, Any]] = []
    lists = [top]
    for line in filter(None, map(str.strip, script.splitlines())):
        word, _, rest = line.partition(" ")
        match word:
            case "check":
                condition, _, message = rest.partition(" :: ")
                lists[-1].append(
                    {"type": "validate", "condition": condition, "errorMessage": message or "no"}
                )
            case "return":
                lists[-1].append({"type": "return", "value": {"it": rest}})
            case "notify":
                lists[-1].append({"type": "notify", "to": "agent.id", "message": "m", "data": {"it": rest}})
            case "error":
                lists[-1].append({"type": "error", "message": "no"})
            case "if":
                branch: dict[str, Any] = {"type": "branch", "condition": rest, "then": []}
                lists[-1].append(branch)
                lists.append(branch["then"])
            case "else":
                lists.pop()
                lists[-1][-1]["else"] = []
                lists.append(lists[-1][-1]["else"])
            case "each":
                item, _, collection = rest.partition(" in ")
                loop: dict[str, Any] = {"type": "loop", "collection": collection, "item": item, "body": []}
                lists[-1].append(loop)
                lists.append(loop["body"])
            case "end":
                lists.pop()
            case _:
                target, _, value = rest.partition(" = ")
                lists[-1].append({"type": "update", "target": target, "operation": word, "value": value})
    assert len(lists) == 1, "a branch or loop is not ended"
    return top


def modes_of(script: str) -> list[str]:
    app = load_app(
        {
            "app_id": "shop",
            "name": "Shop",
            "category": "shopping",
            "state_schema": STATE,
            "actions": [{"name": "act", "parameters": PARAMETERS, "logic": blocks_of(script)}],
        }
    )
    return [
        f"{mode.kind}: {mode.subject} {'ok' if mode.guarded else 'FAILS'}"
        for mode in analyse(app, app.actions[0], 0).modes
    ]


def cases() -> dict[str, tuple[str, list[str]]]:
    """By title, the short hand and what is expected of it."""
    text = (Path(__file__).parent / "guard_cases.txt").read_text(encoding="utf-8")
    found: dict[str, tuple[str, list[str]]] = {}
    for block in text.split("\n## ")[1:]:
        title, *lines = block.strip().splitlines()
        script = [line for line in lines if not line.startswith("=>")]
        expected = [line.removeprefix("=> ") for line in lines if line.startswith("=>")]
        assert title not in found, f"two cases are called '{title}'"
        assert expected, f"nothing is expected of '{title}'"
        found[title] = ("\n".join(script), [] if expected == ["nothing"] else expected)
    return found


CASES = cases()


@pytest.mark.parametrize(("script", "expected"), CASES.values(), ids=CASES)
def test_a_mode_counts_as_guarded_only_where_every_path_excludes_it(script: str, expected: list[str]) -> None:
    assert modes_of(script) == expected
