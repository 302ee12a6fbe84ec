"""What differs between two definitions for those who call the app, read its results, or set it up.

Names and descriptions for people, the category and the icon are no interface; what the logic does with a
call is found by running.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.schema import ActionDefinition
from appeval_pipeline.evaluation.regression.access import access_changes
from appeval_pipeline.evaluation.regression.parameters import parameter_changes
from appeval_pipeline.evaluation.regression.report import InterfaceChange
from appeval_pipeline.evaluation.regression.state_fields import state_changes
from appeval_pipeline.expr.values import equal

_ORDER: Final = ("breaking", "warning", "compatible")
_TYPES: Final = ("string", "number", "boolean", "array", "object")


def interface_changes(old: AppDefinition, new: AppDefinition) -> tuple[InterfaceChange, ...]:
    """Every change of the interface from ``old`` to ``new``, worst first, then by place."""
    found = [
        *access_changes(old, new),
        *_action_changes(old, new),
        *state_changes(old, new),
        *_config_changes(old, new),
    ]
    return tuple(sorted(found, key=lambda change: _ORDER.index(change.severity)))


def _action_changes(old: AppDefinition, new: AppDefinition) -> Iterator[InterfaceChange]:
    for action in old.actions:
        at = f"actions.{action.name}"
        newer = new.action(action.name)
        if newer is None:
            message = f"Action '{action.name}' is gone: calls of it are refused"
            yield InterfaceChange("action_removed", "breaking", at, message, action.name, None)
            continue
        if action.tool_type != newer.tool_type:
            message = f"Action '{action.name}' was declared {action.tool_type}, now {newer.tool_type}"
            yield InterfaceChange(
                "tool_type_changed", "warning", f"{at}.tool_type", message, action.tool_type, newer.tool_type
            )
        yield from parameter_changes(action, newer)
        yield from _result_changes(action, newer)
    for action in new.actions:
        if old.action(action.name) is None:
            message = f"Action '{action.name}' is new"
            yield InterfaceChange(
                "action_added", "compatible", f"actions.{action.name}", message, None, action.name
            )


def _result_changes(old: ActionDefinition, new: ActionDefinition) -> Iterator[InterfaceChange]:
    before, after = _declared_results(old), _declared_results(new)
    for name, declared in before.items():
        at = f"actions.{old.name}.returns.{name}"
        if name not in after:
            message = f"'{old.name}' no longer declares that it returns '{name}'"
            yield InterfaceChange("result_removed", "breaking", at, message, declared, None)
            continue
        was, now = _result_type(declared), _result_type(after[name])
        if was is not None and now is not None and was != now:
            message = f"'{name}' that '{old.name}' returns was declared {_a(was)}, now {_a(now)}"
            yield InterfaceChange("result_retyped", "breaking", at, message, was, now)
    for name, declared in after.items():
        if name not in before:
            message = f"'{old.name}' now declares that it returns '{name}'"
            at = f"actions.{old.name}.returns.{name}"
            yield InterfaceChange("result_added", "compatible", at, message, None, declared)


def _declared_results(action: ActionDefinition) -> dict[str, object]:
    """What is said of each key of the result; ``returns`` may be a JSON Schema of an object, too."""
    returns = action.returns or {}
    properties = returns.get("properties")
    if returns.get("type") == "object" and isinstance(properties, dict):
        return dict(properties)
    return dict(returns)


def _result_type(declared: object) -> str | None:
    """The type that is declared; None where only words are."""
    named = declared.get("type") if isinstance(declared, dict) else declared
    return named if isinstance(named, str) and named in _TYPES else None


def _config_changes(old: AppDefinition, new: AppDefinition) -> Iterator[InterfaceChange]:
    before, after = old.initial_config, new.initial_config
    for name, value in before.items():
        at = f"initial_config.{name}"
        if name not in after:
            message = f"Config '{name}' is gone: setting it may have no effect"
            yield InterfaceChange("config_removed", "warning", at, message, value, None)
        elif not equal(value, after[name]):
            message = f"Config '{name}' starts with another value"
            yield InterfaceChange("config_changed", "warning", at, message, value, after[name])
    for name, value in after.items():
        if name not in before:
            message = f"Config '{name}' is new"
            yield InterfaceChange(
                "config_added", "compatible", f"initial_config.{name}", message, None, value
            )
    schemas = old.config_schema, new.config_schema
    if not equal(*schemas):
        # Which values of the two schemas are the same cannot be told in general; none is enforced.
        both = None not in schemas
        message = (
            "The schema of the config says something else"
            if both
            else (
                "The config has a schema now" if schemas[0] is None else "The config has no schema any more"
            )
        )
        yield InterfaceChange(
            "config_schema_changed", "warning" if both else "compatible", "config_schema", message, *schemas
        )


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "ao" else f"a {kind}"
