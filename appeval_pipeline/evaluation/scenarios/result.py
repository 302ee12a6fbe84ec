"""What came of running a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from appeval_pipeline.engine import TraceEvent


@dataclass(frozen=True, slots=True)
class StepFailure:
    """Where a step, the setup or an assertion did not come out as expected.

    ``expected`` and ``actual`` hold the parts that differ, by path.
    """

    step_name: str
    expected: dict[str, Any]
    actual: dict[str, Any]
    error: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "step_name": self.step_name,
            "expected": self.expected,
            "actual": self.actual,
            "error": self.error,
        }


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one step did, whether or not that was expected; ``duration_ms`` is measured.

    ``has_expectation`` tells whether the scenario says what to expect of the step, be it but ``success``.
    """

    name: str
    index: int
    agent: str
    action: str
    params: dict[str, Any]
    has_expectation: bool
    passed: bool
    success: bool
    data: dict[str, Any] | None
    error: str | None
    error_kind: str | None
    state_diff: dict[str, dict[str, Any]]
    observations: list[dict[str, Any]]
    trace: tuple[TraceEvent, ...]
    duration_ms: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "index": self.index,
            "agent": self.agent,
            "action": self.action,
            "params": self.params,
            "has_expectation": self.has_expectation,
            "passed": self.passed,
            "success": self.success,
            "data": self.data,
            "error": self.error,
            "error_kind": self.error_kind,
            "state_diff": self.state_diff,
            "observations": self.observations,
            "trace": [event._asdict() for event in self.trace],
            "duration_ms": self.duration_ms,
        }


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """The outcome of a scenario.

    Attributes:
        passed: Whether every step and every assertion held.
        steps_passed: Steps that met their expectations.
        steps_total: Steps of the scenario, whether or not they were reached.
        failures: Everything that did not come out as expected, in order.
        steps: Every step that ran.
    """

    scenario_name: str
    passed: bool
    steps_passed: int
    steps_total: int
    failures: tuple[StepFailure, ...]
    steps: tuple[StepResult, ...]

    @property
    def partial_credit(self) -> float:
        """Steps passed / steps in all, 0..1."""
        return self.steps_passed / self.steps_total

    @property
    def duration_ms(self) -> float:
        """Measured time of all actions, in milliseconds."""
        return sum(step.duration_ms for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        return {
            "scenario_name": self.scenario_name,
            "passed": self.passed,
            "steps_passed": self.steps_passed,
            "steps_total": self.steps_total,
            "partial_credit": self.partial_credit,
            "failures": [failure.to_dict() for failure in self.failures],
            "duration_ms": self.duration_ms,
            "steps": [step.to_dict() for step in self.steps],
        }
