"""Corners that a review found: near limits, in failing surroundings, at the edge of what is checked."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine, ExecutionContext
from appeval_pipeline.errors import DefinitionError
from appeval_pipeline.expr.values import json_size
from appeval_pipeline_tests.engine.apps import give, loop, make_app, run, state_of, update
from appeval_pipeline_tests.timing import process_seconds


def test_numbers_near_the_size_limit_are_not_measured_with_the_whole_state() -> None:
    state = state_of({"alice": {"x": 0.5}, "bob": {}}, {"fill": [0.5] * 249_980})
    assert 999_900 < json_size(state) <= 1_000_000
    xs = list(range(100))
    logic = [loop("params.xs", "a", loop("params.xs", "b", update("agent.x", "add", 1)))]
    with process_seconds(2):
        assert run(logic, params={"xs": xs}, state=state).success


def test_large_keys_count_as_what_an_action_makes() -> None:
    state = state_of({"alice": {}, "bob": {}}, {"m": {"y" * 900_000: 1}})
    result = run([give(v="[shared.m, shared.m]")], state=state)
    assert (result.error_kind, result.error) == ("limit", "Value holds more than 1000000 characters")


def test_many_observations_cannot_hold_more_than_one_large_value_each() -> None:
    block = {
        "type": "notify",
        "to": "agent.id",
        "message": "!",
        "data": {f"k{n}": "shared.text" for n in range(5)},
    }
    state = state_of({"alice": {}, "bob": {}}, {"text": "x" * 300_000})
    result = run([block] * 20, state=state)
    assert result.error_kind == "limit"


def test_whatever_ends_an_action_early_leaves_the_state_as_it_was() -> None:
    def broken_clock() -> datetime:
        raise RuntimeError("no time")

    logic = [update("agent.n", "set", 1), {"type": "return", "value": {"at": "timestamp()"}}]
    session = Engine(make_app(logic)).session(
        state=state_of({"alice": {"n": 0}}), context=ExecutionContext(clock=broken_clock)
    )
    with pytest.raises(RuntimeError):
        session.execute("alice", "go", {})
    assert session.state == state_of({"alice": {"n": 0}})


@pytest.mark.parametrize("spec", [{"maxValue": 1e30}, {"minValue": -1e30}])
def test_a_parameter_is_never_beyond_the_range_of_integers(spec: dict[str, Any]) -> None:
    app = make_app([give(v="params.n")], {"n": {"type": "number", **spec}})
    for number in (10**25, -(10**25)):
        result = Engine(app).session(["alice"]).execute("alice", "go", {"n": number})
        assert result.error_kind == "parameters"


def test_a_text_parameter_has_a_length_limit_of_its_own() -> None:
    session = Engine(make_app([give(v=1)], {"s": {"type": "string"}})).session(["alice"])
    assert session.execute("alice", "go", {"s": "x" * 4_000_000}).success
    assert session.execute("alice", "go", {"s": "x" * 4_000_001}).error_kind == "parameters"


@pytest.mark.parametrize("params", [[1], 5, "text"])
def test_parameters_that_are_no_object_are_a_parameter_error(params: Any) -> None:
    session = Engine(make_app([give(v=1)])).session(["alice"])
    assert session.execute("alice", "go", params).error_kind == "parameters"
    assert session.execute(["alice"], "go", {}).error_kind == "unknown_agent"  # type: ignore[arg-type]
    assert session.execute("alice", {}, {}).error_kind == "unknown_action"  # type: ignore[arg-type]


def test_max_items_holds_for_keys_that_only_the_running_action_knows() -> None:
    schema = [{"name": "l", "type": "array", "default": [], "maxItems": 1}]
    for logic, error in (
        (update("agent[params.f]", "append", 1), "Array 'agent[params.f]' holds at most 1 item"),
        (update("agent[params.f]", "set", [1, 2]), "Array 'agent[params.f]' holds at most 1 item"),
    ):
        app = make_app([logic], {"f": {"type": "string", "required": True}}, state_schema=schema)
        session = Engine(app).session(["alice"])
        results = [session.execute("alice", "go", {"f": "l"}) for _ in range(2)]
        assert results[-1].error == error


def test_a_copied_agent_has_no_virtual_id() -> None:
    schema = [{"name": "n", "type": "number", "default": 1}]
    result = run([give(v="{a: agent}.a.id.x")], state_schema=schema)
    assert result.data == {"v": None}


def test_without_a_schema_a_name_may_be_anything() -> None:
    assert run([give(v="agent.name + 1")], state=state_of({"alice": {"name": 5}})).data == {"v": 6}


def test_a_fault_beside_a_key_with_brackets_is_placed() -> None:
    with pytest.raises(DefinitionError) as caught:
        make_app([{"type": "return", "value": {"x": 1, "x[y]": "agent + foo"}}])
    assert caught.value.faults[0].location == "actions.go.logic[0].value.x[y]"


def test_texts_that_are_no_unicode_and_numbers_without_end_are_definition_errors() -> None:
    with pytest.raises(DefinitionError, match="surrogate"):
        load_app("name: '\ud800'\n")
    with pytest.raises(DefinitionError, match="Number out of range"):
        load_app(f"version: {'9' * 401}\n")


def test_only_spellings_of_the_language_are_keys() -> None:
    with pytest.raises(DefinitionError, match="Unknown key 'else_'"):
        make_app([{"type": "branch", "condition": "true", "then": [], "else_": []}])
