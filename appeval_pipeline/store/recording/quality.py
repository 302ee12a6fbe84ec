"""Quality as rows."""

from __future__ import annotations

from collections.abc import Callable

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation import QualityReport, score_quality
from appeval_pipeline.store.canonical import canonical_json
from appeval_pipeline.store.dependencies import QUALITY
from appeval_pipeline.store.recording.boundary import Rows, base_inputs, evaluated_rows
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import (
    PartitionResult,
    QualityDimensionRow,
    QualityScoreRow,
    QualitySuggestionRow,
)


def record_quality(
    stored: StoredVersion, score: Callable[[AppDefinition], QualityReport] = score_quality
) -> PartitionResult:
    """Score a stored version: ``quality_scores``, ``quality_dimensions`` and ``quality_suggestions`` rows."""
    app_id, version = stored.app_id, stored.version

    def without(status: str, error: str) -> Rows:
        row = QualityScoreRow(
            app_id=app_id,
            version=version,
            status=status,
            overall_score=None,
            level=None,
            suggestion_count=None,
            error=error,
            suggestions_left_out=None,
        )
        return (row,)

    rows = evaluated_rows(stored, lambda engine: _quality_rows(app_id, version, score(engine.app)), without)
    return PartitionResult(app_id, version, rows, base_inputs(stored, QUALITY))


def _quality_rows(app_id: str, version: int, report: QualityReport) -> Rows:
    document = report.to_dict()
    scores, details, suggestions = document["dimension_scores"], document["details"], document["suggestions"]
    return (
        QualityScoreRow(
            app_id=app_id,
            version=version,
            status="scored",
            overall_score=document["overall_score"],
            level=document["level"],
            suggestion_count=len(suggestions),
            error=None,
            suggestions_left_out=report.suggestions_left_out,
        ),
        *(
            QualityDimensionRow(
                app_id=app_id,
                version=version,
                dimension=dimension,
                score=score,
                details=canonical_json(details.get(dimension)),
            )
            for dimension, score in scores.items()
        ),
        *(
            QualitySuggestionRow(
                app_id=app_id,
                version=version,
                position=position,
                dimension=suggestion["dimension"],
                location=suggestion["location"],
                message=suggestion["message"],
                gain=suggestion.get("gain"),
            )
            for position, suggestion in enumerate(suggestions)
        ),
    )
