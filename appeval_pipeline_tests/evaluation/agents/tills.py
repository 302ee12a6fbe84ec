"""A small app whose ways can be counted by hand, and tasks with it."""

from typing import Any

from appeval_pipeline.evaluation.agents import EvaluationTask, load_task

TILL: dict[str, Any] = {
    "app_id": "till",
    "name": "Till",
    "category": "payment",
    "version": 1,
    "state_schema": [
        {"name": "coins", "type": "number", "default": 5},
        {"name": "locked", "type": "boolean", "default": False},
        {"name": "notes", "type": "object", "default": {}, "perAgent": False},
    ],
    "actions": [
        {
            "name": "pay",
            "description": "Hand coins to somebody.",
            "parameters": {
                "to": {"type": "string", "required": True},
                "coins": {"type": "number", "required": True, "minValue": 1, "maxValue": 3},
            },
            "logic": [
                {
                    "type": "validate",
                    "condition": "agents[params.to] != null",
                    "errorMessage": "Nobody is called ${params.to}",
                },
                {
                    "type": "branch",
                    "condition": "agent.coins < params.coins",
                    "then": [{"type": "error", "message": "Only ${agent.coins} coins are left"}],
                },
                {
                    "type": "update",
                    "target": "agent.coins",
                    "operation": "subtract",
                    "value": "params.coins",
                },
                {
                    "type": "update",
                    "target": "agents[params.to].coins",
                    "operation": "add",
                    "value": "params.coins",
                },
                {"type": "return", "value": {"left": "agent.coins"}},
            ],
        },
        {
            "name": "look",
            "description": "Count the coins.",
            "logic": [{"type": "return", "value": {"coins": "agent.coins"}}],
        },
    ],
}


def make_task(goal: str = "bob.coins >= 10", **more: Any) -> EvaluationTask:
    given = {
        "name": "Generous",
        "description": "Give bob five coins.",
        "app_id": "till",
        "agent": "ann",
        "other_agents": ["bob"],
        "goal_condition": goal,
        "max_steps": 10,
    }
    return load_task({**given, **more})
