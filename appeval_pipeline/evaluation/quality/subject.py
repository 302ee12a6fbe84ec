"""What is scored: a definition, and what its logic was found to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from appeval_pipeline.appdef.schema import ActionDefinition, AppDefinition, ParamSpec, StateField
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.evaluation.quality.edits import EditKey, Proposal
from appeval_pipeline.evaluation.quality.guards import ActionAnalysis, FailureMode, KeyWrite, analyse
from appeval_pipeline.evaluation.quality.report import JsonObject


@dataclass(frozen=True, slots=True)
class Subject:
    """A definition, and the analysis of each of its actions, in their order.

    ``analysed_blocks`` is how many blocks were gone through to find it.
    """

    app: AppDefinition
    actions: tuple[ActionAnalysis, ...]
    analysed_blocks: int

    @classmethod
    def of(cls, app: AppDefinition, like: Subject | None = None) -> Subject:
        """Analyse ``app``; actions that are as in ``like`` are not analysed again."""
        known = like if like is not None and _ground(app) == _ground(like.app) else None
        analyses = []
        blocks = 0
        for index, action in enumerate(app.actions):
            if known and index < len(known.actions) and _is_same(action, known.app.actions[index]):
                analyses.append(known.actions[index])
            else:
                analyses.append(analyse(app, action, index))
                blocks += 1 + sum(1 for _ in walk_blocks(action))
        return cls(app, tuple(analyses), blocks)

    def modes(self) -> Iterator[FailureMode]:
        return (mode for action in self.actions for mode in action.modes)

    def key_writes(self) -> Iterator[KeyWrite]:
        return (write for action in self.actions for write in action.key_writes)


def _ground(app: AppDefinition) -> tuple[object, ...]:
    """What the analysis of an action sees of the app around it."""
    return app.config_schema, app.state_type, tuple(map(_shape, app.state_schema))


def _shape(field: StateField) -> tuple[object, ...]:
    return field.name, field.type, field.per_agent, tuple(map(_shape, field.properties or ()))


def _is_same(action: ActionDefinition, other: ActionDefinition) -> bool:
    """Whether two actions differ in nothing but what they say of themselves."""
    return (
        action.name == other.name
        and action.logic == other.logic
        and list(map(_bare, action.parameters.items())) == list(map(_bare, other.parameters.items()))
    )


def _bare(parameter: tuple[str, ParamSpec]) -> tuple[object, ...]:
    name, spec = parameter
    bounds = (spec.min_value, spec.max_value, spec.min_length, spec.max_length, spec.pattern)
    return name, spec.type, spec.required, bounds, spec.enum


@dataclass(frozen=True, slots=True)
class Scored:
    """The score of one dimension, 0 to 100, and what it is made of, as plain JSON."""

    score: float
    details: JsonObject


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of quality: how much it weighs, how it is scored, what would raise it."""

    name: str
    weight: float
    score: Callable[[Subject], Scored]
    propose: Callable[[Subject], Iterator[Proposal]]


def percentage(part: int, whole: int) -> float:
    """``part`` of ``whole`` in percent; 100 where there is nothing."""
    return 100.0 * part / whole if whole else 100.0


@dataclass(frozen=True, slots=True)
class PlacedField:
    """A state field, or a property of one; ``depth`` is 1 for a field of the state itself."""

    field: StateField
    location: str
    key: EditKey
    depth: int


def walk_fields(app: AppDefinition) -> Iterator[PlacedField]:
    """Every state field and every property of one, outer before inner."""
    for index, field in enumerate(app.state_schema):
        yield from _walk_field(PlacedField(field, f"state_schema.{field.name}", ("state_schema", index), 1))


def _walk_field(placed: PlacedField) -> Iterator[PlacedField]:
    yield placed
    for index, inner in enumerate(placed.field.properties or ()):
        yield from _walk_field(
            PlacedField(
                inner,
                f"{placed.location}.properties.{inner.name}",
                (*placed.key, "properties", index),
                placed.depth + 1,
            )
        )
