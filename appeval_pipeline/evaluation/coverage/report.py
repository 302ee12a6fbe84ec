"""What an analysis of coverage gives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

JsonObject = dict[str, Any]

Reason = Literal["never_called", "always_refused", "arm_never_taken", "always_breaks_off", "unreachable"]
"""Why something was not covered.

* ``never_called``: the action was not called.
* ``always_refused``: it was called; parameters, agent or access kept every call from its logic.
* ``arm_never_taken``: a block decided, never this way.
* ``always_breaks_off``: an expression or a limit failed on the way there, each time.
* ``unreachable``: no run can come there, for the action ends before; no fault of the suite.
"""


@dataclass(frozen=True, slots=True)
class Gap:
    """An action, a block or an arm that was not covered, and why.

    Attributes:
        location: The action's name or the block's id, e.g. ``transfer.logic[1]``.
        arm: The arm that was not taken: ``pass``, ``fail``, ``then``, ``else``, ``0`` or ``1+``; None where
            the gap is an action or a block.
        reason: Why.
        cause: Where the reason lies: ``location`` itself, or what kept every run from coming to it.
        message: The same in words.
        recommendation: What would close the gap, or the gap before it.
    """

    location: str
    arm: str | None
    reason: Reason
    cause: str
    message: str
    recommendation: str

    def to_dict(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ActionCoverage:
    """The counts of one action.

    Attributes:
        calls: Calls that came to its logic.
        refused_calls: Calls that did not; known from results only, not from traces.
        blocks_covered, blocks_total: Blocks that ran, of those that some path leads to.
        branches_covered, branches_total: Arms taken, of those of the same blocks.
        paths_covered: Paths taken; where they are capped, at most as many as count.
        paths_total: Paths that there are, counted up to 2^53 - 1.
        paths_capped: Whether there are more than count (10,000).
    """

    action: str
    calls: int
    refused_calls: int
    blocks_covered: int
    blocks_total: int
    branches_covered: int
    branches_total: int
    paths_covered: int
    paths_total: int
    paths_capped: bool

    def to_dict(self) -> JsonObject:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """How much of an app's logic ran. Coverages are percentages, 100 where there is nothing to cover.

    Attributes:
        app_id, version: Which definition; the version is None where the definition does not say.
        action_coverage: Share of the actions whose logic was entered.
        block_coverage: Share of the reachable blocks that ran.
        branch_coverage: Share of the arms taken: both of each branch, pass and fail of each validate, zero
            and some of each loop, at every depth.
        path_coverage: Share of the paths taken. An action with more than 10,000 counts as having 10,000,
            any of them.
        uncovered_actions, uncovered_blocks, uncovered_branches: What is missing, in the order of the
            definition. Blocks that no path leads to are listed among the blocks, but count in no percentage;
            their arms are not listed.
        paths_total: Paths of all actions together, counted up to 2^53 - 1, which is what every reader of
            JSON holds exactly.
        paths_capped: Whether some action has more than 10,000.
        recommendations: What to do about the gaps, each once, in the order of the definition.
        actions: The counts behind the percentages, action by action.
    """

    app_id: str
    version: int | None
    action_coverage: float
    block_coverage: float
    branch_coverage: float
    path_coverage: float
    uncovered_actions: tuple[Gap, ...]
    uncovered_blocks: tuple[Gap, ...]
    uncovered_branches: tuple[Gap, ...]
    paths_total: int
    paths_capped: bool
    recommendations: tuple[str, ...]
    actions: tuple[ActionCoverage, ...]

    def to_dict(self) -> JsonObject:
        """The report as plain JSON."""
        return {
            "app_id": self.app_id,
            "version": self.version,
            "action_coverage": self.action_coverage,
            "block_coverage": self.block_coverage,
            "branch_coverage": self.branch_coverage,
            "path_coverage": self.path_coverage,
            "uncovered_actions": [gap.to_dict() for gap in self.uncovered_actions],
            "uncovered_blocks": [gap.to_dict() for gap in self.uncovered_blocks],
            "uncovered_branches": [gap.to_dict() for gap in self.uncovered_branches],
            "paths_total": self.paths_total,
            "paths_capped": self.paths_capped,
            "recommendations": list(self.recommendations),
            "actions": [action.to_dict() for action in self.actions],
        }
