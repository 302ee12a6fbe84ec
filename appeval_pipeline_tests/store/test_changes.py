"""What is told of an evaluation that found something else than the one before."""

from __future__ import annotations

from appeval_pipeline.store.changes import ChangeKind, Findings, find_changes
from appeval_pipeline.store.verdicts import Severity


def findings(
    *,
    evaluated: tuple[str, ...] = ("app@2", "app@10"),
    metrics: dict[tuple[str, str], float] | None = None,
    scenarios: dict[tuple[str, str], str] | None = None,
    checks: dict[tuple[str, str], Severity] | None = None,
    slower: dict[tuple[str, str], float] | None = None,
) -> Findings:
    return Findings(frozenset(evaluated), metrics or {}, scenarios or {}, checks or {}, slower or {})


def told(before: Findings, after: Findings) -> list[tuple[str, str, object, object, bool]]:
    return [
        (change.partition_key, change.name, change.before, change.after, change.is_worse)
        for change in find_changes(before, after)
    ]


def test_the_same_findings_are_no_change() -> None:
    same = findings(
        metrics={("app@2", "quality.overall"): 77.8},
        scenarios={("app@2", "Paying\nfile"): "failed"},
        checks={("app@2", "quality_meets_bar"): Severity.WARN},
        slower={("app@2", "pay"): 1.5},
    )
    assert told(same, same) == []


def test_a_metric_is_worse_by_its_own_direction() -> None:
    before = findings(
        metrics={
            ("app@2", "quality.overall"): 77.8,
            ("app@2", "coverage.branch"): 100.0,
            ("app@2", "definition.warnings"): 1.0,
            ("app@2", "scenarios.total"): 4.0,
        }
    )
    after = findings(
        metrics={
            ("app@2", "quality.overall"): 95.0,
            ("app@2", "definition.warnings"): 2.0,
            ("app@2", "scenarios.total"): 3.0,
        }
    )
    assert told(before, after) == [
        ("app@2", "coverage.branch", 100.0, None, True),
        ("app@2", "definition.warnings", 1.0, 2.0, True),
        ("app@2", "quality.overall", 77.8, 95.0, False),
        ("app@2", "scenarios.total", 4.0, 3.0, False),
    ]


def test_of_scenarios_failures_that_come_change_or_go_are_told() -> None:
    key = "app@2"
    before = findings(
        scenarios={
            (key, "broken\nf"): "passed",
            (key, "fixed\nf"): "failed",
            (key, "stopped\nf"): "failed",
            (key, "taken away\nf"): "failed",
            (key, "taken away too\nf"): "passed",
        }
    )
    after = findings(
        scenarios={
            (key, "broken\nf"): "failed",
            (key, "fixed\nf"): "passed",
            (key, "stopped\nf"): "error",
            (key, "new and failing\nf"): "failed",
            (key, "new\nf"): "passed",
        }
    )
    assert told(before, after) == [
        (key, "broken", "passed", "failed", True),
        (key, "new and failing", None, "failed", True),
        (key, "stopped", "failed", "error", True),
        (key, "fixed", "failed", "passed", False),
        (key, "taken away", "failed", "removed", False),
    ]


def test_a_check_that_fails_otherwise_is_told_unless_its_scenarios_or_metrics_are() -> None:
    key = "app@2"
    before = findings(
        checks={
            (key, "no_breaking_regression"): Severity.ERROR,
            (key, "landed_version_is_unchanged"): Severity.WARN,
        }
    )
    after = findings(
        checks={
            (key, "no_breaking_regression"): Severity.WARN,
            (key, "quality_meets_bar"): Severity.WARN,
            (key, "all_scenarios_pass"): Severity.ERROR,
            (key, "edge_cases_are_robust"): Severity.WARN,
        }
    )
    assert told(before, after) == [
        (key, "quality_meets_bar", None, Severity.WARN, True),
        (key, "landed_version_is_unchanged", Severity.WARN, None, False),
        (key, "no_breaking_regression", Severity.ERROR, Severity.WARN, False),
    ]


def test_an_action_is_told_when_it_becomes_slower_than_in_the_baseline() -> None:
    before = findings(slower={("app@2", "pay"): 1.4, ("app@2", "ask"): 1.2})
    after = findings(slower={("app@2", "pay"): 1.5, ("app@10", "pay"): 2.0})
    assert told(before, after) == [("app@10", "pay", None, 2.0, True)]


def test_a_first_evaluation_is_no_change() -> None:
    before = findings(evaluated=("app@2",))
    after = findings(metrics={("app@10", "quality.overall"): 50.0, ("app@2", "quality.overall"): 60.0})
    assert told(before, after) == [("app@2", "quality.overall", None, 60.0, False)]


def test_the_worse_comes_first_then_scenarios_then_versions_in_natural_order() -> None:
    before = findings(metrics={("app@2", "quality.overall"): 60.0, ("app@10", "quality.overall"): 60.0})
    after = findings(
        metrics={("app@2", "quality.overall"): 50.0, ("app@10", "quality.overall"): 50.0},
        scenarios={("app@10", "late\nf"): "failed"},
        checks={("app@2", "quality_meets_bar"): Severity.WARN},
    )
    assert [(change.kind, change.partition_key) for change in find_changes(before, after)] == [
        (ChangeKind.SCENARIO, "app@10"),
        (ChangeKind.CHECK, "app@2"),
        (ChangeKind.METRIC, "app@2"),
        (ChangeKind.METRIC, "app@10"),
    ]
    assert find_changes(before, after)[0].to_dict() == {
        "partition_key": "app@10",
        "kind": "scenario",
        "name": "late",
        "before": None,
        "after": "failed",
        "is_worse": True,
    }
