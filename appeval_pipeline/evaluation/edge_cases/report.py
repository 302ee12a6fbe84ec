"""What an analysis of edge cases gives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from appeval_pipeline.engine.result import ErrorKind

JsonObject = dict[str, Any]

Kind = Literal[
    "unknown_action",
    "unknown_agent",
    "no_access",
    "unknown_parameter",
    "required_missing",
    "null",
    "wrong_type",
    "below_min",
    "at_min",
    "above_min",
    "below_max",
    "at_max",
    "above_max",
    "below_min_length",
    "at_min_length",
    "above_min_length",
    "below_max_length",
    "at_max_length",
    "above_max_length",
    "empty_string",
    "over_long_string",
    "pattern_violation",
    "enum_violation",
    "validate_fails",
]
"""What is at the edge.

``at_`` a bound is the bound exactly; ``below_`` and ``above_`` are just beside it: by 1 where it is a whole
number or a length, else by 0.01. ``over_long_string`` is any text beyond its greatest length.
"""

Expected = Literal["accepted"] | ErrorKind
Outcome = Literal["success"] | ErrorKind

_OWN_ANSWERS = ("success", "validation", "logic")


@dataclass(frozen=True, slots=True)
class EdgeCase:
    """A kind of call at the edge of what an action takes, and one such call.

    Attributes:
        action: The action called; for ``unknown_action``, a name that no action has.
        kind: What is at the edge.
        parameter: The parameter that it is about; for ``validate_fails`` the id of the block, e.g.
            ``transfer.logic[1]``; None where it is about neither.
        call: The call that was made: ``agent``, ``action``, ``params``. Where it needs more than the initial
            state, ``before`` lists the calls made before it, and ``state`` the fields that were then set, by
            path.
        expected: ``accepted``, if the input is valid: the action then succeeds or fails as its logic says;
            else the kind of error that has to refuse it.
        outcome: ``success``, or the kind of error that came.
        covered_by: The scenario steps that meet the case and say what they expect, each once.
    """

    action: str
    kind: Kind
    parameter: str | None
    call: JsonObject
    expected: Expected
    outcome: Outcome
    covered_by: tuple[str, ...]

    @property
    def is_robust(self) -> bool:
        """Whether invalid input was refused as it should be, or valid input came to an end of the logic."""
        if self.expected == "accepted":
            return self.outcome in _OWN_ANSWERS
        return self.outcome == self.expected

    def to_dict(self) -> JsonObject:
        return {**asdict(self), "covered_by": list(self.covered_by)}


@dataclass(frozen=True, slots=True)
class UnsolvedCase:
    """A case for which no input was found; it counts in no share."""

    action: str
    kind: Kind
    parameter: str | None
    message: str

    def to_dict(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class EdgeCaseReport:
    """The edge cases of an app.

    Attributes:
        app_id, version: Which definition; the version is None where the definition does not say.
        edge_case_coverage: Percentage of the cases that some scenario step meets with an expectation.
        edge_case_robustness: Percentage of the cases that behave when they are run.
        cases: Every case, in the order of the definition.
        unsolved: Failing arms, and values, for which no input was found: listed, not counted.
        capped: Whether the search, or the cases, came to the end of their budget: there may be more.
    """

    app_id: str
    version: int | None
    edge_case_coverage: float
    edge_case_robustness: float
    cases: tuple[EdgeCase, ...]
    unsolved: tuple[UnsolvedCase, ...]
    capped: bool

    def to_dict(self) -> JsonObject:
        """The report as plain JSON."""
        return {
            "app_id": self.app_id,
            "version": self.version,
            "edge_case_coverage": self.edge_case_coverage,
            "edge_case_robustness": self.edge_case_robustness,
            "cases": [case.to_dict() for case in self.cases],
            "unsolved": [case.to_dict() for case in self.unsolved],
            "capped": self.capped,
        }
