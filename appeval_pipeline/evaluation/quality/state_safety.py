"""State safety: weighted rules against state that grows without bounds.

The first two rules concern the arrays among the state fields and their properties, the fourth all of these;
the third concerns `set`, `merge` and `append`, with every agent's field of one name alike; the fifth `set`
and `merge` whose last key is the caller's, and `merge` of an object of the caller's. A key is checked for
presence where it is known to be there: one that is known to be absent would be new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from appeval_pipeline.appdef.schema import StateField, UpdateBlock
from appeval_pipeline.appdef.scopes import PlacedBlock, walk_blocks
from appeval_pipeline.evaluation.quality.drafts import DRAFT_TEXT, MAX_ITEMS, draft_validate
from appeval_pipeline.evaluation.quality.edits import Edit, EditKey, Proposal
from appeval_pipeline.evaluation.quality.guards import reading
from appeval_pipeline.evaluation.quality.guards.terms import Place, place_of, text_of
from appeval_pipeline.evaluation.quality.subject import PlacedField, Scored, Subject, percentage, walk_fields
from appeval_pipeline.expr.tree import ArrayLiteral, Call, Expression, Name, ObjectLiteral, Path

MAX_DEPTH: Final = 5


@dataclass(frozen=True, slots=True)
class _Case:
    """A field or write that a rule concerns: whether it is safe, and what to do if not."""

    location: str
    safe: bool
    message: str
    edits: tuple[Edit, ...] = ()


def score(subject: Subject) -> Scored:
    total = 0.0
    details = {}
    for name, weight, rule in RULES:
        cases = tuple(rule(subject))
        unsafe = [case.location for case in cases if not case.safe]
        safe = len(cases) - len(unsafe)
        total += weight * percentage(safe, len(cases))
        details[name] = {"weight": weight, "safe": safe, "concerned": len(cases), "unsafe": unsafe}
    return Scored(min(100.0, round(total, 9)), details)


def propose(subject: Subject) -> Iterator[Proposal]:
    for _, _, rule in RULES:
        for case in rule(subject):
            if not case.safe and case.edits:
                yield Proposal(case.location, case.message, case.edits)


def _arrays(subject: Subject) -> Iterator[PlacedField]:
    return (placed for placed in walk_fields(subject.app) if placed.field.type == "array")


def _bounded_arrays(subject: Subject) -> Iterator[_Case]:
    emptied = tuple(_emptied(subject))
    for placed in _arrays(subject):
        shared = not subject.app.is_per_agent(subject.app.state_schema[int(placed.key[1])])
        path = ("shared" if shared else "agents", *_names(subject, placed.key))
        bounded = placed.field.max_items is not None or any(path[: len(reset)] == reset for reset in emptied)
        yield _limit(placed, bounded)


def _sized_arrays(subject: Subject) -> Iterator[_Case]:
    return (_limit(placed, placed.field.max_items is not None) for placed in _arrays(subject))


def _limit(placed: PlacedField, safe: bool) -> _Case:
    return _Case(
        placed.location,
        safe,
        f"Set maxItems on array '{placed.field.name}'",
        (Edit("set", (*placed.key, "maxItems"), max(MAX_ITEMS, _items_now(placed.field))),),
    )


def _items_now(field: StateField) -> int:
    return len(field.default) if isinstance(field.default, list) else 0


def _names(subject: Subject, key: EditKey) -> tuple[str, ...]:
    """The names of the field at ``key`` and of those around it, outermost first."""
    fields: list[StateField] | None = subject.app.state_schema
    names = []
    for part in key:
        if isinstance(part, int) and fields:
            names.append(fields[part].name)
            fields = fields[part].properties
    return tuple(names)


def _emptied(subject: Subject) -> Iterator[tuple[str, ...]]:
    """The paths that some action removes from or resets, without the agent whose they are."""
    for _, _, update in _updates(subject):
        if update.operation in ("remove", "set"):
            yield tuple(_field_path(reading.expression(update.target)))


def _field_path(target: Expression) -> Iterator[str]:
    place = place_of(target) or ()
    yield place[0] if place else ""
    steps = place[1:] if place and place[0] == "shared" else place[2:]
    yield from (step.removeprefix(".") for step in steps)


def _updates(subject: Subject) -> Iterator[tuple[PlacedBlock, EditKey, UpdateBlock]]:
    for index, action in enumerate(subject.app.actions):
        for placed in walk_blocks(action):
            if isinstance(placed.block, UpdateBlock):
                yield placed, ("actions", index, *_block_key(action.name, placed.id)), placed.block


def _block_key(action: str, block_id: str) -> EditKey:
    """The keys of a block in its action, from its id ``transfer.logic[3].then[0]``."""
    keys: list[str | int] = []
    for part in block_id.removeprefix(f"{action}.").split("."):
        name, _, index = part.removesuffix("]").partition("[")
        keys += [name, int(index)]
    return tuple(keys)


def _not_recursive(subject: Subject) -> Iterator[_Case]:
    for placed, key, update in _updates(subject):
        if update.operation not in ("append", "set", "merge"):
            continue
        target = _anyones(place_of(reading.expression(update.target)) or ())
        value = reading.value(update.value, placed.scope)
        inside = _contained(value, within=update.operation != "set")
        kept = next((text for place, deep, text in inside if _holds(_anyones(place), target, deep)), None)
        yield _Case(
            f"{placed.location}.value",
            kept is None,
            f"Store only what is needed of '{kept}' in '{update.target}', which it contains",
            (Edit("set", (*key, "value"), _without_copies(update.value)),),
        )


def _without_copies(value: JsonValue) -> JsonValue:
    return {"by": "agent.id"} if isinstance(value, dict) else "agent.id"


def _anyones(place: Place) -> Place:
    """``place`` with every agent alike: a field is one field, whoever's it is."""
    return ("agents", "[]", *place[2:]) if place[:1] == ("agents",) and len(place) > 1 else place


def _holds(place: Place, target: Place, deep: bool) -> bool:
    """Whether what stands at ``place`` contains ``target``; itself only where it comes to lie within."""
    return target[: len(place)] == place and (deep or len(place) < len(target))


def _contained(node: Expression, within: bool) -> Iterator[tuple[Place, bool, str]]:
    """The places whose values become part of ``node``, and whether they lie within it."""
    match node:
        case Name() | Path():
            place = place_of(node)
            if place is not None:
                yield place, within, text_of(node)
        case ArrayLiteral(items):
            for item in items:
                yield from _contained(item, True)
        case ObjectLiteral(entries):
            for _, value in entries:
                yield from _contained(value, True)
        case Call("slice", (container, *_)):
            yield from ((place, True, text) for place, _, text in _contained(container, within) if within)
        case _:
            return


def _shallow(subject: Subject) -> Iterator[_Case]:
    for placed in walk_fields(subject.app):
        field = placed.field
        below = _depth(field.default) if field.properties is None else 0
        message = f"Flatten '{placed.location}': state deeper than {MAX_DEPTH} levels is hard to bound"
        yield _Case(placed.location, placed.depth + below <= MAX_DEPTH, message, _flatten(subject, placed))


def _flatten(subject: Subject, placed: PlacedField) -> tuple[Edit, ...]:
    if placed.depth == 1:
        return (Edit("set", (*placed.key, "default"), [] if placed.field.type == "array" else {}),)
    spec = placed.field.model_dump(mode="json", by_alias=True, exclude_unset=True)
    top = subject.app.state_schema[int(placed.key[1])]
    spec["name"] = "_".join(_names(subject, placed.key))
    spec.setdefault("description", DRAFT_TEXT)
    spec.setdefault("default", None)
    if not top.per_agent:
        spec["perAgent"] = False
    return (
        Edit("remove", placed.key),
        Edit("insert", ("state_schema", len(subject.app.state_schema)), spec),
    )


def _depth(value: JsonValue) -> int:
    """Levels of keys and elements below ``value``."""
    match value:
        case dict() if value:
            return 1 + max(map(_depth, value.values()))
        case list() if value:
            return 1 + max(map(_depth, value))
        case _:
            return 0


def _no_dynamic_keys(subject: Subject) -> Iterator[_Case]:
    for write in subject.key_writes():
        edits = (Edit("insert", write.block, draft_validate(write.guard)),) if write.guard else ()
        advice = f"validate {write.guard} first" if write.guard else "declare its properties"
        yield _Case(
            write.location,
            write.checked,
            f"Make no key of '{write.subject}' from the caller's input: {advice}, or keep a bounded array",
            edits,
        )


RULES: Final[tuple[tuple[str, float, Callable[[Subject], Iterable[_Case]]], ...]] = (
    ("no_unbounded_arrays", 0.30, _bounded_arrays),
    ("array_size_limits", 0.20, _sized_arrays),
    ("no_recursive_state", 0.20, _not_recursive),
    ("max_state_depth", 0.15, _shallow),
    ("no_dynamic_keys", 0.15, _no_dynamic_keys),
)
