"""Definitions and scenarios that mean no good: comparing them ends, soon, and says what there is."""

from typing import Any

from appeval_pipeline.appdef import load_app
from appeval_pipeline.evaluation import RegressionReport, detect_regressions, load_scenario
from appeval_pipeline.evaluation.regression.differences import differences
from appeval_pipeline.evaluation.regression.identifiers import Pairing


def app(version: int, *logic: dict[str, Any]) -> dict[str, Any]:
    return {
        "app_id": "hostile",
        "name": "Hostile",
        "category": "custom",
        "version": version,
        "state_schema": [
            {"name": "made", "type": "object", "default": {}, "perAgent": False},
            {"name": "list", "type": "array", "default": [], "perAgent": False},
        ],
        "actions": [
            {"name": "act", "parameters": {"items": {"type": "array", "default": []}}, "logic": list(logic)}
        ],
    }


def compared(
    old: list[dict[str, Any]],
    new: list[dict[str, Any]],
    shared: dict[str, Any],
    steps: int = 1,
    items: int = 0,
) -> RegressionReport:
    step = {"agent": "ann", "action": "act", "params": {"items": [0] * items}}
    scenario = {
        "name": "Any",
        "app_id": "hostile",
        "setup": {"agents": ["ann"], "initial_state": {"shared": shared}},
        "steps": [step] * steps,
    }
    versions = load_app(app(1, *old)), load_app(app(2, *new))
    return detect_regressions(*versions, [load_scenario(scenario)], time_it=False)


def make(key: str) -> dict[str, Any]:
    body = [{"type": "update", "target": f"shared.made[{key}]", "operation": "set", "value": 0}]
    return {"type": "loop", "collection": "params.items", "item": "one", "body": body}


IDLE = {"type": "validate", "condition": "generate_id() != ''", "errorMessage": "never"}


def test_thousands_of_keys_with_other_ids_are_no_difference() -> None:
    made = make("generate_id()")
    assert compared([made], [IDLE, made], {}, steps=4, items=1000).is_empty


def test_a_state_that_nests_deeply_is_compared() -> None:
    deep: Any = 0
    for _ in range(180):
        deep = [deep] if isinstance(deep, dict) else {"in": deep}
    extra = {"type": "update", "target": "shared.made.more", "operation": "set", "value": 1}
    report = compared([IDLE], [IDLE, extra], {"made": {"deep": deep}})
    assert [(change.path, change.kind) for change in report.output_changes] == [("shared.made.more", "added")]


def test_one_difference_deep_inside_is_found_without_walking_all_at_every_level() -> None:
    old, new = list(range(100_000)), [*range(99_999), -1]
    for _ in range(190):
        old, new = [old], [new]
    [found] = differences(old, new, "x", Pairing({}, {}))
    assert (found.old, found.new) == (99_999, -1)
    assert found.path.endswith("[0][99999]")


def test_of_very_many_differences_a_thousand_are_listed_and_the_rest_counted() -> None:
    numbers = list(range(3000))
    replaced = {
        "type": "update",
        "target": "shared.list",
        "operation": "set",
        "value": "slice(shared.list, 0, 500)",
    }
    report = compared([], [replaced], {"list": numbers})
    assert len(report.output_changes) == 1000
    assert report.output_changes_left_out == 1500
    assert report.output_changes[0].path == "shared.list[500]"


def test_a_setup_that_cannot_be_used_is_timed_without_harm() -> None:
    scenario = load_scenario(
        {
            "name": "Big",
            "app_id": "hostile",
            "setup": {"agents": ["ann"], "initial_state": {"shared": {"text": "x" * 1_100_000}}},
            "steps": [{"agent": "ann", "action": "act"}],
        }
    )
    report = detect_regressions(load_app(app(1)), load_app(app(2)), [scenario])
    assert (report.still_failing, report.latency_change_pct, report.not_timed) == (("Big",), None, ("act",))
