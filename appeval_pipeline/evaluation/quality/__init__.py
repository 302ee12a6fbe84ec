"""How good an app definition is: six dimensions, and what would raise them."""

from appeval_pipeline.evaluation.quality.report import Level, QualityReport, Suggestion, level_of
from appeval_pipeline.evaluation.quality.scoring import DIMENSIONS, score_quality

__all__ = ["DIMENSIONS", "Level", "QualityReport", "Suggestion", "level_of", "score_quality"]
