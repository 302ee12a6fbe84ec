"""What is scored: a definition, and what its logic was found to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from appeval_pipeline.appdef.schema import AppDefinition, StateField
from appeval_pipeline.evaluation.quality.edits import EditKey, Proposal
from appeval_pipeline.evaluation.quality.guards import ActionAnalysis, FailureMode, KeyWrite, analyse
from appeval_pipeline.evaluation.quality.report import JsonObject


@dataclass(frozen=True, slots=True)
class Subject:
    """A definition, and the analysis of each of its actions, in their order."""

    app: AppDefinition
    actions: tuple[ActionAnalysis, ...]

    @classmethod
    def of(cls, app: AppDefinition, like: Subject | None = None) -> Subject:
        """Analyse ``app``; actions that are as in ``like`` are not analysed again."""
        known = like.actions if like is not None and _same_ground(app, like.app) else ()
        return cls(
            app,
            tuple(
                known[index]
                if like is not None and index < len(known) and action == like.app.actions[index]
                else analyse(app, action, index)
                for index, action in enumerate(app.actions)
            ),
        )

    def modes(self) -> Iterator[FailureMode]:
        return (mode for action in self.actions for mode in action.modes)

    def key_writes(self) -> Iterator[KeyWrite]:
        return (write for action in self.actions for write in action.key_writes)


def _same_ground(app: AppDefinition, other: AppDefinition) -> bool:
    """Whether the analysis of an action of both would see the same app around it."""
    return (app.state_schema, app.config_schema, app.state_type) == (
        other.state_schema,
        other.config_schema,
        other.state_type,
    )


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
