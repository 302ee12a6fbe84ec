"""Every kind of suggestion, applied: the score rises by the gain that was promised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from appeval_pipeline.appdef import AppDefinition, check_app, load_app
from appeval_pipeline.evaluation import score_quality
from appeval_pipeline.evaluation.quality.edits import Edit, Proposal, apply_edits
from appeval_pipeline.evaluation.quality.report import Suggestion
from appeval_pipeline.evaluation.quality.scoring import rate_proposals
from appeval_pipeline.evaluation.quality.subject import Subject

LIBRARY = Path(__file__).parent / "library.yaml"


def suggestions(app: AppDefinition) -> tuple[tuple[Suggestion, Proposal], ...]:
    return rate_proposals(Subject.of(app)).suggestions


def test_proposals_that_are_too_much_work_are_counted() -> None:
    subject = Subject.of(with_edits(Edit("remove", ("icon",)), Edit("remove", ("description",))))
    assert len(rate_proposals(subject).suggestions) == 2
    rated = rate_proposals(subject, most_blocks=0)
    assert (rated.suggestions, rated.left_out) == ((), 2)


def with_edits(*edits: Edit) -> AppDefinition:
    """The well-made app, made worse."""
    return AppDefinition.model_validate(apply_edits(load_app(LIBRARY).to_dict(), edits))


def action(logic: list[dict[str, Any]], **rest: Any) -> Edit:
    """An action to be added to the well-made app; it has what an action should have."""
    given = {"name": "extra", "description": "Does something more.", "logic": logic, **rest}
    return Edit("insert", ("actions", 0), given)


def field(**rest: Any) -> Edit:
    given = {"type": "string", "default": None, "description": "One more.", **rest}
    return Edit("insert", ("state_schema", 0), given)


def update(operation: str, target: str, value: Any) -> dict[str, Any]:
    return {"type": "update", "operation": operation, "target": target, "value": value}


WORD = {"type": "string", "required": True, "minLength": 1, "description": "A word."}
COUNT = {"type": "number", "required": True, "minValue": 0, "description": "A number."}
FAULTS: dict[str, tuple[str, AppDefinition]] = {
    "app description": (
        "Add a description to the app",
        with_edits(Edit("remove", ("description",))),
    ),
    "icon": ("Add an icon to the app", with_edits(Edit("remove", ("icon",)))),
    "state schema": (
        "Declare the state that the logic uses in state_schema",
        with_edits(Edit("set", ("state_schema",), [])),
    ),
    "action description": (
        "Add a description to action 'find_book'",
        with_edits(Edit("remove", ("actions", 0, "description"))),
    ),
    "empty description": (
        "Say what action 'find_book' does: its description only repeats the name",
        with_edits(Edit("set", ("actions", 0, "description"), "Find book.")),
    ),
    "logic": ("Write the logic of action 'extra'", with_edits(action([]))),
    "returns": (
        "Declare what action 'borrow_book' returns",
        with_edits(Edit("remove", ("actions", 1, "returns"))),
    ),
    "parameter description": (
        "Add a description to parameter 'price' of action 'split_cost'",
        with_edits(Edit("remove", ("actions", 3, "parameters", "price", "description"))),
    ),
    "field description": (
        "Add a description to state field 'loans'",
        with_edits(Edit("remove", ("state_schema", 0, "description"))),
    ),
    "field default": (
        "Give state field 'loans' a default",
        with_edits(Edit("remove", ("state_schema", 0, "default"))),
    ),
    "unchecked parameters": (
        "Add a validate block to action 'extra', or constrain its parameters: 'word' (minLength: 1), "
        "'flag' (enum: [true, false])",
        with_edits(
            action(
                [{"type": "notify", "to": "agent.id", "message": "hi"}],
                parameters={
                    "word": {"type": "string", "description": "A word."},
                    "flag": {"type": "boolean", "description": "A flag."},
                },
            )
        ),
    ),
    "an unchecked object": (
        "Add a validate block to action 'extra' that checks 'box', such as params.box == null || "
        "len(params.box) > 0",
        with_edits(
            action(
                [{"type": "notify", "to": "agent.id", "message": "hi"}],
                parameters={"box": {"type": "object", "description": "A box."}},
            )
        ),
    ),
    "an unconstrained parameter": (
        "Constrain parameter 'much' of action 'extra', such as minValue: 0",
        with_edits(
            action(
                [{"type": "validate", "condition": "params.word != 'x'", "errorMessage": "no"}],
                parameters={"word": WORD, "much": {**COUNT, "minValue": None}},
            )
        ),
    ),
    "an unconstrained object": (
        "Validate parameter 'box' of action 'extra', such as len(params.box) > 0",
        with_edits(
            action(
                [{"type": "validate", "condition": "params.word != 'x'", "errorMessage": "no"}],
                parameters={
                    "word": WORD,
                    "box": {"type": "object", "required": True, "description": "A box."},
                },
            )
        ),
    ),
    "a key": (
        "Before actions.extra.logic[0], validate shared.books[params.word] != null: "
        "'shared.books[params.word]' may be absent: the caller chooses the key",
        with_edits(
            action([update("set", "shared.books[params.word].title", "'x'")], parameters={"word": WORD})
        ),
    ),
    "a subtraction": (
        "Before actions.extra.logic[0], validate agent.credit >= params.much: "
        "'agent.credit - params.much' may go below zero",
        with_edits(action([update("subtract", "agent.credit", "params.much")], parameters={"much": COUNT})),
    ),
    "a division": (
        "Before actions.extra.logic[0], validate params.much != 0: 'params.much' may be zero",
        with_edits(action([update("set", "agent.credit", "9 / params.much")], parameters={"much": COUNT})),
    ),
    "a removal": (
        "Before actions.extra.logic[0], validate contains(agent.loans, params.word): "
        "'params.word' may not be in 'agent.loans'",
        with_edits(action([update("remove", "agent.loans", "params.word")], parameters={"word": WORD})),
    ),
    "an index": (
        "Before actions.extra.logic[0], validate params.much >= 0 && params.much < len(agent.loans): "
        "'params.much' may be out of range of 'agent.loans'",
        with_edits(action([update("set", "agent.loans[params.much]", "'x'")], parameters={"much": COUNT})),
    ),
    "an array without bounds": (
        "Set maxItems on array 'loans'",
        with_edits(Edit("remove", ("state_schema", 0, "maxItems"))),
    ),
    "a value that contains itself": (
        "Store only what is needed of 'agent' in 'agent.loans', which it contains",
        with_edits(action([update("append", "agent.loans", {"who": "agent"})])),
    ),
    "deep state": (
        "Flatten 'state_schema.a.properties.b.properties.c.properties.d.properties.e.properties.f': "
        "state deeper than 5 levels is hard to bound",
        with_edits(
            field(
                name="a",
                type="object",
                properties={
                    "b": {
                        "type": "object",
                        "properties": {
                            "c": {
                                "type": "object",
                                "properties": {
                                    "d": {
                                        "type": "object",
                                        "properties": {
                                            "e": {
                                                "type": "object",
                                                "properties": {
                                                    "f": {"type": "string"},
                                                },
                                            }
                                        },
                                    },
                                },
                            }
                        },
                    },
                },
            ),
        ),
    ),
    "a deep default": (
        "Flatten 'state_schema.a': state deeper than 5 levels is hard to bound",
        with_edits(field(name="a", type="object", default={"b": {"c": {"d": {"e": {"f": 1}}}}})),
    ),
    "a key of the caller's": (
        "Make no key of 'shared.books[params.word]' from the caller's input: validate "
        "shared.books[params.word] != null first, or keep a bounded array",
        with_edits(action([update("set", "shared.books[params.word]", {})], parameters={"word": WORD})),
    ),
    "an app's name": (
        "Rename app 'my__library' to 'my_library'",
        with_edits(Edit("set", ("app_id",), "my__library")),
    ),
    "an action's name": (
        "Rename action 'do__it' to 'do_it'",
        with_edits(action([{"type": "notify", "to": "agent.id", "message": "hi"}], name="do__it")),
    ),
    "a parameter's name": (
        "Rename parameter 'howMuch' of action 'extra' to 'how_much'",
        with_edits(
            action(
                [
                    {"type": "validate", "condition": "params.howMuch <= agent.credit", "errorMessage": "no"},
                    update("subtract", "agent.credit", "params.howMuch"),
                    {"type": "notify", "to": "agent.id", "message": "${params.howMuch} it is"},
                ],
                parameters={"howMuch": COUNT},
            )
        ),
    ),
    "a field's name": (
        "Rename state field 'howMany' to 'how_many'",
        with_edits(
            field(name="howMany", type="number"),
            action(
                [
                    {"type": "validate", "condition": "agent.howMany >= 1", "errorMessage": "no"},
                    update("subtract", "agent.howMany", 1),
                ]
            ),
        ),
    ),
    "a loop item's name": (
        "Rename loop item 'theLoan' to 'the_loan'",
        with_edits(
            action(
                [
                    {
                        "type": "loop",
                        "collection": "agent.loans",
                        "item": "theLoan",
                        "body": [update("remove", "agent.loans", "theLoan")],
                    }
                ]
            )
        ),
    ),
    "a parameter's type": (
        "Give parameter 'book_id' one type in all actions, such as string",
        with_edits(
            action(
                [{"type": "validate", "condition": "params.book_id != null", "errorMessage": "no"}],
                parameters={"book_id": {**COUNT, "maxValue": 9}},
            )
        ),
    ),
    "returns that do not agree": (
        "Make returns of action 'borrow_book' declare exactly what it returns: copies_left",
        with_edits(Edit("set", ("actions", 1, "returns"), {"copies": {"type": "number"}})),
    ),
}


@pytest.mark.parametrize(("message", "app"), FAULTS.values(), ids=FAULTS)
def test_doing_what_is_suggested_gains_what_was_promised(message: str, app: AppDefinition) -> None:
    found = {suggestion.message: (suggestion, proposal) for suggestion, proposal in suggestions(app)}
    assert message in found
    suggestion, proposal = found[message]

    edited = AppDefinition.model_validate(apply_edits(app.to_dict(), proposal.edits))
    before, after = score_quality(app), score_quality(edited)
    assert suggestion.gain > 0
    assert after.overall_score - before.overall_score == pytest.approx(suggestion.gain)
    assert after.dimension_scores[suggestion.dimension] > before.dimension_scores[suggestion.dimension]
    assert message not in {suggestion.message for suggestion in after.suggestions}
    assert [finding for finding in check_app(edited) if finding.severity == "error"] == []


def test_following_the_suggestions_leads_to_the_top() -> None:
    """Whatever is wrong with a definition, its best suggestion, again and again, makes it excellent."""
    app = load_app(
        {
            "app_id": "shop",
            "name": "Shop",
            "category": "shopping",
            "state_schema": [
                {"name": "cart", "type": "array"},
                {"name": "money", "type": "number"},
                {"name": "stock", "type": "object", "perAgent": False},
            ],
            "actions": [
                {
                    "name": "buy",
                    "parameters": {
                        "sku": {"type": "string", "required": True},
                        "howMany": {"type": "number", "required": True},
                        "parts": {"type": "number", "required": True},
                    },
                    "logic": [
                        update("subtract", "shared.stock[params.sku].count", "params.howMany"),
                        update("subtract", "agent.money", "shared.stock[params.sku].price / params.parts"),
                        update("append", "agent.cart", "agent"),
                        {"type": "return", "value": {"left": "shared.stock[params.sku].count"}},
                    ],
                }
            ],
        }
    )
    assert score_quality(app).level == "Needs Work"
    for _ in range(40):
        best = suggestions(app)[:1]
        if not best:
            break
        app = AppDefinition.model_validate(apply_edits(app.to_dict(), best[0][1].edits))
    assert score_quality(app).overall_score == pytest.approx(100)


def test_edits_leave_the_document_they_were_made_for_alone() -> None:
    document = {"actions": [{"name": "a"}]}
    edits = (
        Edit("set", ("actions", 0, "x"), 1),
        Edit("insert", ("actions", 0), {"name": "b"}),
        Edit("rename", ("actions", 1, "name"), "called"),
        Edit("set", ("new", "deep"), 2),
        Edit("remove", ("actions", 1, "x")),
    )
    assert apply_edits(document, edits) == {"actions": [{"name": "b"}, {"called": "a"}], "new": {"deep": 2}}
    assert document == {"actions": [{"name": "a"}]}
