"""What a comparison of two versions found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from appeval_pipeline.evaluation.timing import ActionComparison

Severity = Literal["breaking", "warning", "compatible"]
Aspect = Literal["data", "error", "observations", "state"]
ChangeKind = Literal["changed", "added", "removed"]


@dataclass(frozen=True, slots=True)
class VersionFailure:
    """A step or assertion that held in the old version and does not in the new one.

    Attributes:
        scenario: The name of the scenario.
        step: The name of the step; ``assertion: …`` or ``setup`` where it was no step.
        action: The step's action; None where it was no step.
        expected, actual: The parts that differ, by path.
        error: The same in words.
    """

    scenario: str
    step: str
    action: str | None
    expected: Mapping[str, Any]
    actual: Mapping[str, Any]
    error: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "scenario": self.scenario,
            "step": self.step,
            "action": self.action,
            "expected": dict(self.expected),
            "actual": dict(self.actual),
            "error": self.error,
        }


@dataclass(frozen=True, slots=True)
class OutputChange:
    """A step that does as expected in both versions, yet not the same.

    Attributes:
        scenario, step, action: Which step.
        aspect: What differs.
        path: Where, as expectations write it: ``data.new_balance``, ``error``, ``observations[0].to``,
            ``bob.balance`` or ``shared.total``.
        kind: Whether something is other than it was, is there only now, or is there no more.
        old, new: The values; None, too, where there is none.
    """

    scenario: str
    step: str
    action: str
    aspect: Aspect
    path: str
    kind: ChangeKind
    old: object
    new: object

    def to_dict(self) -> dict[str, Any]:
        return {
            "scenario": self.scenario,
            "step": self.step,
            "action": self.action,
            "aspect": self.aspect,
            "path": self.path,
            "kind": self.kind,
            "old": self.old,
            "new": self.new,
        }


@dataclass(frozen=True, slots=True)
class InterfaceChange:
    """A difference in what callers and readers of the app rely on.

    Attributes:
        kind: What happened, e.g. ``parameter_added`` or ``constraint_tightened``.
        severity: ``breaking`` if calls, or reading what comes of them, may fail that did not; ``warning`` if
            they may come to something else; else ``compatible``.
        location: Where in the definition, e.g. ``actions.transfer.parameters.note``.
        message: The same in words.
        old, new: What the definitions say; None where they say nothing.
    """

    kind: str
    severity: Severity
    location: str
    message: str
    old: object
    new: object

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "severity": self.severity,
            "location": self.location,
            "message": self.message,
            "old": self.old,
            "new": self.new,
        }


@dataclass(frozen=True, slots=True)
class RegressionReport:
    """How a version of an app differs from an earlier one.

    Attributes:
        new_failures: Scenarios that passed and fail now.
        fixed_tests: Scenarios that failed and pass now.
        still_failing: Scenarios that fail in both.
        failures: What held and does not any more, scenario by scenario.
        output_changes: Steps that do as expected in both versions, yet not the same.
        output_changes_left_out: How many more there are; 0 but where there are very many.
        interface_changes: What differs for callers and readers, worst first.
        latency_change_pct: Percent, positive is slower: the geometric mean of the ratios of the actions'
            latencies; None where nothing was timed.
        throughput_change_pct: Percent, positive is faster; measured, not derived; None as above.
        timing: By action; empty where nothing was timed.
        not_timed: Actions that both versions have and that could not be compared in time.
        quality_score_delta: New minus old, in points of 100.
        dimension_changes: New minus old, by dimension; those that changed.
        not_compared: Scenarios that do not apply to both versions.
    """

    app_id: str
    old_version: int
    new_version: int
    new_failures: tuple[str, ...]
    fixed_tests: tuple[str, ...]
    still_failing: tuple[str, ...]
    failures: tuple[VersionFailure, ...]
    output_changes: tuple[OutputChange, ...]
    output_changes_left_out: int
    interface_changes: tuple[InterfaceChange, ...]
    latency_change_pct: float | None
    throughput_change_pct: float | None
    timing: tuple[ActionComparison, ...]
    not_timed: tuple[str, ...]
    quality_score_delta: float
    dimension_changes: Mapping[str, float]
    not_compared: tuple[str, ...]

    @property
    def is_breaking(self) -> bool:
        """Whether a scenario fails that passed."""
        return bool(self.new_failures)

    @property
    def breaks_interface(self) -> bool:
        """Whether a change of the interface may break callers, whatever the scenarios say."""
        return any(change.severity == "breaking" for change in self.interface_changes)

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed: no behaviour, interface or quality, and no timing significantly."""
        return not (
            self.new_failures
            or self.fixed_tests
            or self.failures
            or self.output_changes
            or self.interface_changes
            or self.quality_score_delta
            or self.dimension_changes
            or any(action.is_significant for action in self.timing)
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as plain JSON."""
        return {
            "app_id": self.app_id,
            "old_version": self.old_version,
            "new_version": self.new_version,
            "is_breaking": self.is_breaking,
            "is_empty": self.is_empty,
            "new_failures": list(self.new_failures),
            "fixed_tests": list(self.fixed_tests),
            "still_failing": list(self.still_failing),
            "failures": [failure.to_dict() for failure in self.failures],
            "output_changes": [change.to_dict() for change in self.output_changes],
            "output_changes_left_out": self.output_changes_left_out,
            "interface_changes": [change.to_dict() for change in self.interface_changes],
            "latency_change_pct": self.latency_change_pct,
            "throughput_change_pct": self.throughput_change_pct,
            "timing": [action.to_dict() for action in self.timing],
            "not_timed": list(self.not_timed),
            "quality_score_delta": self.quality_score_delta,
            "dimension_changes": dict(self.dimension_changes),
            "not_compared": list(self.not_compared),
        }
