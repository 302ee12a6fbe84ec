"""What differs between two definitions for callers and readers, and how bad it is."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.appdef import AppDefinition, load_app
from appeval_pipeline.errors import DefinitionError
from appeval_pipeline.evaluation.regression import InterfaceChange
from appeval_pipeline.evaluation.regression.interface import interface_changes

Definition = dict[str, Any]
BASE: Definition = {
    "app_id": "shop",
    "name": "Shop",
    "category": "shopping",
    "state_schema": [
        {"name": "cart", "type": "array", "default": [], "maxItems": 10},
        {"name": "stock", "type": "number", "default": 5, "perAgent": False},
        {
            "name": "address",
            "type": "object",
            "properties": [{"name": "street", "type": "string"}, {"name": "city", "type": "string"}],
        },
    ],
    "initial_config": {"currency": "EUR"},
    "config_schema": {"type": "object"},
    "access_type": "role_restricted",
    "allowed_roles": ["buyer", "admin"],
    "allowed_role_tags": ["vip"],
    "actions": [
        {
            "name": "buy",
            "parameters": {
                "sku": {
                    "type": "string",
                    "required": True,
                    "minLength": 2,
                    "maxLength": 8,
                    "pattern": "^[A-Z]",
                },
                "count": {"type": "number", "default": 1, "minValue": 1, "maxValue": 9},
                "size": {"type": "string", "enum": ["S", "M"]},
            },
            "returns": {"order": {"type": "string"}, "price": "number"},
        },
        {"name": "browse", "tool_type": "read"},
    ],
}


def at(path: str, value: object) -> tuple[str, object]:
    return path, value


def without(path: str) -> tuple[str, object]:
    return path, ...


def changed(*edits: tuple[str, object]) -> Definition:
    """The shop with the value at each path replaced, or taken out (…)."""
    made: Definition = copy.deepcopy(BASE)
    for path, value in edits:
        *way, last = [int(key) if key.isdigit() else key for key in path.split("/")]
        place: Any = made
        for key in way:
            place = place[key]
        if value is ...:
            del place[last]
        elif isinstance(place, list) and last == len(place):
            place.append(value)
        else:
            place[last] = value
    return made


def changes(old: Definition, new: Definition) -> tuple[InterfaceChange, ...]:
    return interface_changes(load_app(old), load_app(new))


BUY = "actions/0/parameters"
AT_BUY = "actions.buy.parameters"
CASES = [
    ([without("actions/1")], "action_removed", "breaking", "actions.browse"),
    ([at("actions/2", {"name": "sell"})], "action_added", "compatible", "actions.sell"),
    ([at("actions/1/tool_type", "write")], "tool_type_changed", "warning", "actions.browse.tool_type"),
    ([without(f"{BUY}/size")], "parameter_removed", "breaking", f"{AT_BUY}.size"),
    ([at(f"{BUY}/gift", {"type": "boolean"})], "parameter_added", "compatible", f"{AT_BUY}.gift"),
    (
        [at(f"{BUY}/gift", {"type": "boolean", "required": True})],
        "parameter_added",
        "breaking",
        f"{AT_BUY}.gift",
    ),
    # A default stands in for what is missing, whatever `required` says.
    (
        [at(f"{BUY}/gift", {"type": "boolean", "required": True, "default": False})],
        "parameter_added",
        "compatible",
        f"{AT_BUY}.gift",
    ),
    ([at(f"{BUY}/size/required", True)], "parameter_required", "breaking", f"{AT_BUY}.size"),
    ([at(f"{BUY}/sku/required", False)], "parameter_optional", "compatible", f"{AT_BUY}.sku"),
    ([at(f"{BUY}/size", {"type": "number"})], "parameter_retyped", "breaking", f"{AT_BUY}.size"),
    ([at(f"{BUY}/count/default", 2)], "parameter_default_changed", "warning", f"{AT_BUY}.count.default"),
    ([at(f"{BUY}/count/minValue", 0)], "constraint_loosened", "compatible", f"{AT_BUY}.count.minValue"),
    ([at(f"{BUY}/count/maxValue", 8)], "constraint_tightened", "breaking", f"{AT_BUY}.count.maxValue"),
    ([without(f"{BUY}/count/maxValue")], "constraint_loosened", "compatible", f"{AT_BUY}.count.maxValue"),
    ([at(f"{BUY}/sku/minLength", 3)], "constraint_tightened", "breaking", f"{AT_BUY}.sku.minLength"),
    ([at(f"{BUY}/sku/maxLength", 7)], "constraint_tightened", "breaking", f"{AT_BUY}.sku.maxLength"),
    ([at(f"{BUY}/sku/maxLength", 9)], "constraint_loosened", "compatible", f"{AT_BUY}.sku.maxLength"),
    ([at(f"{BUY}/size/maxLength", 1)], "constraint_tightened", "breaking", f"{AT_BUY}.size.maxLength"),
    ([at(f"{BUY}/sku/pattern", "^[A-Y]")], "constraint_changed", "warning", f"{AT_BUY}.sku.pattern"),
    ([without(f"{BUY}/sku/pattern")], "constraint_loosened", "compatible", f"{AT_BUY}.sku.pattern"),
    ([at(f"{BUY}/size/pattern", "M")], "constraint_tightened", "breaking", f"{AT_BUY}.size.pattern"),
    ([at(f"{BUY}/size/enum", ["S"])], "constraint_tightened", "breaking", f"{AT_BUY}.size.enum"),
    ([at(f"{BUY}/size/enum", ["M", "S", "L"])], "constraint_loosened", "compatible", f"{AT_BUY}.size.enum"),
    ([without(f"{BUY}/size/enum")], "constraint_loosened", "compatible", f"{AT_BUY}.size.enum"),
    ([at(f"{BUY}/sku/enum", ["AB"])], "constraint_tightened", "breaking", f"{AT_BUY}.sku.enum"),
    ([without("actions/0/returns/order")], "result_removed", "breaking", "actions.buy.returns.order"),
    ([at("actions/0/returns/tax", "number")], "result_added", "compatible", "actions.buy.returns.tax"),
    ([at("actions/0/returns/price", "string")], "result_retyped", "breaking", "actions.buy.returns.price"),
    ([without("state_schema/1")], "state_field_removed", "breaking", "state_schema.stock"),
    (
        [at("state_schema/3", {"name": "points", "type": "number"})],
        "state_field_added",
        "compatible",
        "state_schema.points",
    ),
    (
        [at("state_schema/1", {"name": "stock", "type": "string", "perAgent": False})],
        "state_field_retyped",
        "breaking",
        "state_schema.stock",
    ),
    ([at("state_schema/1/perAgent", True)], "state_field_moved", "breaking", "state_schema.stock"),
    ([at("state_schema/1/default", 6)], "state_default_changed", "warning", "state_schema.stock.default"),
    ([at("state_schema/0/maxItems", 9)], "constraint_tightened", "warning", "state_schema.cart.maxItems"),
    ([without("state_schema/0/maxItems")], "constraint_loosened", "compatible", "state_schema.cart.maxItems"),
    (
        [at("state_schema/2/properties/2", {"name": "zip", "type": "string"})],
        "state_field_added",
        "compatible",
        "state_schema.address.zip",
    ),
    (
        [at("state_schema/2/properties/0/type", "number")],
        "state_field_retyped",
        "breaking",
        "state_schema.address.street",
    ),
    ([without("state_schema/2/properties")], "state_field_retyped", "breaking", "state_schema.address"),
    ([at("access_type", "shared")], "access_widened", "compatible", "access_type"),
    ([at("allowed_roles", ["buyer"])], "access_narrowed", "breaking", "allowed_roles"),
    ([at("allowed_roles", ["admin", "buyer", "clerk"])], "access_widened", "compatible", "allowed_roles"),
    ([at("allowed_role_tags", [])], "access_narrowed", "breaking", "allowed_role_tags"),
    ([without("initial_config/currency")], "config_removed", "warning", "initial_config.currency"),
    ([at("initial_config/currency", "USD")], "config_changed", "warning", "initial_config.currency"),
    ([at("initial_config/rate", 1)], "config_added", "compatible", "initial_config.rate"),
    (
        [at("config_schema", {"type": "object", "required": []})],
        "config_schema_changed",
        "warning",
        "config_schema",
    ),
    ([without("config_schema")], "config_schema_changed", "compatible", "config_schema"),
]


@pytest.mark.parametrize(("edits", "kind", "severity", "location"), CASES)
def test_a_change_is_told_by_kind_severity_and_place(
    edits: list[tuple[str, object]], kind: str, severity: str, location: str
) -> None:
    assert [(change.kind, change.severity, change.location) for change in changes(BASE, changed(*edits))] == [
        (kind, severity, location)
    ]


def test_an_enum_may_lose_and_gain_values_at_once_worst_first() -> None:
    lost, gained = changes(BASE, changed(at(f"{BUY}/size/enum", ["M", "L"])))
    assert (lost.severity, lost.message) == ("breaking", "Parameter 'size' of 'buy' may no longer be 'S'")
    assert (gained.severity, gained.message) == (
        "compatible",
        "Parameter 'size' of 'buy' may now be 'L', too",
    )


def test_an_app_closed_to_others_state_narrows_what_calls_reach() -> None:
    open_app = {"app_id": "notes", "name": "N", "category": "custom", "actions": [{"name": "add"}]}
    closed = {**open_app, "access_type": "per_agent", "state_type": "per_agent"}
    [narrowed] = changes(open_app, closed)
    assert (narrowed.kind, narrowed.message) == (
        "access_narrowed",
        "A call reaches the caller's own state only now",
    )
    restricted = {**open_app, "access_type": "role_restricted", "allowed_roles": ["writer"]}
    found = changes(restricted, closed)
    assert [change.kind for change in found] == ["access_narrowed", "access_widened"]
    [narrowed] = changes(open_app, restricted)
    assert narrowed.message == "Only some agents may call the app now; admitted by role or tag: writer"


def test_texts_for_people_are_no_interface() -> None:
    told = changed(
        at("name", "Store"),
        at("description", "Sells."),
        at("icon", "S"),
        at("category", "custom"),
        at("actions/0/description", "Buys."),
        at("state_schema/1/description", "Left."),
        at(f"{BUY}/sku/description", "What."),
    )
    assert changes(BASE, told) == ()


MIRRORED = {
    "action_removed": "action_added",
    "parameter_removed": "parameter_added",
    "parameter_required": "parameter_optional",
    "constraint_tightened": "constraint_loosened",
    "result_removed": "result_added",
    "state_field_removed": "state_field_added",
    "access_narrowed": "access_widened",
    "config_removed": "config_added",
}
MIRROR = MIRRORED | {new: old for old, new in MIRRORED.items()}
INDEPENDENT = [case[0] for case in CASES if not any(path.startswith("actions/1") for path, _ in case[0])]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(INDEPENDENT), max_size=4), st.lists(st.sampled_from(INDEPENDENT), max_size=4))
def test_the_way_back_mirrors_the_way_there(
    there: list[list[tuple[str, object]]], other: list[list[tuple[str, object]]]
) -> None:
    old, new = usable(there), usable(other)
    forth = {
        (change.kind, change.location, str(change.old), str(change.new))
        for change in interface_changes(old, new)
    }
    back = {
        (MIRROR.get(change.kind, change.kind), change.location, str(change.new), str(change.old))
        for change in interface_changes(new, old)
    }
    assert forth == back


def usable(edits: list[list[tuple[str, object]]]) -> AppDefinition:
    """The shop with as many of the edits as go together."""
    kept: list[tuple[str, object]] = []
    app = load_app(BASE)
    for group in edits:
        try:
            app = load_app(changed(*kept, *group))
        except (LookupError, DefinitionError):
            continue
        kept += group
    return app
