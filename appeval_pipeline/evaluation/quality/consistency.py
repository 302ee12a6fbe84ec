"""Consistency: names in snake_case, one type a parameter name, and `returns` that tell what is returned.

The app's name is its `app_id`; properties of state fields are named too. Types concern the parameter names
that several actions have; `returns` the actions that declare or return some key: all keys of all their
`return` blocks together are to be those declared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from appeval_pipeline.appdef.schema import ActionDefinition, AppDefinition, LoopBlock
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.evaluation.quality.drafts import draft_returns, return_keys
from appeval_pipeline.evaluation.quality.edits import Edit, Proposal
from appeval_pipeline.evaluation.quality.renaming import rename_edits, snake_case
from appeval_pipeline.evaluation.quality.subject import Scored, Subject, percentage, walk_fields

NAMES_WEIGHT: Final = 0.6
TYPES_WEIGHT: Final = 0.2
RETURNS_WEIGHT: Final = 0.2
_SNAKE_CASE: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class DeclaredName:
    """A name that the definition gives: of what, where, and in words whose."""

    kind: str
    name: str
    location: str
    owner: str = ""

    @property
    def is_snake_case(self) -> bool:
        return _SNAKE_CASE.fullmatch(self.name) is not None


def score(subject: Subject) -> Scored:
    names = tuple(declared_names(subject.app))
    misspelled = [name.location for name in names if not name.is_snake_case]
    types = _types_by_parameter(subject.app)
    mixed = [name for name, counts in types.items() if len(counts) > 1]
    concerned = [action for action in subject.app.actions if action.returns or return_keys(action)]
    disagreeing = [action.name for action in concerned if not returns_agree(action)]
    total = (
        NAMES_WEIGHT * percentage(len(names) - len(misspelled), len(names))
        + TYPES_WEIGHT * percentage(len(types) - len(mixed), len(types))
        + RETURNS_WEIGHT * percentage(len(concerned) - len(disagreeing), len(concerned))
    )
    return Scored(
        min(100.0, round(total, 9)),
        {
            "names": {"weight": NAMES_WEIGHT, "concerned": len(names), "not_snake_case": misspelled},
            "parameter_types": {"weight": TYPES_WEIGHT, "concerned": len(types), "mixed": mixed},
            "returns": {"weight": RETURNS_WEIGHT, "concerned": len(concerned), "disagreeing": disagreeing},
        },
    )


def propose(subject: Subject) -> Iterator[Proposal]:
    for name in declared_names(subject.app):
        if not name.is_snake_case:
            better = snake_case(name.name)
            yield Proposal(
                name.location,
                f"Rename {name.kind} '{name.name}'{name.owner} to '{better}'",
                rename_edits(subject.app, name.location, name.name, better),
            )
    yield from _retyped(subject.app)
    for index, action in enumerate(subject.app.actions):
        # Where nothing is declared, completeness asks for it.
        if action.returns is not None and not returns_agree(action):
            yield Proposal(
                f"actions.{action.name}.returns",
                f"Make returns of action '{action.name}' declare exactly what it returns: "
                f"{', '.join(return_keys(action)) or 'nothing'}",
                (Edit("set", ("actions", index, "returns"), _agreeing_returns(action)),),
            )


def declared_names(app: AppDefinition) -> Iterator[DeclaredName]:
    """The names of the app, its actions, their parameters and loop items, and all state fields."""
    yield DeclaredName("app", app.app_id, "app_id")
    for placed in walk_fields(app):
        yield DeclaredName("state field", placed.field.name, placed.location)
    for action in app.actions:
        yield DeclaredName("action", action.name, f"actions.{action.name}")
        for parameter in action.parameters:
            location = f"actions.{action.name}.parameters.{parameter}"
            yield DeclaredName("parameter", parameter, location, f" of action '{action.name}'")
        for block in walk_blocks(action):
            if isinstance(block.block, LoopBlock):
                yield DeclaredName("loop item", block.block.item, f"{block.location}.item")


def _types_by_parameter(app: AppDefinition) -> dict[str, Counter[str]]:
    """How often each type is given to each parameter name that several actions have."""
    types: dict[str, Counter[str]] = {}
    for action in app.actions:
        for name, spec in action.parameters.items():
            types.setdefault(name, Counter())[spec.type] += 1
    return {name: counts for name, counts in types.items() if counts.total() > 1}


def _retyped(app: AppDefinition) -> Iterator[Proposal]:
    for name, counts in _types_by_parameter(app).items():
        if len(counts) == 1:
            continue
        common = counts.most_common(1)[0][0]
        others = [
            (index, action)
            for index, action in enumerate(app.actions)
            if name in action.parameters and action.parameters[name].type != common
        ]
        index, first = others[0]
        kept = {"description", "required"}
        edits = []
        for index, action in others:
            spec = action.parameters[name].model_dump(mode="json", by_alias=True, exclude_unset=True)
            key = ("actions", index, "parameters", name)
            edits.append(Edit("set", key, {"type": common, **{k: v for k, v in spec.items() if k in kept}}))
        yield Proposal(
            f"actions.{first.name}.parameters.{name}.type",
            f"Give parameter '{name}' one type in all actions, such as {common}",
            tuple(edits),
        )


def declared_returns(action: ActionDefinition) -> frozenset[str]:
    """The keys that ``returns`` declares; in a JSON Schema of an object, those of its properties."""
    returns = action.returns or {}
    properties = returns.get("properties")
    if returns.get("type") == "object" and isinstance(properties, dict):
        return frozenset(properties)
    return frozenset(returns)


def returns_agree(action: ActionDefinition) -> bool:
    """Whether ``returns`` declares every key that some ``return`` block gives, and no other."""
    return declared_returns(action) == frozenset(return_keys(action))


def _agreeing_returns(action: ActionDefinition) -> dict[str, object]:
    declared = action.returns or {}
    if declared.get("type") == "object" and isinstance(declared.get("properties"), dict):
        declared = dict(declared["properties"])  # type: ignore[arg-type]
    return {key: declared.get(key, draft) for key, draft in draft_returns(action).items()}
