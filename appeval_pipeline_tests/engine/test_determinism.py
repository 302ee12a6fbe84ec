"""Ids, time and chance: from the execution context alone."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from appeval_pipeline.engine import Engine
from appeval_pipeline.expr import ExecutionContext, compile_expression, wall_clock
from appeval_pipeline_tests.engine.apps import give, make_app, update

IDS = Engine(
    make_app([update("agent.id_of", "set", "generate_id()"), give(id="generate_id()", at="timestamp()")])
)


def ids(seed: int) -> list[object]:
    session = IDS.session(["a"], seed=seed)
    return [session.execute("a", "go").data for _ in range(3)]


def test_the_same_seed_gives_the_same_ids_and_another_seed_others() -> None:
    assert json.dumps(ids(1)) == json.dumps(ids(1))
    assert ids(1) != ids(2)


def test_ids_are_all_different() -> None:
    context = ExecutionContext(seed=7)
    made = [context.next_id() for _ in range(1_000)]
    assert len(set(made)) == 1_000
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in made)


def test_time_stands_still_in_evaluation() -> None:
    session = IDS.session(["a"])
    stamps = {str((session.execute("a", "go").data or {})["at"]) for _ in range(3)}
    assert stamps == {"2026-01-01T00:00:00.000Z"}


def test_a_call_without_a_context_is_deterministic_and_the_next_one_differs() -> None:
    start = IDS.initial_state(["a"])
    first, again = (IDS.execute("a", "go", {}, start) for _ in range(2))
    assert (first.data, first.state_after) == (again.data, again.state_after)
    assert IDS.execute("a", "go", {}, first.state_after).data != first.data


@pytest.mark.parametrize(
    ("moment", "text", "milliseconds"),
    [
        (datetime(1970, 1, 1, 0, 0, 1, 1000, tzinfo=UTC), "1970-01-01T00:00:01.001Z", 1_001),
        (datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC), "2026-03-04T05:06:07.089Z", 1_772_600_767_089),
        (datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))), "1970-01-01T00:00:00.000Z", 0),
        (datetime(1970, 1, 2), "1970-01-02T00:00:00.000Z", 86_400_000),
    ],
)
def test_timestamp_and_now_show_the_clock_in_utc(moment: datetime, text: str, milliseconds: int) -> None:
    value = compile_expression("[timestamp(), now()]").evaluate({}, ExecutionContext(clock=moment))
    assert value == [text, milliseconds]


def test_the_clock_may_be_real() -> None:
    before = datetime.now(UTC)
    now = compile_expression("now()").evaluate({}, ExecutionContext(clock=wall_clock))
    assert isinstance(now, int)
    assert 0 <= now - int(before.timestamp() * 1000) < 5_000


def test_expressions_without_a_context_are_frozen() -> None:
    compiled = compile_expression("generate_id() + timestamp()")
    assert compiled.evaluate({}) == compiled.evaluate({})


def test_a_fork_starts_from_the_present_state_and_goes_its_own_way() -> None:
    session = IDS.session(["a"], seed=1)
    session.execute("a", "go", {})
    before = session.state
    fork = session.fork(ExecutionContext(seed=2))
    assert fork.state == before
    fork.execute("a", "go", {})
    assert session.state == before
    assert fork.state != before
