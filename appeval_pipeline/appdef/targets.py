"""Update targets: a path rooted at ``agent``, ``agents[…]`` or ``shared``, and the field it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from typing import Literal as OneOf

from appeval_pipeline.appdef.schema import AppDefinition, StateField
from appeval_pipeline.errors import ExpressionError
from appeval_pipeline.expr.compiled import step_name
from appeval_pipeline.expr.parsing import parse
from appeval_pipeline.expr.tree import Expression, Name, Path, Step

MAX_TARGET_STEPS: Final = 32
Root = OneOf["agent", "agents", "shared"]


@dataclass(frozen=True, slots=True)
class Target:
    """Where an update writes.

    Attributes:
        text: As written.
        root: What the path starts from.
        agent: For ``agents[…]``, the step that picks the agent.
        steps: The steps below the agent's or the shared state; none: the state itself.
        tree: The whole path.
    """

    text: str
    root: Root
    agent: Step | None
    steps: tuple[Step, ...]
    tree: Expression


def parse_target(text: str) -> Target:
    """The target that ``text`` names.

    Raises:
        ExpressionError: It is no path, or not rooted where updates may write.
    """
    tree = parse(text)
    base, steps = (tree.base, tree.steps) if isinstance(tree, Path) else (tree, ())
    if isinstance(base, Name) and len(steps) <= MAX_TARGET_STEPS:
        match base.name:
            case "agent":
                return Target(text, "agent", None, steps, tree)
            case "shared":
                return Target(text, "shared", None, steps, tree)
            case "agents" if steps:
                return Target(text, "agents", steps[0], steps[1:], tree)
            case _:
                pass
    if len(steps) > MAX_TARGET_STEPS:
        raise ExpressionError(f"A target has at most {MAX_TARGET_STEPS} steps, got {len(steps)}")
    raise ExpressionError(
        f"Cannot update '{text}'; a target starts with agent, agents[...] or shared", column=1
    )


Shape = dict[str, "Shape | None"]
"""The keys that a closed object may have, each with the shape of what it holds; None: anything."""


def shape_of(fields: Iterable[StateField]) -> Shape:
    """The shape of an object with the declared ``fields``."""
    return {field.name: None if field.properties is None else shape_of(field.properties) for field in fields}


@dataclass(frozen=True, slots=True)
class Missing:
    """A target names a field that the state schema does not have."""

    name: str
    known: tuple[str, ...]
    place: str


def find_field(app: AppDefinition, target: Target) -> StateField | Missing | None:
    """The schema field that ``target`` names; None where the schema does not say.

    The schema says nothing if it is empty, below an object without declared properties, and below what
    only a running action knows (``shared.items[params.sku]``).
    """
    if not app.state_schema or not target.steps:
        return None
    wants_shared = target.root == "shared"
    fields = [field for field in app.state_schema if app.is_per_agent(field) != wants_shared]
    place = "shared state" if wants_shared else "an agent's state"
    field: StateField | None = None
    for step in target.steps:
        name = step_name(step)
        if name is None:
            return None
        field = next((candidate for candidate in fields if candidate.name == name), None)
        if field is None:
            return Missing(name, tuple(candidate.name for candidate in fields), place)
        if field.properties is None:
            return field if step is target.steps[-1] else None
        fields, place = field.properties, f"'{name}'"
    return field
