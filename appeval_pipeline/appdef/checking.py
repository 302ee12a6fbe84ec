"""What the schema alone cannot see: errors (cannot run) and warnings (runs, but is not well made).

`check_app` runs a tuple of small rules in order; each yields findings, and all are reported at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from appeval_pipeline.appdef.logic_checking import check_logic
from appeval_pipeline.appdef.parameters import check_parameters, kind_of
from appeval_pipeline.appdef.schema import AppDefinition, StateField
from appeval_pipeline.appdef.work import action_work, logic_length
from appeval_pipeline.expr.limits import MAX_LOGIC_LENGTH, MAX_LOGIC_WORK


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something a check found.

    Attributes:
        severity: ``error``: the app cannot run; ``warning``: it can, but scores lower.
        location: Where, e.g. ``actions.transfer.logic[2].condition``.
        message: What is wrong, and what to do.
    """

    severity: Literal["error", "warning"]
    location: str
    message: str


Rule = Callable[[AppDefinition], Iterable[Finding]]


def error(location: str, message: str) -> Finding:
    return Finding("error", location, message)


def warning(location: str, message: str) -> Finding:
    return Finding("warning", location, message)


def check_app(app: AppDefinition) -> tuple[Finding, ...]:
    """Everything the rules find in a definition that fits the schema, errors first."""
    findings = [finding for rule in RULES for finding in rule(app)]
    return tuple(sorted(findings, key=lambda finding: finding.severity))


def unique_names(app: AppDefinition) -> Iterator[Finding]:
    for kind, names in (
        ("actions", [action.name for action in app.actions]),
        ("state_schema", [field.name for field in app.state_schema]),
    ):
        for name, count in Counter(names).items():
            if count > 1:
                yield error(f"{kind}.{name}", f"Name '{name}' is given {count} times; names must be unique")


def access(app: AppDefinition) -> Iterator[Finding]:
    if app.access_type == "per_agent" and app.state_type != "per_agent":
        yield error("access_type", "access_type 'per_agent' needs state_type 'per_agent'")
    admits = bool(app.allowed_roles or app.allowed_role_tags)
    if app.access_type == "role_restricted" and not admits:
        yield error("access_type", "access_type 'role_restricted' needs allowed_roles or allowed_role_tags")
    if app.access_type != "role_restricted" and admits:
        yield warning("access_type", "allowed_roles and allowed_role_tags only count with 'role_restricted'")


def state_fields(app: AppDefinition) -> Iterator[Finding]:
    for field in app.state_schema:
        location = f"state_schema.{field.name}"
        if app.state_type == "per_agent" and not field.per_agent:
            yield error(f"{location}.perAgent", "state_type 'per_agent' makes every field per agent")
        if field.name == "id" and app.is_per_agent(field):
            yield error(f"{location}.name", "'id' is reserved: every agent has its id there")
        yield from _state_field(field, location)


def _state_field(field: StateField, location: str) -> Iterator[Finding]:
    if field.max_items is not None and field.type != "array":
        yield error(f"{location}.maxItems", f"maxItems is for arrays; '{field.name}' is a {field.type}")
    if field.properties is not None and field.type != "object":
        yield error(f"{location}.properties", f"properties are for objects; '{field.name}' is a {field.type}")
    for message in _default_problems(field, field.default, field.name):
        yield error(f"{location}.default", message)
    for name, count in Counter(inner.name for inner in field.properties or ()).items():
        if count > 1:
            message = f"Name '{name}' is given {count} times; names must be unique"
            yield error(f"{location}.properties.{name}", message)
    for inner in field.properties or ():
        yield from _state_field(inner, f"{location}.properties.{inner.name}")


def _default_problems(field: StateField, value: object, path: str) -> Iterator[str]:
    """Why ``value``, which stands at ``path``, is no default of ``field``, at any depth."""
    if value is None:
        return
    if kind_of(value) != field.type:
        yield f"Default of '{path}' must be a {field.type}, got {kind_of(value)}"
    elif isinstance(value, list) and field.max_items is not None and len(value) > field.max_items:
        yield f"Default of '{path}' has more than {field.max_items} items"
    elif isinstance(value, dict) and field.properties is not None:
        declared = {inner.name: inner for inner in field.properties}
        for key, item in value.items():
            if key in declared:
                yield from _default_problems(declared[key], item, f"{path}.{key}")
            else:
                inside = f"{path}.{key}".removeprefix(f"{path.partition('.')[0]}.")
                yield f"Default of '{path.partition('.')[0]}' has the undeclared property '{inside}'"


def parameters(app: AppDefinition) -> Iterator[Finding]:
    for action in app.actions:
        for name, spec in action.parameters.items():
            location = f"actions.{action.name}.parameters.{name}"
            for key, message in check_parameters(name, spec):
                yield error(f"{location}.{key}", message)


def logic(app: AppDefinition) -> Iterator[Finding]:
    length = sum(map(logic_length, app.actions))
    if length > MAX_LOGIC_LENGTH:
        yield error("actions", f"Logic is {length} characters long; at most {MAX_LOGIC_LENGTH} are accepted")
        return
    work = sum(map(action_work, app.actions))
    if work > MAX_LOGIC_WORK:
        yield error(
            "actions", f"Logic has {work} blocks and operations; at most {MAX_LOGIC_WORK} are accepted"
        )
        return
    for action in app.actions:
        for severity, location, message in check_logic(app, action):
            yield Finding(severity, location, message)


def descriptions(app: AppDefinition) -> Iterator[Finding]:
    if not (app.description or "").strip():
        yield warning("description", "The app has no description")
    for action in app.actions:
        if not (action.description or "").strip():
            yield warning(f"actions.{action.name}.description", f"Action '{action.name}' has no description")
        if not action.logic:
            yield warning(f"actions.{action.name}.logic", f"Action '{action.name}' has no logic")


RULES: Final[tuple[Rule, ...]] = (unique_names, access, state_fields, parameters, logic, descriptions)
