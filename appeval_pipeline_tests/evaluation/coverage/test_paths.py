"""Which paths there are, and which of them a run takes."""

from __future__ import annotations

import pytest

from appeval_pipeline.engine import TraceEvent
from appeval_pipeline.errors import TraceError
from appeval_pipeline.evaluation.coverage import analyze_coverage
from appeval_pipeline_tests.engine.apps import Json, branch, fail, give, loop, update, validate
from appeval_pipeline_tests.evaluation.coverage.planted import BANK, Runs, go_app, percentages

SIGN = branch("x > 0", [update("agent.n", "set", 1)])
OTHER_SIGN = branch("y > 0", [update("agent.n", "set", 1)])


def paths(*logic: Json, calls: list[Json]) -> tuple[int, int]:
    """How many paths the calls take, and how many there are."""
    runs = Runs(go_app(*logic))
    for params in calls:
        runs.call("go", **params)
    (counts,) = runs.report().actions
    return counts.paths_covered, counts.paths_total


def test_decisions_after_each_other_multiply_and_an_end_does_not() -> None:
    two = [branch("params.a > 0", [fail("no")]), branch("params.b > 0", [give()])]
    assert paths(*two, calls=[]) == (0, 3)
    assert paths(*two, calls=[{"a": 1}, {"a": 1, "b": 1}]) == (1, 3)
    assert paths(*two, calls=[{"a": 1}, {"b": 1}, {}]) == (3, 3)


def test_a_loop_is_left_out_or_gone_through() -> None:
    assert paths(loop("params.xs", "x"), calls=[{"xs": [1, 2, 3]}]) == (1, 2)
    assert paths(loop("params.xs", "x", SIGN), calls=[{"xs": []}]) == (1, 3)


def test_iterations_that_go_different_ways_take_a_path_each() -> None:
    block = loop("params.xs", "x", SIGN)
    assert paths(block, calls=[{"xs": [1, 1]}]) == (1, 3)
    assert paths(block, calls=[{"xs": [1, 0]}]) == (2, 3)
    assert paths(block, calls=[{"xs": [1]}, {"xs": [0]}]) == (2, 3)


def test_loops_after_each_other_take_every_pair() -> None:
    blocks = [loop("params.xs", "x", SIGN), loop("params.ys", "y", OTHER_SIGN)]
    assert paths(*blocks, calls=[{"xs": [1, 0], "ys": [1, 0]}]) == (4, 9)
    assert paths(*blocks, calls=[{"xs": [1], "ys": [1]}, {"xs": [0], "ys": [0]}]) == (2, 9)


def test_a_loop_inside_a_loop_takes_what_its_iterations_take_together() -> None:
    block = loop("params.xs", "x", SIGN, loop("params.ys", "y", OTHER_SIGN))
    # The body has 2 * 3 ways: x over 0 or not, and ys empty, or y over 0 or not.
    assert paths(block, calls=[{"xs": [1], "ys": [1, 0]}]) == (2, 7)
    assert paths(block, calls=[{"xs": [1, 0], "ys": [1, 0]}]) == (4, 7)


@pytest.mark.parametrize("end", [give(), fail("no"), validate("false")])
def test_where_an_iteration_ends_the_action_only_its_path_is_taken(end: Json) -> None:
    block = loop("params.xs", "x", branch("x > 0", [end], [SIGN]))
    total = {"return": 4, "error": 4, "validate": 5}[end["type"]]
    # Ways: no iteration; the end; the inner branch, of which only its else arm is possible. A validate
    # that is always false still has an arm to pass.
    assert paths(block, calls=[{"xs": [0, 1]}]) == (1, total)
    assert paths(block, calls=[{"xs": [0, 1]}, {"xs": [0]}, {}]) == (3, total)


def test_more_than_ten_thousand_paths_are_counted_and_capped() -> None:
    branches = [branch(f"params.a > {index}", [update("agent.n", "set", 1)]) for index in range(14)]
    report = Runs(go_app(*branches)).call("go", a=3).call("go", a=5).report()
    assert (report.paths_total, report.paths_capped) == (2**14, True)
    assert report.path_coverage == 100 * 2 / 10_000
    report = Runs(go_app(*branches[:13])).call("go", a=3).report()
    assert (report.paths_total, report.paths_capped) == (2**13, False)
    assert report.path_coverage == 100 / 2**13


def test_exactly_ten_thousand_paths_are_not_capped() -> None:
    halves = [branch("params.a > 0", []) for _ in range(4)]
    fifths = [
        loop("params.xs", f"x{index}", branch("params.a > 0", []), branch("params.b > 0", []))
        for index in range(4)
    ]
    report = Runs(go_app(*halves, *fifths)).call("go").report()
    assert (report.paths_total, report.paths_capped) == (10_000, False)
    assert report.path_coverage == 0.01


def test_runs_that_take_more_paths_than_count_end_at_the_cap() -> None:
    # Each loop can be left out, or gone through in 4 ways, of which x > 0, twice decided, allows 2.
    loops = [loop("params.xs", "x", SIGN, SIGN) for _ in range(40)]
    assert paths(*loops[:6], calls=[{"xs": [1, 0]}]) == (2**6, 5**6)
    assert paths(*loops[:13], calls=[{"xs": [1, 0]}]) == (2**13, 5**13)
    assert paths(*loops[:13], calls=[{"xs": [1, 0]}, {"xs": []}]) == (2**13 + 1, 5**13)
    # Where one run goes through each loop in 2 ways, and there are 2**40 paths that it goes along.
    assert paths(*loops, calls=[{"xs": [1, 0]}]) == (10_000, 2**53 - 1)
    doubled = [branch("params.a > 0", []), *loops[:13]]
    assert paths(*doubled, calls=[{"xs": [1, 0], "a": a} for a in (0, 1)]) == (10_000, 2 * 5**13)


def test_counts_beyond_what_json_readers_hold_end_there() -> None:
    branches = [branch("params.a > 0", [update("agent.n", "set", 1)]) for _ in range(300)]
    report = Runs(go_app(*branches)).call("go").report()
    assert (report.paths_total, report.paths_capped) == (2**53 - 1, True)
    assert report.actions[0].paths_total == 2**53 - 1
    assert report.path_coverage == 0.01


APP = go_app(validate("params.a > 0"), loop("params.xs", "x", SIGN), give())
WHOLE = [("go.logic[0]", "pass"), ("go.logic[1]", "0"), ("go.logic[2]", "return")]


def trace(*events: tuple[str, str]) -> list[TraceEvent]:
    return [TraceEvent(*event) for event in events]


def test_a_bare_trace_is_evidence_as_a_result_is() -> None:
    (result,) = Runs(APP).call("go", a=1).results
    assert result.trace == trace(*WHOLE)
    assert analyze_coverage(APP, [iter(result.trace)]) == analyze_coverage(APP, [result])
    assert percentages(analyze_coverage(APP, iter([trace(*WHOLE)]))) == (100, 60, 100 / 3, 25)


@pytest.mark.parametrize(
    "events",
    [
        WHOLE[:2],
        WHOLE[1:],
        [*WHOLE, *WHOLE],
        [WHOLE[0], ("go.logic[1]", "1+"), WHOLE[2]],
        [("go.logic[0]", "fail"), WHOLE[1]],
    ],
)
def test_a_trace_that_is_no_whole_run_takes_no_path(events: list[tuple[str, str]]) -> None:
    (counts,) = analyze_coverage(APP, [trace(*events)]).actions
    assert counts.paths_covered == 0
    assert counts.blocks_covered == len({block for block, _ in events})


def test_an_empty_trace_tells_nothing() -> None:
    assert analyze_coverage(APP, [[]]) == analyze_coverage(APP, [])


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (("gone.logic[0]", "pass"), "'gone.logic[0]' is no block of this app"),
        (("go.logic[9]", "run"), "'run' of 'go.logic[9]'"),
        (("go.logic[0]", "then"), "'then' of 'go.logic[0]'"),
    ],
)
def test_a_trace_of_another_app_is_an_error(event: tuple[str, str], message: str) -> None:
    with pytest.raises(TraceError) as caught:
        analyze_coverage(APP, [trace(event)])
    assert message in str(caught.value)


def test_a_trace_of_two_actions_is_an_error() -> None:
    with pytest.raises(TraceError):
        analyze_coverage(BANK, [trace(("close.logic[0]", "return"), ("deposit.logic[0]", "pass"))])
