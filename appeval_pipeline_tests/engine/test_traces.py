"""Traces: which blocks ran, and which way each went."""

from __future__ import annotations

from appeval_pipeline_tests.engine.apps import (
    Json,
    branch,
    fail,
    give,
    loop,
    notify,
    run,
    update,
    validate,
)


def trace(*logic: Json, **params: object) -> list[tuple[str, str]]:
    result = run(list(logic), params=params, trace=True)
    return [(event.block, event.outcome) for event in result.trace]


def test_validate_passes_or_fails() -> None:
    assert trace(validate("params.n > 1"), n=2) == [("go.logic[0]", "pass")]
    assert trace(validate("true"), validate("params.n > 1"), give(), n=1) == [
        ("go.logic[0]", "pass"),
        ("go.logic[1]", "fail"),
    ]


def test_branch_goes_then_or_else_also_where_the_else_is_not_written() -> None:
    assert trace(branch("params.n > 1", [give()]), n=2) == [
        ("go.logic[0]", "then"),
        ("go.logic[0].then[0]", "return"),
    ]
    assert trace(branch("params.n > 1", [give()], [fail("no")]), n=1) == [
        ("go.logic[0]", "else"),
        ("go.logic[0].else[0]", "error"),
    ]
    assert trace(branch("params.n > 1", [give()]), give(), n=1) == [
        ("go.logic[0]", "else"),
        ("go.logic[1]", "return"),
    ]
    assert trace(branch("params.n > 1", [give()], []), n=1) == [("go.logic[0]", "else")]


def test_loop_ran_never_or_at_least_once() -> None:
    block = loop("params.xs", "x", validate("x > 0"))
    assert trace(block, xs=[]) == [("go.logic[0]", "0")]
    assert trace(block, xs=[1, 2]) == [
        ("go.logic[0]", "1+"),
        ("go.logic[0].body[0]", "pass"),
        ("go.logic[0].body[0]", "pass"),
    ]
    assert trace(block, xs=[1, -2, 3])[-1] == ("go.logic[0].body[0]", "fail")
    assert trace(loop("params.xs", "x"), xs=[1]) == [("go.logic[0]", "1+")]


def test_update_and_notify_ran() -> None:
    assert trace(update("agent.x", "set", 1), notify("'bob'", "Hi"), give()) == [
        ("go.logic[0]", "run"),
        ("go.logic[1]", "run"),
        ("go.logic[2]", "return"),
    ]


def test_block_ids_are_paths() -> None:
    inner = branch("x > 1", [loop("[1]", "y", fail("here"))], [update("agent.x", "set", 1)])
    assert trace(validate("true"), loop("params.xs", "x", inner), xs=[1, 2]) == [
        ("go.logic[0]", "pass"),
        ("go.logic[1]", "1+"),
        ("go.logic[1].body[0]", "else"),
        ("go.logic[1].body[0].else[0]", "run"),
        ("go.logic[1].body[0]", "then"),
        ("go.logic[1].body[0].then[0]", "1+"),
        ("go.logic[1].body[0].then[0].body[0]", "error"),
    ]


def test_a_failing_action_keeps_its_trace() -> None:
    assert trace(update("agent.n", "set", 1), update("agent.x", "add", 1), give())[0] == (
        "go.logic[0]",
        "run",
    )


def test_without_tracing_there_is_no_trace() -> None:
    assert run([validate("true"), give()]).trace == []


def test_nothing_ran_where_the_call_is_refused() -> None:
    assert run([give()], params={"n": 1}, parameters={"n": {"type": "string"}}, trace=True).trace == []
