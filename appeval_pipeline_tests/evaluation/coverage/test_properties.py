"""What holds for every app and every set of runs; paths against a reference that lists them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.appdef.scopes import walk_blocks
from appeval_pipeline.engine import ActionResult, Engine
from appeval_pipeline.evaluation.coverage import CoverageReport, analyze_coverage
from appeval_pipeline_tests.engine.apps import Json, branch, fail, give, loop, make_app, update, validate
from appeval_pipeline_tests.evaluation.coverage.planted import NUMBER, NUMBERS, percentages

modestly = settings(max_examples=150, deadline=None, derandomize=True)

Path = tuple[tuple[str, str], ...]

conditions = st.sampled_from(
    ["ITEM > 0", "ITEM > 1", "params.a > 0", "params.b > 0", "params.a > params.b", "agent.n > 1"]
)
updates = st.sampled_from([update("agent.n", "add", 1), update("agent.n", "set", 0)])
stops = st.one_of(
    st.builds(validate, conditions),
    st.sampled_from([give(), fail("no"), validate("params.missing > 0")]),
)
plain = st.one_of(updates, updates, updates, updates, stops)
collections = st.sampled_from(["params.xs", "params.ys", "[1]", "[0, 1, 2]", "[0, 2]"])


def compound(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    lists = st.lists(inner, min_size=1, max_size=2)
    return st.one_of(
        st.builds(branch, conditions, lists, st.none() | st.just([]) | lists),
        st.builds(lambda over, body: loop(over, "ITEM", *body), collections, lists),
    )


blocks = compound(st.recursive(plain, compound, max_leaves=5))


def app_with(logic: list[Json]) -> AppDefinition:
    """An app of these blocks; ITEM is the item of the loop around it, each with a name of its own."""
    names = iter(range(1000))

    def named(block: Json, item: str) -> Json:
        inner_item = f"x{next(names)}" if block["type"] == "loop" else item
        changes: Json = {
            key: [named(one, inner_item) for one in block[key]]
            for key in ("then", "else", "body")
            if block.get(key)
        }
        if "condition" in block:
            changes["condition"] = block["condition"].replace("ITEM", item)
        if block["type"] == "loop":
            changes["item"] = inner_item
        return {**block, **changes}

    parameters = {"a": NUMBER, "b": NUMBER, "xs": NUMBERS, "ys": NUMBERS, "missing": {"type": "number"}}
    state = [{"name": "n", "type": "number", "default": 0}]
    return make_app([named(block, "params.a") for block in logic], parameters, state_schema=state)


apps = st.lists(blocks, min_size=1, max_size=3).map(app_with)
small = st.integers(-1, 3)
good = {
    "a": small,
    "b": small,
    "xs": st.lists(small, min_size=1, max_size=3),
    "ys": st.lists(small, max_size=3),
    "missing": st.sampled_from([1, 1, 1, 0, None]),
}
refused = st.just({"unknown": 1})
calls = st.one_of(*[st.fixed_dictionaries(good)] * 6, refused)


def run(app: AppDefinition, params: Sequence[Json]) -> list[ActionResult]:
    engine = Engine(app)
    state = engine.initial_state(["alice"])
    return [engine.execute("alice", "go", one, state, trace=True) for one in params]


def missing(report: CoverageReport) -> set[tuple[str, str | None]]:
    """The gaps, without their reasons."""
    gaps = (*report.uncovered_actions, *report.uncovered_blocks, *report.uncovered_branches)
    return {(gap.location, gap.arm) for gap in gaps}


@modestly
@given(app=apps, params=st.lists(calls, max_size=6), more=st.lists(calls, max_size=4))
def test_more_runs_never_lower_coverage(app: AppDefinition, params: list[Json], more: list[Json]) -> None:
    results = run(app, [*params, *more])
    for evidence in (results, [result.trace for result in results]):
        before = analyze_coverage(app, evidence[: len(params)])
        after = analyze_coverage(app, evidence)
        assert all(now >= then for now, then in zip(percentages(after), percentages(before), strict=True))
        assert missing(after) <= missing(before)
        assert after.paths_total == before.paths_total


@modestly
@given(app=apps, params=st.lists(calls, max_size=6), order=st.randoms(use_true_random=False))
def test_order_and_repetition_of_runs_are_nothing(app: AppDefinition, params: list[Json], order: Any) -> None:
    results = run(app, params)
    report = analyze_coverage(app, results)
    order.shuffle(results)
    again = analyze_coverage(app, results + results)
    assert percentages(again) == percentages(report)
    assert missing(again) == missing(report)
    assert again.recommendations == report.recommendations


@modestly
@given(app=apps, params=st.lists(calls, max_size=6))
def test_percentages_gaps_and_counts_agree(app: AppDefinition, params: list[Json]) -> None:
    report = analyze_coverage(app, run(app, params))
    assert all(0 <= percentage <= 100 for percentage in percentages(report))
    (counts,) = report.actions
    missed = [gap for gap in report.uncovered_blocks if gap.reason != "unreachable"]
    assert counts.blocks_total - counts.blocks_covered == len(missed)
    assert counts.branches_total - counts.branches_covered == len(report.uncovered_branches)
    assert (report.branch_coverage == 100) == (report.uncovered_branches == ())
    assert (report.block_coverage == 100) == (missed == [])
    assert counts.paths_covered <= counts.paths_total
    places = {placed.id for placed in walk_blocks(app.actions[0])}
    assert {gap.location for gap in (*report.uncovered_blocks, *report.uncovered_branches)} <= places
    assert {gap.cause for gap in report.uncovered_blocks} <= places | {"go"}
    assert json.loads(json.dumps(report.to_dict())) == report.to_dict()


@modestly
@given(app=apps, params=st.lists(calls, max_size=6))
def test_paths_are_those_of_a_reference_that_lists_them(app: AppDefinition, params: list[Json]) -> None:
    through, ended = listed_paths(app.to_dict()["actions"][0]["logic"], "go.logic")
    results = run(app, params)
    taken: set[Path] = set()
    for result in results:
        if result.trace and result.error_kind not in ("expression", "limit"):
            taken |= selections([(event.block, event.outcome) for event in result.trace])
    assert taken <= through | ended
    (counts,) = analyze_coverage(app, results).actions
    assert counts.paths_total == len(through) + len(ended)
    assert counts.paths_covered == len(taken)


def selections(events: list[tuple[str, str]]) -> set[Path]:
    """What is left of a run with one iteration of each run of a loop: any, or the last if it is the end."""
    if not events:
        return {()}
    first, rest = events[0], events[1:]
    inside = f"{first[0]}.body["
    size = next((index for index, (block, _) in enumerate(rest) if not block.startswith(inside)), len(rest))
    body, after = (rest[:size], rest[size:]) if first[1] == "1+" else ([], rest)
    starts = [index for index, (block, _) in enumerate(body) if block == f"{inside}0]"]
    iterations = [body[start:stop] for start, stop in pairwise([*starts, len(body)])] or [[]]
    if body and not after and body[-1][1] in ("fail", "return", "error"):
        iterations = iterations[-1:]
    return {
        (first, *way, *more)
        for iteration in iterations
        for way, more in product(selections(iteration), selections(after))
    }


def listed_paths(logic: list[Json], arm: str) -> tuple[set[Path], set[Path]]:
    """Every path through the blocks, and every one that ends in them, as the events of its blocks."""
    through: set[Path] = {()}
    ended: set[Path] = set()
    for index, block in enumerate(logic):
        on, out = listed_ways(block, f"{arm}[{index}]")
        ended |= {path + way for path, way in product(through, out)}
        through = {path + way for path, way in product(through, on)}
    return through, ended


def listed_ways(block: Json, name: str) -> tuple[set[Path], set[Path]]:
    match block["type"]:
        case "validate":
            return {((name, "pass"),)}, {((name, "fail"),)}
        case "return" | "error":
            return set(), {((name, block["type"]),)}
        case "update":
            return {((name, "run"),)}, set()
        case "branch":
            choices = {"then": block["then"], "else": block.get("else") or []}
            on: set[Path] = set()
            out: set[Path] = set()
            for key, inner in choices.items():
                inner_on, inner_out = listed_paths(inner, f"{name}.{key}")
                on |= {((name, key), *way) for way in inner_on}
                out |= {((name, key), *way) for way in inner_out}
            return on, out
        case _:
            inner_on, inner_out = listed_paths(block["body"], f"{name}.body")
            return (
                {((name, "0"),)} | {((name, "1+"), *way) for way in inner_on},
                {((name, "1+"), *way) for way in inner_out},
            )
