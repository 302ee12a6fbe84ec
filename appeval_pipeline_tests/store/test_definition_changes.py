"""Differences between definitions, in words."""

from typing import Any

import pytest

from appeval_pipeline.store.definition_changes import definition_changes

RETURN = {"type": "return", "value": "params.amount"}
CHECK = {"type": "validate", "condition": "params.amount > 0", "errorMessage": "no"}
ADD = {"type": "update", "target": "shared.total", "operation": "add", "value": "params.amount"}


def app(*actions: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {"app_id": "tally", "version": 1, "actions": list(actions), **others}


def action(name: str, *logic: object, **others: Any) -> dict[str, Any]:
    return {"name": name, "logic": list(logic), **others}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (app(), app(), []),
        (app(), {**app(), "version": 2}, []),
        (app(), app(icon="#"), ['icon added: "#"']),
        (app(icon="#"), app(), ['icon removed: "#"']),
        (app(action("a")), app(action("b")), ['actions.a removed: {"logic":[],"name":"a"}',
                                              'actions.b added: {"logic":[],"name":"b"}']),
        (app(action("a"), action("b")), app(action("b"), action("a")), []),
        (
            app(action("a", parameters={"amount": {"minValue": 0}})),
            app(action("a", parameters={"amount": {"minValue": 1}})),
            ["actions.a.parameters.amount.minValue: 0 → 1"],
        ),
        (
            app(action("a", RETURN)),
            app(action("a", CHECK, RETURN)),
            ['actions.a.logic[0] added: {"condition":"params.amount > 0","errorMessage":"no","type"…'],
        ),
        (
            app(action("a", CHECK, RETURN)),
            app(action("a", RETURN)),
            ['actions.a.logic[0] removed: {"condition":"params.amount > 0","errorMessage":"no","type"…'],
        ),
        (
            app(action("a", CHECK, RETURN)),
            app(action("a", {**CHECK, "condition": "true"}, RETURN)),
            ['actions.a.logic[0].condition: "params.amount > 0" → "true"'],
        ),
        (
            app(action("a", CHECK)),
            app(action("a", RETURN)),
            [
                'actions.a.logic[0]: {"condition":"params.amount > 0","errorMessage":"no","type"…'
                ' → {"type":"return","value":"params.amount"}'
            ],
        ),
        (app(initial_config={"on": True}), app(initial_config={"on": 1}), ["initial_config.on: true → 1"]),
        (app(state_schema=[{"name": "n", "default": []}]), app(state_schema=[{"name": "n", "default": {}}]),
         ["state_schema.n.default: [] → {}"]),
        (app(tags=["x", "y"]), app(tags=["y"]), ['tags[0] removed: "x"']),
    ],
)  # fmt: skip
def test_a_change_is_told_at_its_place(old: dict[str, Any], new: dict[str, Any], words: list[str]) -> None:
    assert [str(change) for change in definition_changes(old, new)] == words


def test_a_change_counts_once_however_long_the_logic_is() -> None:
    logic = [{**ADD, "value": str(number)} for number in range(500)]
    (change,) = definition_changes(app(action("a", *logic)), app(action("a", *logic[:250], *logic[251:])))
    assert (change.path, change.what, change.old) == ("actions.a.logic[250]", "removed", logic[250])
