"""Each kind of gap, at every depth: where it is, why, and what would close it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from appeval_pipeline.appdef import AppDefinition
from appeval_pipeline.evaluation import ScenarioResult, load_scenario, run_scenario
from appeval_pipeline.evaluation.coverage import CoverageReport, Gap, analyze_coverage
from appeval_pipeline_tests.engine.apps import Json, branch, fail, give, loop, update, validate
from appeval_pipeline_tests.evaluation.coverage.planted import Runs, go_app, percentages, places


def gap_at(report: CoverageReport, location: str, arm: str | None = None) -> Gap:
    gaps = report.uncovered_branches if arm else report.uncovered_blocks
    (found,) = (gap for gap in gaps if (gap.location, gap.arm) == (location, arm))
    return found


def scenario_run(app: AppDefinition) -> ScenarioResult:
    """A scenario that calls ``go`` once."""
    steps = [{"agent": "alice", "action": "go"}]
    scenario = {"name": "One", "app_id": app.app_id, "setup": {"agents": ["alice"]}, "steps": steps}
    return run_scenario(app, load_scenario(scenario))


VALIDATE = validate("params.a > 0")
BRANCH = branch("params.a > 0", [update("agent.n", "set", 1)], [update("agent.n", "set", 2)])
BRANCH_WITHOUT_ELSE = branch("params.a > 0", [update("agent.n", "set", 1)])
LOOP = loop("params.xs", "x", update("agent.n", "set", "x"))

AROUND: list[tuple[Callable[[Json], Json], str]] = [
    (lambda inner: loop("params.ys", "y", inner), "body"),
    (lambda inner: branch("params.b > 0", [], [inner]), "else"),
    (lambda inner: branch("params.b == 0", [inner]), "then"),
]


@pytest.mark.parametrize(
    ("block", "taken", "missing", "message", "recommendation"),
    [
        (VALIDATE, {"a": 1}, "fail", "the validate never fails", "`params.a > 0` is false"),
        (VALIDATE, {"a": 0}, "pass", "the validate never passes", "`params.a > 0` is true"),
        (BRANCH, {"a": 1}, "else", "the else arm is never taken", "`params.a > 0` is false"),
        (BRANCH, {"a": 0}, "then", "the then arm is never taken", "`params.a > 0` is true"),
        (BRANCH_WITHOUT_ELSE, {"a": 1}, "else", "the else arm is never taken", "`params.a > 0` is false"),
        (LOOP, {"xs": [1]}, "0", "the loop is never empty", "`params.xs` is empty"),
        (LOOP, {"xs": []}, "1+", "the loop body never runs", "`params.xs` is not empty"),
    ],
)
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_an_arm_that_is_never_taken(
    block: Json, taken: Json, missing: str, message: str, recommendation: str, depth: int
) -> None:
    place = ""
    for around, key in AROUND[:depth]:
        block = around(block)
        place = f".{key}[0]{place}"
    location = f"go.logic[0]{place}"
    report = Runs(go_app(block)).call("go", ys=[1], **taken).report()
    gap = gap_at(report, location, missing)
    assert (gap.reason, gap.cause) == ("arm_never_taken", location)
    assert gap.message == f"`{location}`: {message}"
    assert gap.recommendation == f"Add a step that reaches `{location}` where {recommendation}"
    assert gap.recommendation in report.recommendations


def test_what_stands_behind_an_arm_goes_back_to_it() -> None:
    inner = branch("params.b > 0", [give()])
    app = go_app(branch("params.a > 0", [update("agent.n", "set", 1), inner]), give())
    report = Runs(app).call("go", a=0).report()
    assert places(report.uncovered_blocks) == [
        ("go.logic[0].then[0]", None),
        ("go.logic[0].then[1]", None),
        ("go.logic[0].then[1].then[0]", None),
    ]
    assert places(report.uncovered_branches) == [
        ("go.logic[0]", "then"),
        ("go.logic[0].then[1]", "then"),
        ("go.logic[0].then[1]", "else"),
    ]
    for gap in (*report.uncovered_blocks, *report.uncovered_branches):
        assert (gap.reason, gap.cause) == ("arm_never_taken", "go.logic[0]")
    assert gap_at(report, "go.logic[0].then[1].then[0]").message == (
        "`go.logic[0].then[1].then[0]` never runs: `go.logic[0]`: the then arm is never taken"
    )
    assert gap_at(report, "go.logic[0].then[1]", "else").message == (
        "`go.logic[0].then[1]`: the else arm is never taken (`go.logic[0]`: the then arm is never taken)"
    )
    assert report.recommendations == ("Add a step that reaches `go.logic[0]` where `params.a > 0` is true",)


def test_what_stands_behind_a_validate_that_never_passes() -> None:
    report = Runs(go_app(VALIDATE, LOOP, give())).call("go", a=0).report()
    assert places(report.uncovered_blocks) == [
        ("go.logic[1]", None),
        ("go.logic[1].body[0]", None),
        ("go.logic[2]", None),
    ]
    for gap in report.uncovered_blocks:
        assert (gap.reason, gap.cause) == ("arm_never_taken", "go.logic[0]")


def test_what_stands_behind_an_arm_that_ends_the_action() -> None:
    report = Runs(go_app(branch("params.a > 0", [fail("no")]), give())).call("go", a=1).report()
    gap = gap_at(report, "go.logic[1]")
    assert gap.message == "`go.logic[1]` never runs: `go.logic[0]`: the else arm is never taken"


def test_what_stands_behind_a_loop_that_ends_the_action() -> None:
    app = go_app(loop("params.xs", "x", validate("x > 0"), update("agent.n", "set", "x")), give())
    report = Runs(app).call("go", xs=[1, 0]).report()
    assert places(report.uncovered_blocks) == [("go.logic[1]", None)]
    assert report.uncovered_blocks[0].cause == "go.logic[0]"
    assert percentages(report)[:3] == (100, 75, 75)


def test_blocks_of_an_action_that_is_never_called() -> None:
    report = Runs(go_app(VALIDATE, give())).report()
    assert percentages(report) == (0, 0, 0, 0)
    assert [gap.message for gap in report.uncovered_blocks] == [
        "`go.logic[0]` never runs: `go` is never called",
        "`go.logic[1]` never runs: `go` is never called",
    ]
    assert [gap.message for gap in report.uncovered_branches] == [
        "`go.logic[0]`: the validate never passes (`go` is never called)",
        "`go.logic[0]`: the validate never fails (`go` is never called)",
    ]
    assert report.recommendations == ("Add a step that calls `go`",)


def test_an_action_that_breaks_off_covers_the_blocks_it_ran_and_no_path() -> None:
    app = go_app(update("agent.n", "set", 1), update("agent.n", "add", "params.zero"), give())
    report = Runs(app).call("go").report()
    assert percentages(report) == (100, 200 / 3, 100, 0)
    (gap,) = report.uncovered_blocks
    assert (gap.location, gap.reason, gap.cause) == ("go.logic[2]", "always_breaks_off", "go.logic[2]")
    assert gap.message == (
        "`go.logic[2]` never runs: every run breaks off with an error between `go.logic[1]` and `go.logic[2]`"
    )
    assert gap.recommendation == (
        "Add a step that does not break off between `go.logic[1]` and `go.logic[2]`, "
        "or correct the logic there"
    )


def test_an_action_that_breaks_off_in_its_last_block_takes_no_path_either() -> None:
    app = go_app(update("agent.n", "set", 1), update("agent.n", "add", "params.zero"))
    runs = Runs(app).call("go")
    assert percentages(runs.report()) == (100, 100, 100, 0)
    assert percentages(runs.call("go", zero=0).report()) == (100, 100, 100, 100)


def test_an_action_that_breaks_off_in_its_first_block() -> None:
    app = go_app(validate("params.zero > 0"), give())
    report = analyze_coverage(app, [scenario_run(app)])
    assert percentages(report) == (100, 0, 0, 0)
    assert [gap.reason for gap in report.uncovered_blocks] == ["always_breaks_off"] * 2
    assert report.recommendations == (
        "Add a step that does not break off in `go.logic[0]`, the first block, or correct the logic there",
    )


def test_an_arm_that_was_not_taken_is_named_rather_than_a_failure() -> None:
    broken = update("agent.n", "add", "params.zero")
    app = go_app(
        update("agent.n", "set", 1), branch("params.a > 0", [broken], [validate("params.b > 0")]), give()
    )
    report = Runs(app).call("go", a=1).call("go", a=0).report()
    (gap,) = report.uncovered_blocks
    assert (gap.location, gap.cause) == ("go.logic[2]", "go.logic[1].else[0]")
    assert report.recommendations[0] == (
        "Add a step that reaches `go.logic[1].else[0]` where `params.b > 0` is true"
    )


def test_a_block_that_cannot_be_reached_keeps_no_other_from_running() -> None:
    either = branch("params.b > 0", [give(), update("agent.n", "set", 1)], [update("agent.n", "set", 2)])
    report = Runs(go_app(VALIDATE, either, give())).call("go", a=0).report()
    assert gap_at(report, "go.logic[1].then[1]").reason == "unreachable"
    assert gap_at(report, "go.logic[2]").cause == "go.logic[0]"


def test_calls_that_do_not_come_to_the_logic_cover_nothing() -> None:
    app = go_app(give(), access_type="role_restricted", allowed_roles=["admin"])
    steps = [
        {"agent": "alice", "action": "go"},
        {"agent": "nobody", "action": "go"},
        {"agent": "root", "action": "go", "params": {"other": 1}},
    ]
    agents = [{"id": "alice"}, {"id": "root", "role": "admin"}]
    scenario = {"name": "Refused", "app_id": app.app_id, "setup": {"agents": agents}, "steps": steps}
    result = run_scenario(app, load_scenario(scenario))
    assert [step.error_kind for step in result.steps] == ["access", "unknown_agent", "parameters"]
    report = analyze_coverage(app, [result])
    assert percentages(report) == (0, 0, 100, 0)
    assert (report.actions[0].calls, report.actions[0].refused_calls) == (0, 3)
    assert {gap.reason for gap in (*report.uncovered_actions, *report.uncovered_blocks)} == {"always_refused"}


def test_a_loop_over_too_many_elements_takes_no_path() -> None:
    report = Runs(go_app(LOOP)).call("go", xs=[1] * 1001).report()
    assert percentages(report) == (100, 100, 50, 0)


def test_unreachable_blocks_are_told_and_do_not_count() -> None:
    either = branch("params.a > 0", [give()], [fail("no"), VALIDATE])
    app = go_app(either, BRANCH_WITHOUT_ELSE, LOOP)
    report = Runs(app).call("go", a=1).call("go", a=0).report()
    assert percentages(report) == (100, 100, 100, 100)
    assert report.paths_total == 2
    assert places(report.uncovered_blocks) == [
        ("go.logic[0].else[1]", None),
        ("go.logic[1]", None),
        ("go.logic[1].then[0]", None),
        ("go.logic[2]", None),
        ("go.logic[2].body[0]", None),
    ]
    assert {gap.reason for gap in report.uncovered_blocks} == {"unreachable"}
    assert report.uncovered_blocks[1].message == (
        "`go.logic[1]` is never reached: the action has always ended before it"
    )
    assert report.uncovered_branches == ()


def test_an_app_without_branches_has_all_of_them_covered() -> None:
    report = Runs(go_app(update("agent.n", "set", 1), give())).report()
    assert percentages(report) == (0, 0, 100, 0)
    assert report.paths_total == 1


def test_an_action_without_logic_is_one_path() -> None:
    app = go_app()
    assert percentages(analyze_coverage(app, [])) == (0, 100, 100, 0)
    assert percentages(analyze_coverage(app, [scenario_run(app)])) == (100, 100, 100, 100)
    # A trace without blocks does not tell whose it is.
    assert percentages(Runs(app).call("go").report()) == (0, 100, 100, 0)


def test_a_long_condition_is_shortened_in_recommendations() -> None:
    condition = " + ".join(["params.a"] * 40) + "\n > 0"
    report = Runs(go_app(validate(condition))).call("go", a=1).report()
    (recommendation,) = report.recommendations
    assert recommendation.endswith("…` is false")
    assert len(recommendation) < 160
    assert "\n" not in recommendation


def test_the_report_is_plain_json() -> None:
    report = Runs().call("deposit").call("audit", limit=20, xs=[1, 2]).report()
    as_json = report.to_dict()
    assert json.loads(json.dumps(as_json)) == as_json
    assert list(as_json) == [
        "app_id",
        "version",
        "action_coverage",
        "block_coverage",
        "branch_coverage",
        "path_coverage",
        "uncovered_actions",
        "uncovered_blocks",
        "uncovered_branches",
        "paths_total",
        "paths_capped",
        "recommendations",
        "actions",
    ]
    assert (as_json["app_id"], as_json["version"]) == ("a_bank", 3)
    gaps = as_json["uncovered_actions"] + as_json["uncovered_blocks"] + as_json["uncovered_branches"]
    assert {gap["recommendation"] for gap in gaps} == set(as_json["recommendations"])
