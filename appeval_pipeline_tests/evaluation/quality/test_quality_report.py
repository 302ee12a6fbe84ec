"""The quality report as a whole: checks V21-01-01 to V21-01-04, levels, weights, and its plain form."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.appdef import check_app, load_app
from appeval_pipeline.evaluation import score_quality
from appeval_pipeline.evaluation.quality import DIMENSIONS, level_of

LIBRARY = Path(__file__).parent / "library.yaml"
MINIMAL: dict[str, Any] = {
    "app_id": "mini",
    "name": "Mini",
    "category": "custom",
    "actions": [{"name": "act", "parameters": {"text": {"type": "string", "required": True}}, "logic": [
        {"type": "notify", "to": "agent.id", "message": "${params.text}"},
    ]}],
}  # fmt: skip


def test_v21_01_01_a_minimal_app_scores_low() -> None:
    report = score_quality(load_app(MINIMAL))

    # completeness: name, category, logic and the parameter's type of 8 fields (also description, icon,
    # the action's and the parameter's description). error_handling: the one failure mode is that
    # `text` is required and may be anything. state_safety and consistency: nothing to object to.
    assert report.dimension_scores == {
        "completeness": 50.0,
        "documentation": 0.0,
        "validation": 0.0,
        "error_handling": 0.0,
        "state_safety": 100.0,
        "consistency": 100.0,
    }
    assert report.overall_score == 32.5  # 0.25 · 50 + 0.1 · 100 + 0.1 · 100
    assert report.level == "Needs Work"


def test_v21_01_02_a_well_made_app_scores_high_in_every_dimension() -> None:
    app = load_app(LIBRARY)
    report = score_quality(app)

    assert check_app(app) == ()
    assert dict(report.dimension_scores) == {dimension.name: 100.0 for dimension in DIMENSIONS}
    assert report.overall_score == 100.0
    assert report.level == "Excellent"
    assert report.suggestions == ()


def test_v21_01_03_suggestions_say_what_to_do() -> None:
    report = score_quality(load_app(MINIMAL))

    described = next(s for s in report.suggestions if s.location == "actions.act.description")
    assert described.message == "Add a description to action 'act'"
    # documentation 0 → 100 and completeness 4/8 → 5/8: 0.2 · 100 + 0.25 · 12.5
    assert described.gain == pytest.approx(23.125)
    assert described.dimension == "documentation"
    gains = [suggestion.gain for suggestion in report.suggestions]
    assert gains == sorted(gains, reverse=True)
    assert min(gains) > 0


def test_v21_01_04_the_same_definition_always_scores_the_same() -> None:
    shuffled = json.loads(json.dumps(MINIMAL, sort_keys=True))
    first = score_quality(load_app(MINIMAL)).to_dict()

    assert score_quality(load_app(MINIMAL)).to_dict() == first
    assert score_quality(load_app(shuffled)).to_dict() == first
    assert score_quality(load_app(LIBRARY)) == score_quality(load_app(LIBRARY))


def test_scoring_leaves_the_definition_as_it_was() -> None:
    app = load_app(MINIMAL)
    before = copy.deepcopy(app.to_dict())
    score_quality(app)
    assert app.to_dict() == before


def test_the_weights_are_those_of_the_specification() -> None:
    assert [(dimension.name, dimension.weight) for dimension in DIMENSIONS] == [
        ("completeness", 0.25),
        ("documentation", 0.20),
        ("validation", 0.20),
        ("error_handling", 0.15),
        ("state_safety", 0.10),
        ("consistency", 0.10),
    ]


@pytest.mark.parametrize(
    ("score", "level"),
    [
        (100, "Excellent"),
        (90, "Excellent"),
        (89.999, "Good"),
        (70, "Good"),
        (69.999, "Acceptable"),
        (50, "Acceptable"),
        (49.999, "Needs Work"),
        (0, "Needs Work"),
    ],
)
def test_levels_begin_at_90_70_and_50(score: float, level: str) -> None:
    assert level_of(score) == level


def test_the_plain_form_is_json_with_the_fields_of_the_specification() -> None:
    document = score_quality(load_app({**MINIMAL, "version": 3})).to_dict()

    assert list(document) == [
        "app_id", "version", "overall_score", "level", "dimension_scores", "details", "suggestions",
        "suggestions_left_out",
    ]  # fmt: skip
    assert (document["app_id"], document["version"]) == ("mini", 3)
    assert set(document["details"]) == set(document["dimension_scores"])
    assert list(document["suggestions"][0]) == ["dimension", "location", "message", "gain"]
    assert document == json.loads(json.dumps(document))


@pytest.mark.parametrize("name", ["a_", "a__", "z_"])
def test_a_name_for_which_there_is_no_better_one_that_is_allowed_is_no_error(name: str) -> None:
    report = score_quality(load_app({**MINIMAL, "app_id": name}))

    assert report.dimension_scores["consistency"] < 100
    assert not any("Rename app" in suggestion.message for suggestion in report.suggestions)
