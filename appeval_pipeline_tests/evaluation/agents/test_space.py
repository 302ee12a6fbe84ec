"""Which states a search takes for the same."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.evaluation import evaluate_agent, load_task


def fewest(value: object, actions: dict[str, str], goal: str) -> int | None:
    """The fewest actions to ``goal``, where each action sets one value by an expression."""
    kind = "string" if isinstance(value, str) else "number"
    app: dict[str, Any] = {
        "app_id": "slot",
        "name": "Slot",
        "category": "custom",
        "version": 1,
        "state_schema": [{"name": "value", "type": kind, "default": value}],
        "actions": [
            {
                "name": name,
                "description": "Set the value.",
                "logic": [{"type": "update", "target": "agent.value", "operation": "set", "value": to}],
            }
            for name, to in actions.items()
        ],
    }
    task = {"name": "Go", "description": "Go.", "app_id": "slot", "agent": "ann", "goal_condition": goal}
    evaluation = evaluate_agent(load_app(app), load_task(task), "oracle")
    assert evaluation.optimal_is_exact
    return evaluation.optimal_actions


@pytest.mark.parametrize("third", [1 / 3, 1000000000000001, -1000000000000001])
def test_numbers_with_the_digits_of_an_id_are_not_the_same(third: float) -> None:
    assert fewest(third, {"double": "agent.value + agent.value"}, f"agent.value == {third + third!r}") == 1


def test_an_id_that_the_task_names_is_not_any_id() -> None:
    wanted = "5500000000000004"
    actions = {"pick": f"'{wanted}'", "drop": "'4111111111111111'"}
    assert fewest("4222222222222222", actions, f"agent.value == '{wanted}'") == 1


def test_ids_that_are_handed_out_are_all_the_same() -> None:
    assert fewest("none", {"renew": "generate_id()"}, "agent.value == 'never'") is None


def test_an_action_of_many_parameters_leaves_the_others_their_share() -> None:
    text = {"type": "string", "required": True}
    set_done = [{"type": "update", "target": "agent.done", "operation": "set", "value": "true"}]
    app = {
        "app_id": "form",
        "name": "Form",
        "category": "custom",
        "version": 1,
        "state_schema": [
            {"name": "done", "type": "boolean", "default": False},
            {"name": "words", "type": "array", "default": [f"word {number}" for number in range(30)]},
        ],
        "actions": [
            # 31 texts and more for each: far beyond 2,000 calls.
            {"name": "fill", "parameters": dict.fromkeys(("one", "two", "three"), text), "logic": []},
            {"name": "submit", "logic": set_done},
        ],
    }
    task = {
        "name": "Go",
        "description": "Go.",
        "app_id": "form",
        "agent": "ann",
        "goal_condition": "agent.done",
    }
    evaluation = evaluate_agent(load_app(app), load_task(task), "oracle")
    assert evaluation.optimal_actions == 1
