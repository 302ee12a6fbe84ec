"""Hand-made apps, small enough for their edge cases to be counted by hand."""

from __future__ import annotations

from typing import Any

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.evaluation.scenarios import ScenarioResult, load_scenario, run_scenario

Json = dict[str, Any]


def app_of(logic: list[Json], parameters: Json | None = None, **rest: Any) -> AppDefinition:
    """An app with the one action ``act``."""
    action = {"name": "act", "parameters": parameters or {}, "logic": logic}
    app = {"app_id": "app", "name": "App", "category": "custom", "actions": [action], **rest}
    return load_app(app)


def validate(condition: str, message: str = "no") -> Json:
    return {"type": "validate", "condition": condition, "errorMessage": message}


def update(target: str, operation: str, value: object) -> Json:
    return {"type": "update", "target": target, "operation": operation, "value": value}


def number(name: str, default: float = 0, **rest: Any) -> Json:
    """A state field."""
    return {"name": name, "type": "number", "default": default, **rest}


def run(app: AppDefinition, *steps: Json, **setup: Any) -> ScenarioResult:
    """Run calls of ``act`` by ``ann``, unless they say otherwise, as a scenario named ``all``."""
    usual = {"agent": "ann", "action": "act"}
    scenario = {
        "name": "all",
        "app_id": app.app_id,
        "setup": {"agents": ["ann"], **setup},
        "steps": [{**usual, **step} for step in steps],
    }
    return run_scenario(app, load_scenario(scenario))


PAY = app_of(
    [
        validate("params.amount <= agent.balance"),
        update("agent.balance", "subtract", "params.amount"),
    ],
    {
        "amount": {"type": "number", "required": True, "minValue": 1, "maxValue": 10},
        "note": {"type": "string", "maxLength": 3},
    },
    state_schema=[number("balance", 5)],
)
"""Twenty cases; those of it are listed in `test_edge_cases`."""
