"""The definition hash: what moves it, and what does not."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.appdef import load_app
from appeval_pipeline.appdef.hashing import canonical_json, content_hash

Json = dict[str, Any]
APP: Json = {
    "app_id": "an_app", "name": "App", "description": "An app.", "category": "custom", "version": 1,
    "state_schema": [
        {"name": "o", "type": "object", "properties": [{"name": "b", "type": "string"}]},
        {"name": "n", "type": "number", "default": 1, "perAgent": False},
    ],
    "initial_config": {"x": {"p": 1, "q": [1, 2]}},
    "actions": [
        {
            "name": "go", "description": "Goes.",
            "parameters": {"b": {"type": "number", "minValue": 1}, "a": {"type": "string"}},
            "logic": [
                {"type": "validate", "condition": "params.b > 1", "errorMessage": "No."},
                {"type": "return", "value": {"z": 1, "y": "params.a"}},
            ],
        },
        {"name": "stop", "logic": []},
    ],
}  # fmt: skip


def digest(app: Json) -> str:
    return load_app(app).definition_hash


def shuffled(value: Any, order: Callable[[list[Any]], list[Any]]) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(value[key], order) for key in order(list(value))}
    if isinstance(value, list):
        return [shuffled(item, order) for item in value]
    return value


def test_it_is_a_sha256_of_canonical_json() -> None:
    assert canonical_json({"b": [1.0, None], "a": "é"}) == '{"a":"é","b":[1,null]}'
    # printf '{"a":1}' | sha256sum
    assert content_hash({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert len(digest(APP)) == 64


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_move_it(random: Any) -> None:
    def order(keys: list[Any]) -> list[Any]:
        random.shuffle(keys)
        return keys

    assert digest(shuffled(APP, order)) == digest(APP)


def test_comments_and_layout_do_not_move_it() -> None:
    text = json.dumps(APP, indent=1)
    commented = "# a comment\n" + "\n".join(f"{line}   # more" for line in text.splitlines()) + "\n"
    assert load_app(commented).definition_hash == digest(APP)


def test_spelling_does_not_move_it() -> None:
    other = copy.deepcopy(APP)
    other["appId"], other["stateSchema"] = other.pop("app_id"), other.pop("state_schema")
    other["stateSchema"][1]["per_agent"] = other["stateSchema"][1].pop("perAgent")
    block = other["actions"][0]["logic"][0]
    block["error_message"] = block.pop("errorMessage")
    assert digest(other) == digest(APP)


def test_defaults_written_out_and_the_version_do_not_move_it() -> None:
    other = {**copy.deepcopy(APP), "access_type": "shared", "state_type": "shared", "allowed_roles": []}
    other["actions"][0]["tool_type"] = "write"
    assert digest(other) == digest(APP)
    assert digest({**APP, "version": 7}) == digest(APP)
    assert digest({key: value for key, value in APP.items() if key != "version"}) == digest(APP)


def test_properties_as_a_mapping_are_properties_in_any_order() -> None:
    names = {"b": {"type": "string"}, "a": {"type": "number"}}
    digests = {
        digest({**APP, "state_schema": [{"name": "o", "type": "object", "properties": dict(order)}]})
        for order in (names.items(), reversed(names.items()))
    }
    assert len(digests) == 1


def changed(change: Callable[[Json], Any]) -> Json:
    other = copy.deepcopy(APP)
    change(other)
    return other


CHANGES: dict[str, Callable[[Json], Any]] = {
    "a name": lambda app: app.update(name="Other"),
    "a description": lambda app: app.update(description="Other."),
    "a default": lambda app: app["state_schema"][1].update(default=2),
    "the order of actions": lambda app: app["actions"].reverse(),
    "the order of blocks": lambda app: app["actions"][0]["logic"].reverse(),
    "the order of state fields": lambda app: app["state_schema"].reverse(),
    "the order of a list": lambda app: app["initial_config"]["x"]["q"].reverse(),
    "a message": lambda app: app["actions"][0]["logic"][0].update(errorMessage="Yes."),
    "a value": lambda app: app["actions"][0]["logic"][1]["value"].update(z="1"),
    "a limit": lambda app: app["actions"][0]["parameters"]["b"].update(minValue=2),
    "spaces in an expression": lambda app: app["actions"][0]["logic"][0].update(condition="params.b>1"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_the_definition_says_moves_it(name: str) -> None:
    assert digest(changed(CHANGES[name])) != digest(APP)
