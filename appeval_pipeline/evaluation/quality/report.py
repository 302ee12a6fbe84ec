"""What scoring a definition gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Level = Literal["Excellent", "Good", "Acceptable", "Needs Work"]
JsonObject = dict[str, Any]

_LEVELS: Final[tuple[tuple[float, Level], ...]] = ((90, "Excellent"), (70, "Good"), (50, "Acceptable"))


def level_of(score: float) -> Level:
    """The level of an overall score: Excellent from 90, Good from 70, Acceptable from 50."""
    return next((level for bar, level in _LEVELS if score >= bar), "Needs Work")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something to do, and what it would gain.

    Attributes:
        dimension: The quality dimension that it raises most.
        location: The place in the definition, e.g. ``actions.transfer.description``.
        message: What to do.
        gain: Points of the overall score.
    """

    dimension: str
    location: str
    message: str
    gain: float

    def to_dict(self) -> JsonObject:
        return {
            "dimension": self.dimension,
            "location": self.location,
            "message": self.message,
            "gain": self.gain,
        }


@dataclass(frozen=True, slots=True)
class QualityReport:
    """The quality of one app definition.

    Attributes:
        app_id, version: Which definition; the version is None where the definition does not say.
        overall_score: Weighted sum of the dimension scores, 0 to 100.
        level: What the overall score means.
        dimension_scores: 0 to 100, in the order of the dimensions.
        details: By dimension, what its score is made of; plain JSON.
        suggestions: Best first.
        suggestions_left_out: How many were not tried; 0 but for huge definitions.
    """

    app_id: str
    version: int | None
    overall_score: float
    level: Level
    dimension_scores: Mapping[str, float]
    details: Mapping[str, JsonObject]
    suggestions: tuple[Suggestion, ...]
    suggestions_left_out: int = 0

    def to_dict(self) -> JsonObject:
        """The report as plain JSON."""
        return {
            "app_id": self.app_id,
            "version": self.version,
            "overall_score": self.overall_score,
            "level": self.level,
            "dimension_scores": dict(self.dimension_scores),
            "details": {name: dict(details) for name, details in self.details.items()},
            "suggestions": [suggestion.to_dict() for suggestion in self.suggestions],
            "suggestions_left_out": self.suggestions_left_out,
        }
