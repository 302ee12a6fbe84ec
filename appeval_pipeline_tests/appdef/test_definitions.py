"""App definitions: what is accepted, and every fault with its place and message."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from appeval_pipeline.appdef import check_app, load_app
from appeval_pipeline.errors import DefinitionError

Json = dict[str, Any]
FAULTS = yaml.safe_load((Path(__file__).parent / "cases" / "faults.yaml").read_text(encoding="utf-8"))
BASE: Json = {
    "app_id": "an_app",
    "name": "App",
    "description": "An app.",
    "category": "custom",
    "actions": [
        {
            "name": "go",
            "description": "Goes.",
            "parameters": {"n": {"type": "number"}, "to": {"type": "string"}},
            "logic": [],
        }
    ],
}


def definition(case: Json) -> Json:
    made = copy.deepcopy(BASE)
    made.update(case.get("keys", {}))
    for key in case.get("drop", []):
        del made[key]
    if "action" in case or "logic" in case:
        made["actions"][0].update(case.get("action", {}))
        made["actions"][0]["logic"] = case.get("logic", case.get("action", {}).get("logic", []))
    return made


CASES = [
    pytest.param(case, id=f"{group} {number}: {', '.join(case['faults'])}")
    for group, cases in FAULTS.items()
    for number, case in enumerate(cases)
]


@pytest.mark.parametrize("case", CASES)
def test_every_fault_is_reported_with_its_place(case: Json) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_app(definition(case))
    found: dict[str, list[str]] = {}
    for fault in caught.value.faults:
        found.setdefault(fault.location, []).append(fault.message)
    wanted = case["faults"]
    if "(any)" in wanted:
        found = {"(any)": [fault.message for fault in caught.value.faults]}
    assert found.keys() == wanted.keys()
    for location, message in wanted.items():
        if message.endswith("…"):
            assert [text for text in found[location] if text.startswith(message[:-1])]
        else:
            assert message in found[location]


def test_all_faults_of_all_actions_are_reported_at_once() -> None:
    logic = [
        {"type": "validate", "condition": "foo", "errorMessage": "${bar}"},
        {"type": "update", "target": "params.n", "operation": "set", "value": "agent.x + baz"},
        {"type": "notify", "to": "1 +", "message": "${", "data": {"a": "params.n + qux"}},
    ]
    made = {**copy.deepcopy(BASE), "access_type": "per_agent"}
    made["actions"] = [{"name": "one", "logic": logic}, {"name": "two", "logic": logic[:1]}]
    with pytest.raises(DefinitionError) as caught:
        load_app(made)
    assert sorted(fault.location for fault in caught.value.faults) == [
        "access_type",
        "actions.one.logic[0].condition",
        "actions.one.logic[0].errorMessage",
        "actions.one.logic[1].target",
        "actions.one.logic[1].value",
        "actions.one.logic[2].data.a",
        "actions.one.logic[2].message",
        "actions.one.logic[2].to",
        "actions.two.logic[0].condition",
        "actions.two.logic[0].errorMessage",
    ]


def test_faults_of_a_text_have_lines_and_the_error_lists_them() -> None:
    text = """\
app_id: an_app
name: App
category: custom
actions:
  - name: transfer
    logic:
      - {type: return, value: {}}
      - {type: return, value: {}}
      - type: validate
        condition: foo == 1
        errorMessage: No
"""
    with pytest.raises(DefinitionError) as caught:
        load_app(text)
    (fault,) = caught.value.faults
    assert (fault.location, fault.line) == ("actions.transfer.logic[2].condition", 10)
    assert str(caught.value) == (
        "App definition is invalid, 1 fault:\n"
        "  actions.transfer.logic[2].condition (line 10): Variable 'foo' is not defined (column 1)"
    )


@pytest.mark.parametrize("length", [2, 50])
def test_app_ids_of_2_to_50_characters_are_accepted(length: int) -> None:
    assert load_app({**BASE, "app_id": "a" * length}).app_id == "a" * length


def test_names_of_100_and_descriptions_of_500_characters_are_accepted() -> None:
    load_app({**BASE, "name": "n" * 100, "description": "d" * 500})
    for key, length in (("name", 101), ("description", 501)):
        with pytest.raises(DefinitionError, match="Expected at most"):
            load_app({**BASE, key: "x" * length})


@pytest.mark.parametrize("category", ["payment", "shopping", "communication", "calendar", "social", "custom"])
def test_the_categories_are_accepted(category: str) -> None:
    assert load_app({**BASE, "category": category}).category == category


SNAKE: Json = {
    "app_id": "an_app", "name": "App", "category": "custom", "version": 3, "icon": "💸",
    "state_schema": [
        {"name": "someField", "type": "array", "per_agent": False, "max_items": 3, "default": []},
        {"name": "o", "type": "object", "properties": [{"name": "in_ner", "type": "string"}]},
    ],
    "initial_config": {"snake_key": 1, "camelKey": 2},
    "config_schema": {"type": "object"},
    "access_type": "role_restricted", "allowed_roles": ["admin"], "allowed_role_tags": ["vip"],
    "state_type": "shared",
    "actions": [
        {
            "name": "go", "description": "Goes.", "tool_type": "read", "returns": {"some_key": "string"},
            "parameters": {
                "some_param": {"type": "number", "min_value": 1, "max_value": 2},
                "someParam": {"type": "string", "min_length": 1, "max_length": 2},
            },
            "logic": [
                {"type": "validate", "condition": "true", "error_message": "No."},
                {"type": "branch", "condition": "true", "then": [], "else": []},
                {"type": "return", "value": {"error_message": "x", "errorMessage": "y"}},
            ],
        }
    ],
}  # fmt: skip
SPELLED = {
    "app_id": "appId", "state_schema": "stateSchema", "initial_config": "initialConfig",
    "config_schema": "configSchema", "access_type": "accessType", "allowed_roles": "allowedRoles",
    "allowed_role_tags": "allowedRoleTags", "state_type": "stateType",
}  # fmt: skip


def camel_spelled() -> Json:
    made = {SPELLED.get(key, key): value for key, value in copy.deepcopy(SNAKE).items()}
    first = made["stateSchema"][0]
    first["perAgent"], first["maxItems"] = first.pop("per_agent"), first.pop("max_items")
    action = made["actions"][0]
    action["toolType"] = action.pop("tool_type")
    number, string = action["parameters"].values()
    number["minValue"], number["maxValue"] = number.pop("min_value"), number.pop("max_value")
    string["minLength"], string["maxLength"] = string.pop("min_length"), string.pop("max_length")
    block = action["logic"][0]
    block["errorMessage"] = block.pop("error_message")
    return made


def test_schema_keys_may_be_spelled_in_camel_case_and_snake_case() -> None:
    one, other = load_app(SNAKE), load_app(camel_spelled())
    assert one == other
    assert one.definition_hash == other.definition_hash


def test_names_that_users_choose_are_never_respelled() -> None:
    app = load_app(SNAKE)
    assert app.initial_config == {"snake_key": 1, "camelKey": 2}
    assert list(app.actions[0].parameters) == ["some_param", "someParam"]
    shown = app.to_dict()
    assert shown["actions"][0]["logic"][2]["value"] == {"error_message": "x", "errorMessage": "y"}
    assert shown["actions"][0]["returns"] == {"some_key": "string"}


def test_export_spells_keys_as_the_tables_do() -> None:
    expected = copy.deepcopy(SNAKE)
    first = expected["state_schema"][0]
    first["perAgent"], first["maxItems"] = first.pop("per_agent"), first.pop("max_items")
    action = expected["actions"][0]
    number, string = action["parameters"].values()
    number["minValue"], number["maxValue"] = number.pop("min_value"), number.pop("max_value")
    string["minLength"], string["maxLength"] = string.pop("min_length"), string.pop("max_length")
    block = action["logic"][0]
    block["errorMessage"] = block.pop("error_message")
    for app in (load_app(SNAKE), load_app(camel_spelled())):
        assert app.to_dict() == expected
        assert load_app(app.to_dict()) == app


def warnings(**keys: Any) -> dict[str, str]:
    app = load_app({**copy.deepcopy(BASE), **keys})
    findings = check_app(app)
    assert {finding.severity for finding in findings} <= {"warning"}
    return {finding.location: finding.message for finding in findings}


def test_a_missing_description_is_a_warning() -> None:
    assert warnings(actions=[{"name": "go", "description": "Goes.", "logic": [RETURN]}]) == {}
    assert warnings(description=" ", actions=[{"name": "go", "logic": [RETURN]}]) == {
        "description": "The app has no description",
        "actions.go.description": "Action 'go' has no description",
    }
    assert "actions.go.logic" in warnings(actions=[{"name": "go", "description": "Goes."}])


RETURN: Json = {"type": "return", "value": {}}


@pytest.mark.parametrize(
    ("logic", "location"),
    [
        ([RETURN, RETURN], "actions.go.logic[1]"),
        ([{"type": "error", "message": "No."}, RETURN, RETURN], "actions.go.logic[1]"),
        (
            [{"type": "branch", "condition": "true", "then": [RETURN], "else": [RETURN]}, RETURN],
            "actions.go.logic[1]",
        ),
        (
            [{"type": "loop", "collection": "[1]", "item": "x", "body": [RETURN, RETURN]}],
            "actions.go.logic[0].body[1]",
        ),
    ],
)
def test_a_block_that_is_never_reached_is_a_warning(logic: list[Json], location: str) -> None:
    found = warnings(actions=[{"name": "go", "description": "Goes.", "logic": logic}])
    assert list(found) == [location]
    assert "never reached" in found[location]


@pytest.mark.parametrize(
    "logic",
    [
        [{"type": "branch", "condition": "true", "then": [RETURN]}, RETURN],
        [{"type": "branch", "condition": "true", "then": [RETURN], "else": []}, RETURN],
        [{"type": "loop", "collection": "[1]", "item": "x", "body": [RETURN]}, RETURN],
    ],
)
def test_a_block_that_may_be_reached_is_no_warning(logic: list[Json]) -> None:
    assert warnings(actions=[{"name": "go", "description": "Goes.", "logic": logic}]) == {}


def test_the_callers_mapping_is_neither_changed_nor_held() -> None:
    given = copy.deepcopy(SNAKE)
    app = load_app(given)
    assert given == SNAKE
    digest = app.definition_hash
    given["initial_config"]["snake_key"] = 99
    given["actions"].clear()
    assert app.initial_config["snake_key"] == 1
    assert app.definition_hash == digest
    shown = app.to_dict()
    shown["initial_config"]["snake_key"] = 99
    assert app.initial_config["snake_key"] == 1
