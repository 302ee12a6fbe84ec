"""What earlier evaluations found of an app version, so that others need not find it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownQuality:
    """The quality of a definition.

    Attributes:
        overall_score: 0 to 100.
        dimension_scores: The same by dimension.
    """

    overall_score: float
    dimension_scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class KnownFigures:
    """How good and how correct a version is.

    Attributes:
        scenario_pass_rate: Share of the scenarios that pass, 0 to 1; None where there is none.
        edge_case_coverage: Percent.
    """

    quality: KnownQuality
    scenario_pass_rate: float | None
    edge_case_coverage: float
