"""What was executed: the blocks, arms and paths that the evidence shows.

Evidence is what ran: results of scenarios, of their steps or of single actions, or bare traces. A result
says more than its trace does: whether the call was refused before its logic began, and whether an expression
or a limit broke it off. A bare trace counts as having come to its end if one is possible where it stops.
Whether a scenario's expectations held makes no difference: what ran, ran.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from appeval_pipeline.engine import ActionResult, TraceEvent
from appeval_pipeline.errors import TraceError
from appeval_pipeline.evaluation.coverage.graph import Arm, FlowGraph
from appeval_pipeline.evaluation.coverage.path_following import covered_paths
from appeval_pipeline.evaluation.scenarios import ScenarioResult, StepResult

Evidence: TypeAlias = ScenarioResult | StepResult | ActionResult | Iterable[TraceEvent]

Ending = Literal["refused", "broken_off", "ended"]

_ENDINGS: Final[dict[str | None, Ending]] = {
    "access": "refused",
    "unknown_agent": "refused",
    "parameters": "refused",
    "expression": "broken_off",
    "limit": "broken_off",
}
"""How calls end, by kind of error; others end where the logic says."""


@dataclass(slots=True)
class ExecutedAction:
    """What ran of one action; ``paths`` are numbers of `FlowGraph`, of which no more are kept than count."""

    calls: int = 0
    refused_calls: int = 0
    blocks: set[str] = field(default_factory=set)
    arms: set[Arm] = field(default_factory=set)
    paths: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Call:
    action: str
    trace: tuple[TraceEvent, ...]
    ending: Ending


def executed_actions(
    graphs: Mapping[str, FlowGraph], evidence: Iterable[Evidence], max_paths: int
) -> dict[str, ExecutedAction]:
    """What ``evidence`` shows of each action of ``graphs``.

    Raises:
        TraceError: A trace is of another app, or of more than one action.
    """
    executed = {name: ExecutedAction() for name in graphs}
    known: set[_Call] = set()
    for piece in evidence:
        for call in _calls(piece):
            if call.action not in graphs:
                if call.trace:
                    raise TraceError(f"'{call.trace[0].block}' is no block of this app")
                continue
            done = executed[call.action]
            if call.ending == "refused":
                done.refused_calls += 1
                continue
            done.calls += 1
            if call not in known:
                known.add(call)
                _record(graphs[call.action], call, done, max_paths)
    return executed


def _calls(piece: Evidence) -> Iterator[_Call]:
    match piece:
        case ScenarioResult():
            for step in piece.steps:
                yield from _calls(step)
        case StepResult():
            yield _Call(piece.action, piece.trace, _ENDINGS.get(piece.error_kind, "ended"))
        case ActionResult():
            yield from _traced(piece.trace, _ENDINGS.get(piece.error_kind, "ended"))
        case _:
            yield from _traced(piece, "ended")


def _traced(events: Iterable[TraceEvent], ending: Ending) -> Iterator[_Call]:
    """The call that a trace is of; an empty one does not tell."""
    trace = tuple(events)
    if trace:
        yield _Call(trace[0].block.partition(".")[0], trace, ending)


def _record(graph: FlowGraph, call: _Call, done: ExecutedAction, max_paths: int) -> None:
    for block, outcome in call.trace:
        if (block, outcome) not in graph.numbers:
            raise TraceError(
                f"'{outcome}' of '{block}', in a trace of '{call.action}', is nothing that this app's "
                f"action '{call.action}' can do"
            )
        done.blocks.add(block)
        if graph.nodes[block].arms:
            done.arms.add(Arm(block, outcome))
    if call.ending == "ended" and len(done.paths) < max_paths:
        done.paths |= covered_paths(graph, call.trace, max_paths)
