"""The bars that the quality of the shipped apps is held to."""

import pytest

from appeval_pipeline.appdef.catalogue import CatalogueEntry
from appeval_pipeline.evaluation.quality import score_quality
from appeval_pipeline_tests.data.shipped import REFERENCES, app, app_of, key


@pytest.mark.parametrize("entry", REFERENCES, ids=key)
def test_v21_04_02_a_benchmark_app_scores_above_80_and_is_a_model_to_copy(entry: CatalogueEntry) -> None:
    assert score_quality(app_of(entry)).overall_score >= 95


def test_paypal_1_is_good_with_room_for_improvement() -> None:
    report = score_quality(app("paypal", 1))
    assert 70 <= report.overall_score < 90
    assert report.level == "Good"


def test_paypal_2_is_excellent_and_no_dimension_got_worse() -> None:
    before, after = score_quality(app("paypal", 1)), score_quality(app("paypal", 2))
    assert after.overall_score >= 90
    assert after.level == "Excellent"
    assert after.overall_score > before.overall_score
    for dimension, score in before.dimension_scores.items():
        assert after.dimension_scores[dimension] >= score, dimension
