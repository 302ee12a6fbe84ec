"""Completeness: the share of the applicable fields of a definition that are filled.

State fields are those of `state_schema`; the properties within one are not asked for descriptions of their
own. Who is calling, and whether an agent exists, is no state. An explicit null is a default.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from appeval_pipeline.appdef.schema import (
    ActionDefinition,
    AppDefinition,
    ReturnBlock,
    StateField,
    UpdateBlock,
)
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.evaluation.quality.drafts import (
    DRAFT_TEXT,
    draft_default,
    draft_returns,
    draft_state_schema,
)
from appeval_pipeline.evaluation.quality.edits import Edit, EditKey, Proposal
from appeval_pipeline.evaluation.quality.guards import reading
from appeval_pipeline.evaluation.quality.subject import Scored, Subject, percentage
from appeval_pipeline.expr.tree import Expression, Field, Index, Name, Path, children


@dataclass(frozen=True, slots=True)
class _Item:
    """A field that applies: where, whether it is filled, and what to do if not.

    ``drafts`` gives what to fill in, by key; it is asked only where something is missing.
    """

    location: str
    filled: bool
    message: str
    drafts: Callable[[], Mapping[EditKey, Any]]


def score(subject: Subject) -> Scored:
    items = tuple(_items(subject.app))
    missing = [item.location for item in items if not item.filled]
    filled = len(items) - len(missing)
    return Scored(
        percentage(filled, len(items)), {"filled": filled, "applicable": len(items), "missing": missing}
    )


def propose(subject: Subject) -> Iterator[Proposal]:
    for item in _items(subject.app):
        if not item.filled:
            edits = tuple(Edit("set", key, draft) for key, draft in item.drafts().items())
            yield Proposal(item.location, item.message, edits)


def is_filled(text: str | None) -> bool:
    return bool(text and text.strip())


def _items(app: AppDefinition) -> Iterator[_Item]:
    yield _text("name", app.name, "Name the app", ("name",), app.app_id)
    yield _text("description", app.description, "Add a description to the app", ("description",))
    yield _text("category", app.category, "Give the app a category", ("category",), "custom")
    yield _text("icon", app.icon, "Add an icon to the app", ("icon",), "📦")
    if touches_state(app):
        yield _Item(
            "state_schema",
            bool(app.state_schema),
            "Declare the state that the logic uses in state_schema",
            lambda: {("state_schema",): draft_state_schema(app)},
        )
    for index, action in enumerate(app.actions):
        yield from _action(action, ("actions", index))
    for index, field in enumerate(app.state_schema):
        yield from _field(field, ("state_schema", index))


def _action(action: ActionDefinition, key: EditKey) -> Iterator[_Item]:
    location, name = f"actions.{action.name}", action.name
    yield _text(
        f"{location}.description",
        action.description,
        f"Add a description to action '{name}'",
        (*key, "description"),
    )
    yield _Item(
        f"{location}.logic",
        bool(action.logic),
        f"Write the logic of action '{name}'",
        lambda: {
            (*key, "logic"): [{"type": "return", "value": {}}],
            (*key, "returns"): action.returns or {},
        },
    )
    if any(isinstance(placed.block, ReturnBlock) for placed in walk_blocks(action)):
        yield _Item(
            f"{location}.returns",
            action.returns is not None,
            f"Declare what action '{name}' returns",
            lambda: {(*key, "returns"): draft_returns(action)},
        )
    for parameter, spec in action.parameters.items():
        at = f"{location}.parameters.{parameter}"
        yield _Item(f"{at}.type", True, f"Give parameter '{parameter}' of action '{name}' a type", dict)
        yield _text(
            f"{at}.description",
            spec.description,
            f"Add a description to parameter '{parameter}' of action '{name}'",
            (*key, "parameters", parameter, "description"),
        )


def _field(field: StateField, key: EditKey) -> Iterator[_Item]:
    location = f"state_schema.{field.name}"
    yield _text(
        f"{location}.description",
        field.description,
        f"Add a description to state field '{field.name}'",
        (*key, "description"),
    )
    yield _Item(
        f"{location}.default",
        field.has_default,
        f"Give state field '{field.name}' a default",
        lambda: {(*key, "default"): draft_default(field.type)},
    )


def _text(location: str, given: str | None, message: str, key: EditKey, draft: str = DRAFT_TEXT) -> _Item:
    return _Item(location, is_filled(given), message, lambda: {key: draft})


def touches_state(app: AppDefinition) -> bool:
    """Whether some action reads or writes state: more than who is calling, or whether an agent exists."""
    for action in app.actions:
        for placed in walk_blocks(action):
            if isinstance(placed.block, UpdateBlock):
                return True
            for _, node in reading.parts(placed.block, placed.scope):
                if _reads_state(node):
                    return True
    return False


def _reads_state(node: Expression) -> bool:
    pending = [node]
    while pending:
        current = pending.pop()
        match current:
            case Name("shared" | "agent"):
                return True
            case Path(Name("shared")):
                return True
            case Path(Name("agent"), (step, *_)) if step not in _IDENTITY:
                return True
            case Path(Name("agents"), (_, step, *_)) if step not in _IDENTITY:
                return True
            case Path(Name("agent" | "agents"), steps):
                pending.extend(step.index for step in steps if isinstance(step, Index))
            case _:
                pending.extend(children(current))
    return False


_IDENTITY = (Field("id"), Field("name"))
