"""Patterns, messages and expressions of strangers: each ends in the right error, and soon."""

from __future__ import annotations

import pytest

from appeval_pipeline.appdef import load_app
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import DefinitionError, ExpressionError
from appeval_pipeline.expr import interpolate
from appeval_pipeline_tests.engine.apps import give, make_app, run, state_of, validate

pytestmark = pytest.mark.usefixtures("soon")

PATTERNS = ["(a+)+$", "(a|aa)+$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "[ab]*a[ab]{900}c"]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("length", [40, 1_000_000])
def test_patterns_never_backtrack(pattern: str, length: int) -> None:
    app = make_app([], {"s": {"type": "string", "pattern": pattern}})
    engine = Engine(app)
    for text in ("a" * length + "!", "ab" * (length // 2), "x" * length):
        result = engine.execute("alice", "go", {"s": text}, state_of({"alice": {}}))
        assert result.error_kind in (None, "parameters")


@pytest.mark.parametrize(
    "pattern", ["(", "[", "a{99999}", "(?=a)", "(?<=a)b", r"(a)\1", "(a{1000}){1000}", "\ud800"]
)
def test_patterns_that_cannot_run_in_linear_time_are_definition_errors(pattern: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        make_app([], {"s": {"type": "string", "pattern": pattern}})
    assert [fault.location for fault in caught.value.faults] == ["actions.go.parameters.s.pattern"]


def test_half_a_surrogate_pair_does_not_match_a_pattern() -> None:
    result = run([], params={"s": "\ud800"}, parameters={"s": {"type": "string", "pattern": "."}})
    assert result.error_kind == "parameters"


@pytest.mark.parametrize(
    "text",
    [
        '${"' + '\\"' * 90_000,
        "${'" + "'" * 90_000,
        "${" * 60_000,
        "$" * 190_000 + "${",
        "${{" * 60_000 + "}",
        "${" + "(" * 90_000 + "}",
        "${1 + " + "{" * 90_000,
    ],
)
def test_hostile_messages_are_definition_errors(text: str) -> None:
    with pytest.raises(DefinitionError):
        make_app([{"type": "error", "message": text}])
    with pytest.raises(ExpressionError):
        interpolate(text, {})


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\"' * 4_998,
        "'" * 9_999,
        "(" * 10_000,
        "[" * 10_000,
        "-" * 10_000,
        "{a:" * 3_000,
        "a[" * 5_000,
        "9" * 10_000,
        "9" * 4_000 + "." + "9" * 4_000,
        "true || false && (" * 60 + "true" + ")" * 60,
        "x[true && x[" * 30 + "1" + "]]" * 30,
        "min(max(" * 33 + "1" + "))" * 33,
        "-(1 + " * 60 + "1" + ")" * 60,
        "1" + "+1" * 6_000,
        "\u0660 + 1",
        "ﬁeld",
        "ⅰ",
        "a\u0301",
        "\ufeffa",
        "a\u200b",
        "𝒶",
    ],
)
def test_hostile_expressions_are_definition_errors(text: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        make_app([validate(text)])
    assert {fault.location for fault in caught.value.faults} == {"actions.go.logic[0].condition"}


def test_the_most_that_is_accepted_compiles_and_runs_soon() -> None:
    block = validate("agent.n == 1 || " * 600 + "true")
    assert run([block] * 4).success
    deepest = "agents[agent.a == null && agents.bob != null && '" + "x" * 10 + "' == 'x'" + "].id"
    with pytest.raises(DefinitionError):
        make_app([validate(deepest)])


def test_indexes_of_agents_nest_as_deep_as_expressions_may() -> None:
    text = "null"
    for _ in range(30):
        text = f"agents['bob'][str(true && {text} == null)]"
    assert run([give(v=text)]).error_kind in (None, "expression")


def test_yaml_cannot_make_python_objects() -> None:
    with pytest.raises(DefinitionError, match=r"Tag .* is not accepted"):
        load_app("app_id: !!python/object/apply:os.system [echo]\nname: x\n")
