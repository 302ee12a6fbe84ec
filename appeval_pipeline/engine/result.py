"""What an action did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

ErrorKind = Literal[
    "parameters",
    "validation",
    "logic",
    "expression",
    "limit",
    "access",
    "unknown_action",
    "unknown_agent",
]


class TraceEvent(NamedTuple):
    """A block that ran, and which way it went.

    ``outcome`` is ``pass`` or ``fail`` (validate), ``then`` or ``else`` (branch), ``0`` or ``1+`` (loop),
    ``return``, ``error``, or ``run`` (update, notify).
    """

    block: str
    outcome: str


class ActionResult:
    """The outcome of one action.

    Attributes:
        success: Whether it succeeded; if not, state and observations are as they were.
        data: What it returned, on success; else None.
        error: The message, on failure; else None.
        error_kind: What kind of failure; else None.
        error_at: Where in the definition it failed, e.g. ``actions.transfer.logic[2].value``, if known.
        observations: What agents were told: dicts of app_id, agent_id, message and data.
        observations_dropped: Observations beyond the limit of 100 an action.
        trace: The blocks that ran, where tracing was on; else empty.
        duration_ms: Measured time, in milliseconds; the one thing that differs between equal runs.
        deterministic: False if the wall clock ended the action.
    """

    __slots__ = (
        "_make_state",
        "_state",
        "data",
        "deterministic",
        "duration_ms",
        "error",
        "error_at",
        "error_kind",
        "observations",
        "observations_dropped",
        "success",
        "trace",
    )

    def __init__(
        self,
        success: bool,
        data: dict[str, Any] | None,
        error: str | None,
        error_kind: ErrorKind | None,
        observations: list[dict[str, Any]],
        trace: list[TraceEvent],
        make_state: Callable[[], dict[str, Any]],
    ) -> None:
        self.success = success
        self.data = data
        self.error = error
        self.error_kind = error_kind
        self.error_at: str | None = None
        self.observations = observations
        self.observations_dropped = 0
        self.trace = trace
        self.duration_ms = 0.0
        self.deterministic = True
        self._make_state = make_state
        self._state: dict[str, Any] | None = None

    @property
    def state_after(self) -> dict[str, Any]:
        """The whole state after the action, a copy made when first asked for."""
        if self._state is None:
            self._state = self._make_state()
        return self._state

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON."""
        return {
            "success": self.success,
            "data": self.data,
            "error": self.error,
            "error_kind": self.error_kind,
            "error_at": self.error_at,
            "state_after": self.state_after,
            "observations": self.observations,
            "observations_dropped": self.observations_dropped,
            "trace": [event._asdict() for event in self.trace],
            "duration_ms": self.duration_ms,
            "deterministic": self.deterministic,
        }

    def __repr__(self) -> str:
        outcome = f"data={self.data!r}" if self.success else f"{self.error_kind}: {self.error}"
        return f"<ActionResult {outcome}>"
