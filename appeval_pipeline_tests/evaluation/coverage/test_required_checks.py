"""The checks that the seed asks for: actions, branches, and what is missing."""

from __future__ import annotations

import pytest

from appeval_pipeline.evaluation import CoverageReport, analyze_coverage, load_scenario, run_scenario
from appeval_pipeline_tests.evaluation.coverage.planted import BANK, Runs, percentages, places


def _scenario_report() -> CoverageReport:
    scenario = load_scenario(
        {
            "name": "Deposits",
            "app_id": "a_bank",
            "setup": {"agents": ["alice"]},
            "steps": [
                {"agent": "alice", "action": "deposit", "params": {"amount": 5}, "expect": {"success": True}},
                {"agent": "alice", "action": "deposit", "params": {}, "expect": {"success": True}},
                {"agent": "alice", "action": "close", "params": {}, "expect": {"success": False}},
                {"agent": "alice", "action": "audit", "params": {"limit": 1}},
                {"agent": "alice", "action": "no_such", "params": {}, "expect": {"success": False}},
            ],
        }
    )
    return analyze_coverage(BANK, [run_scenario(BANK, scenario)])


def test_v21_06_01_action_coverage_is_the_share_of_actions_that_ran() -> None:
    report = _scenario_report()
    assert report.action_coverage == 50  # deposit and audit, of four
    assert [(action.action, action.calls, action.refused_calls) for action in report.actions] == [
        ("deposit", 2, 0),
        ("transfer", 0, 0),
        ("close", 0, 1),
        ("audit", 1, 0),
    ]


def test_v21_06_02_branches_are_counted() -> None:
    report = _scenario_report()
    # Arms: deposit 2, transfer 4, close 0, audit 12. Taken: deposit's pass and fail; audit's pass, else, 0.
    assert [(action.branches_covered, action.branches_total) for action in report.actions] == [
        (2, 2),
        (0, 4),
        (0, 0),
        (3, 12),
    ]
    assert report.branch_coverage == pytest.approx(100 * 5 / 18)


def test_v21_06_02_blocks_are_counted() -> None:
    report = _scenario_report()
    # close has a second block, which nothing leads to.
    assert [(action.blocks_covered, action.blocks_total) for action in report.actions] == [
        (3, 3),
        (0, 3),
        (0, 1),
        (4, 9),
    ]
    assert report.block_coverage == pytest.approx(100 * 7 / 16)


def test_v21_06_02_paths_are_counted() -> None:
    report = _scenario_report()
    # transfer: fail, then, else. close: return. audit: the loop over xs goes on in 1 + 2 ways and ends the
    # action in 1; with the else arm that makes 4 and 1; times 2 for ys; and the failing validate.
    assert [(action.paths_covered, action.paths_total) for action in report.actions] == [
        (2, 2),
        (0, 3),
        (0, 1),
        (1, 1 + 1 + 4 * 2),
    ]
    assert report.paths_total == 16
    assert not report.paths_capped
    assert report.path_coverage == pytest.approx(100 * 3 / 16)


def test_v21_06_03_uncovered_actions_are_listed_with_reasons() -> None:
    never, refused = _scenario_report().uncovered_actions
    assert never.to_dict() == {
        "location": "transfer",
        "arm": None,
        "reason": "never_called",
        "cause": "transfer",
        "message": "`transfer` is never called",
        "recommendation": "Add a step that calls `transfer`",
    }
    assert (refused.location, refused.reason) == ("close", "always_refused")
    assert refused.message == "every call of `close` is refused before its logic begins"
    assert (
        refused.recommendation
        == "Add a step that calls `close` with parameters, and as an agent, that it accepts"
    )


def test_v21_06_03_nothing_is_missing_where_all_was_run() -> None:
    runs = Runs().call("deposit", amount=1).call("deposit").call("close", code="x")
    runs.call("transfer", amount=200).call("transfer", amount=60).call("transfer", amount=5)
    runs.call("audit").call("audit", limit=11, xs=[1, 0, -1])
    runs.call("audit", limit=1).call("audit", limit=1, ys=[1])
    runs.call("audit", limit=11).call("audit", limit=11, ys=[1])
    runs.call("audit", limit=11, xs=[1, 0]).call("audit", limit=11, xs=[1, 0], ys=[1])
    report = runs.report()
    assert percentages(report) == (100, 100, 100, 100)
    assert (report.uncovered_actions, report.uncovered_branches) == ((), ())
    # What no path leads to is told, and held against no suite.
    assert places(report.uncovered_blocks) == [("close.logic[1]", None)]
    assert report.recommendations == ("Remove `close.logic[1]`, or what ends the action before it",)
