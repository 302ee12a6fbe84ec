"""Who may call an app, and whose state a call may reach."""

from __future__ import annotations

from collections.abc import Iterator

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation.regression.report import InterfaceChange


def access_changes(old: AppDefinition, new: AppDefinition) -> Iterator[InterfaceChange]:
    """Every change of access from ``old`` to ``new``: of the callers admitted, and of the state in reach."""
    was_open, is_open = (app.access_type != "role_restricted" for app in (old, new))
    if was_open and not is_open:
        admitted = ", ".join([*new.allowed_roles, *new.allowed_role_tags]) or "nobody"
        message = f"Only some agents may call the app now; admitted by role or tag: {admitted}"
        yield _narrowed("access_type", message, old.access_type, new.access_type)
    elif is_open and not was_open:
        yield _widened("access_type", "Every agent may call the app now", old.access_type, new.access_type)
    elif not is_open:
        yield from _list_changes("allowed_roles", "role", old.allowed_roles, new.allowed_roles)
        yield from _list_changes("allowed_role_tags", "tag", old.allowed_role_tags, new.allowed_role_tags)
    was_alone, is_alone = (app.access_type == "per_agent" for app in (old, new))
    if is_alone and not was_alone:
        message = "A call reaches the caller's own state only now"
        yield _narrowed("access_type", message, old.access_type, new.access_type)
    elif was_alone and not is_alone:
        message = "A call reaches every agent's state now"
        yield _widened("access_type", message, old.access_type, new.access_type)


def _list_changes(key: str, kind: str, old: list[str], new: list[str]) -> Iterator[InterfaceChange]:
    gone = [name for name in old if name not in new]
    added = [name for name in new if name not in old]
    if gone:
        yield _narrowed(key, f"No longer admitted: {kind} {', '.join(gone)}", old, new)
    if added:
        yield _widened(key, f"Also admitted: {kind} {', '.join(added)}", old, new)


def _narrowed(location: str, message: str, old: object, new: object) -> InterfaceChange:
    return InterfaceChange("access_narrowed", "breaking", location, message, old, new)


def _widened(location: str, message: str, old: object, new: object) -> InterfaceChange:
    return InterfaceChange("access_widened", "compatible", location, message, old, new)
