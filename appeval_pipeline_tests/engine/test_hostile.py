"""Definitions, states and parameters of strangers: each ends in the right error, and soon."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import DefinitionError, ExpressionError, StateError
from appeval_pipeline.expr import compile_expression
from appeval_pipeline_tests.engine.apps import (
    Json,
    give,
    loop,
    make_app,
    run,
    state_of,
    update,
    validate,
)

pytestmark = pytest.mark.usefixtures("soon")

THOUSAND = [0] * 1000


def nested_loops(*body: Json, levels: int = 2) -> Json:
    block = loop("params.xs", "x", *body)
    for level in range(levels - 1):
        block = loop("params.xs", f"x{level}", block)
    return block


WIDE = state_of(
    {"alice": {}, "bob": {}},
    {"text": "x" * 300_000, "nested": [[0] * 150_000], "keys": {f"k{n}": 0 for n in range(20_000)}},
)
EXPENSIVE_BODIES: dict[str, list[Json]] = {
    "nothing": [],
    "a loop over nothing": [loop("[]", "y")],
    "an update": [update("agent.n", "set", 1)],
    "a large text": [update("agent.text", "set", "shared.text")],
    "a large text in an object": [update("agent.text", "set", {"a": "shared.text"})],
    "a large text merged": [update("agent", "merge", {"a": "shared.text"})],
    "a large text appended": [update("shared.nested", "append", "shared.text")],
    "a large snapshot": [loop("shared.nested", "y", update("agent.n", "set", 1))],
    "a large copy": [update("agent.copy", "set", "shared.keys")],
    "a large comparison": [validate("shared.nested != [[0]] && shared.nested == shared.nested")],
    "a large comparison of keys": [validate("shared.keys == shared.keys")],
    "many keys": [loop("slice([shared.keys], 0)[0]", "y", give())],
    "a large search": [validate("!contains(shared.nested[0], 1)")],
    "a large search in text": [validate("!contains(shared.text, 'y')")],
    "a large text shown": [validate("len(str([shared.text])) > 0")],
    "a large text changed": [validate("upper(shared.text) != ''")],
    "a large text cut": [validate("slice(shared.text, 1) != ''")],
    "a large text joined": [validate("shared.text + shared.text != ''")],
    "a large array cut": [validate("slice(shared.nested[0], 1) != []")],
    "a large literal": [validate(f"len([{'1,' * 3_000}1]) > 0")],
    "a large message": [{"type": "notify", "to": "'bob'", "message": "${shared.text}"}],
}


@pytest.mark.parametrize("name", EXPENSIVE_BODIES)
@pytest.mark.parametrize("levels", [2, 5])
def test_nested_loops_run_out_of_budget_whatever_they_do(name: str, levels: int) -> None:
    result = run(
        [nested_loops(*EXPENSIVE_BODIES[name], levels=levels)],
        state=WIDE,
        params={"xs": THOUSAND},
    )
    if result.success:
        # Two loops of 1000 fit where the body is nothing.
        assert (levels, name) == (2, "nothing") or name == "many keys"
        return
    assert result.error_kind == "limit"
    assert result.deterministic
    assert result.error in (
        "Action budget exceeded",
        "Loop iteration limit exceeded",
        "State size limit exceeded",
    ) or str(result.error).startswith("Value holds more than")
    assert result.state_after == WIDE


def test_a_text_that_doubles_becomes_too_long() -> None:
    logic = [
        update("agent.s", "set", "'x'"),
        loop("params.xs", "x", update("agent.s", "set", "agent.s + agent.s")),
    ]
    result = run(logic, params={"xs": THOUSAND})
    assert result.error_kind == "limit"
    assert result.error in ("State size limit exceeded", "String is longer than 1000000 characters")


def test_an_array_that_doubles_becomes_too_large() -> None:
    logic = [
        update("agent.a", "set", [1]),
        loop("params.xs", "x", update("agent.a", "set", "[agent.a, agent.a]")),
    ]
    result = run(logic, params={"xs": THOUSAND})
    assert result.error_kind == "limit"
    assert "Value holds more than 100000 elements" in str(result.error) or "State size" in str(result.error)


def test_a_value_that_deepens_becomes_too_deep() -> None:
    logic = [
        update("agent.a", "set", []),
        loop("params.xs", "x", update("agent.a", "set", "[agent.a]")),
    ]
    result = run(logic, params={"xs": THOUSAND})
    assert (result.error, result.error_kind) == ("Value nests deeper than 64 levels", "limit")


@pytest.mark.parametrize("start", ["2", "-2", "1.5"])
def test_repeated_multiplication_goes_out_of_range(start: str) -> None:
    logic = [
        update("agent.n", "set", start),
        loop("params.xs", "x", update("agent.n", "set", "agent.n * agent.n")),
    ]
    result = run(logic, params={"xs": THOUSAND})
    assert (result.error, result.error_kind) == ("Number out of range", "expression")


def test_a_whole_state_appended_to_itself_stops_at_the_limit() -> None:
    logic = [
        update("agent.log", "set", []),
        loop("params.xs", "x", update("agent.log", "append", "agent")),
    ]
    assert run(logic, params={"xs": THOUSAND}).error_kind == "limit"


NAMES = [
    "__class__", "__dict__", "__globals__", "__builtins__", "__import__", "__init__", "mro", "meter",
    "context", "variables", "MISSING", "t0", "p0", "self", "print", "eval", "open", "None", "True", "lambda",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_no_name_reaches_python(name: str) -> None:
    with pytest.raises(ExpressionError, match=f"Variable '{name}' is not defined"):
        compile_expression(f"{name} == 1").evaluate({})
    with pytest.raises(ExpressionError, match=f"Unknown function '{name}'"):
        compile_expression(f"{name}()")
    for base in ("'a'", "5", "[1]", "true", "x"):
        with pytest.raises(ExpressionError, match="Cannot read"):
            compile_expression(f"({base}).{name}").evaluate({"x": "text"})
    assert compile_expression(f"{{}}.{name}").evaluate({}) is None
    assert compile_expression(f"x.{name}").evaluate({"x": {name: 5}}) == 5


@pytest.mark.parametrize("name", NAMES)
def test_fields_parameters_and_agents_may_have_any_name(name: str) -> None:
    logic = [
        update(f"agent.{name}", "set", f"params.{name}"),
        give(**{name: f"agent.{name}", "other": f"agents['{name}'].{name}"}),
    ]
    state = state_of({"alice": {}, name: {name: 1}})
    result = run(logic, state=state, params={name: 7})
    assert result.data == {name: 7, "other": 1}


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("None", "True")])
def test_loop_items_may_have_any_name(name: str) -> None:
    assert run([loop("[5]", name, give(v=f"{name} + 1"))]).data == {"v": 6}


STRINGS = [
    "'''", '"""', "\\", "\\'", "'); import os; ('", "\n", "\r\n", "\x00", "\u2028", "{0}", "%s",
    "${", "$$", "#", "😀", "\ufeff", "\u202e",
]  # fmt: skip


@pytest.mark.parametrize("text", STRINGS)
def test_no_text_escapes_from_its_constant(text: str) -> None:
    logic = [update("shared.note", "set", {text: "params.t", "plain": [text + " -"]})]
    if "${" in text:
        with pytest.raises(DefinitionError, match="is not closed"):
            make_app(logic, {"t": {"type": "string"}})
        return
    result = run(logic, params={"t": text})
    plain = text.replace("$$", "$") + " -"
    assert result.state_after["shared"]["note"] == {text: text, "plain": [plain]}


def cyclic_list() -> Any:
    cycle: list[Any] = []
    cycle.append(cycle)
    return cycle


def cyclic_dict() -> Any:
    cycle: dict[str, Any] = {}
    cycle["self"] = [cycle]
    return cycle


def bomb() -> Any:
    value: Any = [0]
    for _ in range(40):
        value = [value, value]
    return value


def deep() -> Any:
    value: Any = 0
    for _ in range(100_000):
        value = [value]
    return value


class Sneaky:
    def __eq__(self, other: object) -> bool:
        raise AssertionError("called")

    __hash__ = None  # type: ignore[assignment]


UNFIT: dict[str, Callable[[], Any]] = {
    "a cyclic list": cyclic_list,
    "a cyclic dict": cyclic_dict,
    "a bomb of shared lists": bomb,
    "deep nesting": deep,
    "NaN": lambda: [math.nan],
    "infinity": lambda: [math.inf],
    "a huge integer": lambda: [10**5000],
    "an integer just out of range": lambda: [2**63 + 1],
    "an object of Python": lambda: [Sneaky()],
    "a set": lambda: [{1}],
    "bytes": lambda: [b"x"],
    "a key that is no string": lambda: [{1: 2}],
    "a complex number": lambda: [1j],
}


@pytest.mark.parametrize("name", UNFIT)
@pytest.mark.parametrize("place", ["alice", "shared"])
def test_a_state_that_is_no_json_is_refused(name: str, place: str) -> None:
    engine = Engine(make_app([give()]))
    value = {"x": UNFIT[name]()}
    state = state_of({"alice": value if place == "alice" else {}}, value if place == "shared" else {})
    with pytest.raises(StateError):
        engine.execute("alice", "go", {}, state)
    with pytest.raises(StateError):
        engine.session(state=state)


@pytest.mark.parametrize("name", UNFIT)
@pytest.mark.parametrize("kind", ["array", "object", "string"])
def test_a_parameter_that_is_no_json_is_a_parameter_error(name: str, kind: str) -> None:
    engine = Engine(make_app([update("agent.x", "set", "params.p")], {"p": {"type": kind}}))
    start = engine.initial_state(["alice"])
    value = {"in": UNFIT[name]()} if kind == "object" else UNFIT[name]()
    result = engine.execute("alice", "go", {"p": value}, start)
    assert (result.success, result.error_kind) == (False, "parameters")
    assert result.state_after == start
    assert len(str(result.error)) < 500


@pytest.mark.parametrize("name", UNFIT)
def test_config_that_is_no_json_is_refused(name: str) -> None:
    with pytest.raises(StateError):
        Engine(make_app([give()])).session(["alice"], config={"x": UNFIT[name]()})


@pytest.mark.parametrize("name", UNFIT)
def test_a_definition_that_is_no_json_is_a_definition_error(name: str) -> None:
    with pytest.raises(DefinitionError):
        make_app([give()], initial_config={"x": UNFIT[name]()})


@pytest.mark.parametrize("name", [name for name in UNFIT if "number" not in name and "integer" not in name])
@pytest.mark.parametrize("text", ["x == y", "str(x)", "[x]", "contains([x], y)", "x[0] + 1"])
def test_expressions_on_what_is_no_json_fail_as_expressions(name: str, text: str) -> None:
    variables = {"x": UNFIT[name](), "y": UNFIT[name]()}
    raised: Exception | None = None
    try:
        compile_expression(text).evaluate(variables)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is looked at below
        raised = error
    # Where nothing has to look inside, such values may pass: no other exception may come.
    assert raised is None or isinstance(raised, ExpressionError)


@pytest.mark.parametrize(
    "state",
    [
        [],
        5,
        None,
        {"per_agent": []},
        {"per_agent": {"a": 5}},
        {"shared": []},
        {"other": {}},
        {"per_agent": None},
    ],
)
def test_what_is_no_state_is_refused(state: Any) -> None:
    engine = Engine(make_app([give()]))
    with pytest.raises(StateError):
        engine.execute("alice", "go", {}, state)
    if state is not None:
        with pytest.raises(StateError):
            engine.session(state=state)


def test_a_caller_that_is_no_text_is_an_unknown_agent() -> None:
    engine = Engine(make_app([give()]))
    for agent in (None, 5, True):
        result = engine.execute(agent, "go", {}, state_of({"alice": {}}))  # type: ignore[arg-type]
        assert result.error_kind == "unknown_agent"


def test_many_references_to_one_large_text_cannot_be_handed_out() -> None:
    many = {f"k{n}": "shared.text" for n in range(1_000)}
    for block in (
        {"type": "return", "value": many},
        {"type": "return", "value": {"deep": [many]}},
        {"type": "notify", "to": "agent.id", "message": "!", "data": many},
        update("shared.text", "set", many),
    ):
        result = run([block], state=WIDE)
        assert (result.error_kind, result.success) == ("limit", False), block
    few = {f"k{n}": "shared.text" for n in range(3)}
    assert run([{"type": "return", "value": few}], state=WIDE).success
