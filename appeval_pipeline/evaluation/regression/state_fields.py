"""What differs between the states of two versions."""

from __future__ import annotations

from collections.abc import Iterator

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.parameters import shown
from appeval_pipeline.appdef.schema import StateField
from appeval_pipeline.evaluation.regression.bounds import bound_changes
from appeval_pipeline.evaluation.regression.report import InterfaceChange
from appeval_pipeline.expr.values import equal


def state_changes(old: AppDefinition, new: AppDefinition) -> Iterator[InterfaceChange]:
    """Every change from the state of ``old`` to that of ``new``."""
    for field in old.state_schema:
        other = next((other for other in new.state_schema if other.name == field.name), None)
        if other is not None and old.is_per_agent(field) != new.is_per_agent(other):
            was, now = _home(old, field), _home(new, other)
            message = f"State field '{field.name}' moved from {was} to {now}"
            at = f"state_schema.{field.name}"
            yield InterfaceChange("state_field_moved", "breaking", at, message, was, now)
    yield from _field_changes(old.state_schema, new.state_schema, "state_schema", "State field")


def own_fields(old: AppDefinition, new: AppDefinition) -> tuple[frozenset[str], frozenset[str]]:
    """The per-agent and the shared fields that only one version has, or that hold other things in each.

    Returns:
        Per-agent names, shared names.
    """
    before, after = (
        {(app.is_per_agent(field), field.name): _kind(field) for field in app.state_schema}
        for app in (old, new)
    )
    own = {place for place in before.keys() | after.keys() if before.get(place) != after.get(place)}
    return (
        frozenset(name for per_agent, name in own if per_agent),
        frozenset(name for per_agent, name in own if not per_agent),
    )


def _field_changes(
    old: list[StateField], new: list[StateField], at: str, what: str
) -> Iterator[InterfaceChange]:
    after = {field.name: field for field in new}
    for field in old:
        place, name = f"{at}.{field.name}", f"{what} '{field.name}'"
        other = after.get(field.name)
        if other is None:
            message = f"{name} is gone"
            yield InterfaceChange("state_field_removed", "breaking", place, message, field.type, None)
        elif _kind(field) != _kind(other):
            message = f"{name} was {_kind(field)}, now {_kind(other)}"
            yield InterfaceChange(
                "state_field_retyped", "breaking", place, message, _kind(field), _kind(other)
            )
        else:
            yield from _same_type_changes(field, other, place, name)
    known = {field.name for field in old}
    for field in new:
        if field.name not in known:
            message = f"{what} '{field.name}' is new"
            yield InterfaceChange(
                "state_field_added", "compatible", f"{at}.{field.name}", message, None, field.type
            )


def _same_type_changes(old: StateField, new: StateField, at: str, what: str) -> Iterator[InterfaceChange]:
    if not equal(old.default, new.default):
        message = f"{what} starts as {shown(new.default)}, not {shown(old.default)}"
        yield InterfaceChange(
            "state_default_changed", "warning", f"{at}.default", message, old.default, new.default
        )
    # No caller hands in the whole array: a lower limit shows only once it is full.
    yield from bound_changes(
        old.max_items, new.max_items, least=False, at=f"{at}.maxItems", what=what, breaks=False
    )
    yield from _field_changes(old.properties or [], new.properties or [], at, f"{what}: property")


def _kind(field: StateField) -> str:
    """The type; objects with declared properties are records, others maps."""
    if field.type != "object":
        return field.type
    return "object (any keys)" if field.properties is None else "object (declared keys)"


def _home(app: AppDefinition, field: StateField) -> str:
    return "each agent's state" if app.is_per_agent(field) else "the shared state"
