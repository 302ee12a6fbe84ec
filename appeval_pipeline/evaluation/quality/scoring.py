"""The score of a definition: six dimensions, weighted, and what would raise it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import ValidationError

from appeval_pipeline.appdef.schema import AppDefinition
from appeval_pipeline.evaluation.quality import (
    completeness,
    consistency,
    documentation,
    error_handling,
    state_safety,
    validation,
)
from appeval_pipeline.evaluation.quality.edits import Proposal, apply_edits
from appeval_pipeline.evaluation.quality.report import QualityReport, Suggestion, level_of
from appeval_pipeline.evaluation.quality.subject import Dimension, Scored, Subject

DIMENSIONS: Final = (
    Dimension("completeness", 0.25, completeness.score, completeness.propose),
    Dimension("documentation", 0.20, documentation.score, documentation.propose),
    Dimension("validation", 0.20, validation.score, validation.propose),
    Dimension("error_handling", 0.15, error_handling.score, error_handling.propose),
    Dimension("state_safety", 0.10, state_safety.score, state_safety.propose),
    Dimension("consistency", 0.10, consistency.score, consistency.propose),
)
MOST_BLOCKS: Final = 20_000
"""How many blocks are analysed to find what suggestions gain; only huge definitions need more."""
_DIGITS: Final = 9
"""Scores are rounded to this, so that sums of shares come out even: 100 is 100."""


def score_quality(app: AppDefinition) -> QualityReport:
    """Score ``app`` in six dimensions, 0 to 100 each; overall = Σ weight · score.

    A pure function of the definition: the same one always gives the same report.

    Raises:
        ExpressionError: The definition has an expression that does not parse; one that was loaded by
            `load_app` has none.
    """
    subject = Subject.of(app)
    scored = _score(subject)
    overall = _overall(scored)
    rated = rate_proposals(subject)
    return QualityReport(
        app_id=app.app_id,
        version=app.version,
        overall_score=overall,
        level=level_of(overall),
        dimension_scores={name: result.score for name, result in scored.items()},
        details={name: result.details for name, result in scored.items()},
        suggestions=tuple(suggestion for suggestion, _ in rated.suggestions),
        suggestions_left_out=rated.left_out,
    )


@dataclass(frozen=True, slots=True)
class RatedProposals:
    """What would raise the score, best first, each with the proposal that holds its edits.

    ``left_out`` is how many proposals were not tried, because that would have been too much work.
    """

    suggestions: tuple[tuple[Suggestion, Proposal], ...]
    left_out: int


def rate_proposals(subject: Subject, most_blocks: int = MOST_BLOCKS) -> RatedProposals:
    """Try every proposal for ``subject`` and keep what gains, as long as there is work left.

    Args:
        most_blocks: How many blocks may be analysed for it.
    """
    document = subject.app.to_dict()
    before = _score(subject)
    found = []
    left_out = 0
    for proposal in _proposals(subject):
        if most_blocks <= 0:
            left_out += 1
            continue
        try:
            definition = AppDefinition.model_validate(apply_edits(document, proposal.edits))
        except ValidationError:
            continue  # a better name may be too short, too long or taken: then nothing is proposed
        edited = Subject.of(definition, subject)
        most_blocks -= edited.analysed_blocks
        after = _score(edited)
        gain = round(_overall(after) - _overall(before), _DIGITS)
        if gain > 0:
            best = max(
                DIMENSIONS,
                key=lambda dimension: (
                    dimension.weight * (after[dimension.name].score - before[dimension.name].score)
                ),
            )
            found.append((Suggestion(best.name, proposal.location, proposal.message, gain), proposal))
    return RatedProposals(tuple(sorted(found, key=lambda pair: -pair[0].gain)), left_out)


def _proposals(subject: Subject) -> Iterator[Proposal]:
    """What each dimension proposes; what two propose alike counts once."""
    seen: set[tuple[str, str]] = set()
    for dimension in DIMENSIONS:
        for proposal in dimension.propose(subject):
            if (proposal.location, proposal.message) not in seen:
                seen.add((proposal.location, proposal.message))
                yield proposal


def _score(subject: Subject) -> dict[str, Scored]:
    return {dimension.name: dimension.score(subject) for dimension in DIMENSIONS}


def _overall(scored: dict[str, Scored]) -> float:
    total = sum(dimension.weight * scored[dimension.name].score for dimension in DIMENSIONS)
    return min(100.0, max(0.0, round(total, _DIGITS)))
