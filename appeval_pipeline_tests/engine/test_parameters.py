"""Parameters: what is accepted, what defaults apply, and how the rest is refused."""

from __future__ import annotations

from typing import Any

import pytest

from appeval_pipeline.engine import Engine
from appeval_pipeline_tests.engine.apps import cases, give, make_app, run, update
from appeval_pipeline_tests.expr.test_language import exactly

CASES = [
    pytest.param(case, id=f"{group} {number}")
    for group, group_cases in cases("parameters").items()
    for number, case in enumerate(group_cases)
]


@pytest.mark.parametrize("case", CASES)
def test_a_parameter_is_seen_or_refused(case: dict[str, Any]) -> None:
    params = {} if case.get("absent") else {"p": case["p"]}
    app = make_app([update("agent.x", "set", 1), give(p="params.p", all="params")], {"p": case["spec"]})
    engine = Engine(app)
    start = engine.initial_state(["alice"])
    result = engine.execute("alice", "go", params, start)
    if "error" in case:
        assert (result.success, result.error_kind, result.error) == (False, "parameters", case["error"])
        assert result.state_after == start
        return
    assert result.error is None
    assert exactly(result.data) == exactly({"p": case["is"], "all": {"p": case["is"]}})


def test_an_unknown_parameter_is_refused_with_those_there_are() -> None:
    specs = {"to": {"type": "string"}, "amount": {"type": "number"}}
    result = run([], params={"to": "bob", "amuont": 5}, parameters=specs)
    assert result.error_kind == "parameters"
    assert result.error == "Unknown parameter 'amuont'; accepted: to, amount"
    assert run([], params={"x": None}, parameters={"y": {"type": "string"}}).error_kind == "parameters"
    result = Engine(make_app([])).execute("alice", "go", {"x": 1}, {"per_agent": {"alice": {}}})
    assert result.error == "Unknown parameter 'x'; accepted: none"


def test_a_parameter_that_is_not_declared_reads_as_null() -> None:
    assert run([give(x="params.none == null")], params={"p": 1}).data == {"x": True}


def test_parameters_may_be_left_out_altogether() -> None:
    engine = Engine(make_app([give(a=1)]))
    assert engine.execute("alice", "go", None, engine.initial_state(["alice"])).success
    assert engine.session(["alice"]).execute("alice", "go").success


def test_parameters_in_the_state_are_copies_of_the_callers() -> None:
    given: dict[str, Any] = {"p": {"list": [1]}}
    session = Engine(make_app([update("agent.x", "set", "params.p")], {"p": {"type": "object"}})).session(
        ["a"]
    )
    result = session.execute("a", "go", given)
    given["p"]["list"].append(2)
    assert session.state["per_agent"]["a"] == {"x": {"list": [1]}}
    session.execute("a", "go", {"p": {"list": []}})
    assert result.state_after["per_agent"]["a"] == {"x": {"list": [1]}}
    assert given == {"p": {"list": [1, 2]}}


def test_a_mapping_of_another_kind_is_accepted() -> None:
    from types import MappingProxyType

    result = run([give(p="params.p")], params=MappingProxyType({"p": "x"}))  # type: ignore[arg-type]
    assert result.data == {"p": "x"}
