"""Why a trial failed, from what it did and what was expected: no model is asked.

A trial that succeeded has no faults, however it came to it. Of one that failed, its calls are carried out
again, and what shows in the database at the end is traced to them; what was put right again is no fault.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from appeval_pipeline.agents import InvalidAction, Reply, ToolCall
from appeval_pipeline.agents.protocol import JsonObject
from appeval_pipeline.taubench.aligning import Alignment, Pairing, align, differing_arguments, same_call
from appeval_pipeline.taubench.judging import Verdict, judge
from appeval_pipeline.taubench.playing import Play, Played, play
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline.taubench.steps import TauStep, read_steps
from appeval_pipeline.taubench.suite import TauSuite
from appeval_pipeline.taubench.tasks import TauTask
from appeval_pipeline.taubench.toolset import TERMINATING
from appeval_pipeline.taubench.users import STOP

FaultKind = Literal[
    "infra_error",
    "invalid_action",
    "max_steps",
    "limit",
    "wrong_tool",
    "wrong_arguments",
    "missing_action",
    "extra_write",
    "wrong_order",
    "partial_completion",
    "missing_output",
]
FAULT_KINDS: Final[Mapping[FaultKind, str]] = {
    "infra_error": "The trial broke down through no fault of the agent's.",
    "invalid_action": "The trial ended because what the agent said was no action.",
    "max_steps": "The trial ran out of steps.",
    "limit": "The trial reached its limit of tokens, cost or time.",
    "wrong_tool": "Another tool was used on the record that was to be changed.",
    "wrong_arguments": "The expected tool was called with other arguments.",
    "missing_action": "An expected action was not done.",
    "extra_write": "The database was changed in a way that nobody expected.",
    "wrong_order": "All that was expected was done, in an order that comes to something else.",
    "partial_completion": "Some, but not all, of the expected changes were made.",
    "missing_output": "The agent did not say what it had to.",
}
"""What each kind means, in the order in which a trial's faults are told."""

_LIMITS: Final = ("token_limit", "cost_limit", "time_limit")
_UNTRACED: Final = frozenset({"think", "calculate"})
"""Tools that are expected as an example: other thoughts and sums do as well."""
_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class TauFault:
    """Something that made a trial fail.

    Attributes:
        step: Where it shows, from 0; None where it shows nowhere, as with something that was not done.
        detail: What it is, in words.
    """

    kind: FaultKind
    step: int | None
    detail: str

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "step": self.step, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Explanation:
    """A trial with what is behind its reward, found by carrying out its calls again.

    Attributes:
        expected: The expected actions, done; their places are those in ``task.actions``.
        made: The trial's calls, done; their places are those of the steps.
        verdict: What the database and the replies come to, however the trial ended.
        faults: Of a trial that failed; none where the file has no messages of it.
    """

    task: TauTask
    result: TauResult
    steps: tuple[TauStep, ...]
    expected: Play
    made: Play
    verdict: Verdict
    faults: tuple[TauFault, ...]


def find_faults(suite: TauSuite, task: TauTask, result: TauResult) -> tuple[TauFault, ...]:
    """Why a trial failed, in the order of `FAULT_KINDS`; nothing for one that succeeded.

    Args:
        suite: Of whose domain the task is.
        task: As it was when it was tried.
    """
    return () if result.succeeded else explain(suite, task, result).faults


def explain(suite: TauSuite, task: TauTask, result: TauResult) -> Explanation:
    """Carry out a trial's calls again, and hold them against the task."""
    steps = read_steps(result.trajectory)
    expected = expected_play(suite, task)
    made = play(
        suite.domain, ((step.index, step.action) for step in steps if isinstance(step.action, ToolCall))
    )
    replies = [step.action.content for step in steps if isinstance(step.action, Reply)]
    verdict = judge(suite.domain.database, expected.changes, made.changes, task.outputs, replies)
    explanation = Explanation(task, result, steps, expected, made, verdict, ())
    return replace(explanation, faults=tuple(sorted(_faults(explanation), key=_rank)))


def expected_play(suite: TauSuite, task: TauTask) -> Play:
    """Carry out what a task expects, but for what ends an episode: tau-bench does not call that either."""
    calls = ((place, call) for place, call in enumerate(task.actions) if call.name not in TERMINATING)
    return play(suite.domain, calls)


def _rank(fault: TauFault) -> tuple[int, int]:
    return list(FAULT_KINDS).index(fault.kind), -1 if fault.step is None else fault.step


def _faults(trial: Explanation) -> Iterator[TauFault]:
    result = trial.result
    last = trial.steps[-1].index if trial.steps else None
    if result.error is not None:
        yield TauFault("infra_error", last, _shortened(result.error.strip().partition("\n")[0]))
        return
    if result.succeeded or not result.trajectory:
        return
    yield from _end_faults(trial, last)
    differing = {difference.key for difference in trial.verdict.differences}
    if differing:
        yield from _write_faults(trial, align(trial.expected, trial.made, differing))
    for output, said in trial.verdict.outputs.items():
        if not said:
            yield TauFault("missing_output", None, f"{output!r} was not said")
    if not trial.expected.writes and not trial.verdict.outputs_found:
        yield from _reading_faults(trial)


def _end_faults(trial: Explanation, last: int | None) -> Iterator[TauFault]:
    end = trial.result.info.get("end")
    if end == "invalid_action":
        action = trial.steps[-1].action if trial.steps else None
        told = f"{action.reason}: {action.raw}" if isinstance(action, InvalidAction) else "It was no action"
        yield TauFault("invalid_action", last, _shortened(told))
    elif end == "max_steps" or (end is None and _is_unended(trial.steps)):
        yield TauFault("max_steps", last, f"{len(trial.steps)} steps, and nobody had ended it")
    elif end in _LIMITS:
        yield TauFault("limit", last, f"The trial reached its {end.replace('_', ' ')}")


def _is_unended(steps: Sequence[TauStep]) -> bool:
    """tau-bench's files do not tell why an episode ended; only running out of steps leaves it open."""
    if not steps:
        return False
    action, answer = steps[-1].action, steps[-1].answer
    by_transfer = isinstance(action, ToolCall) and action.name in TERMINATING
    return not by_transfer and answer is not None and STOP not in answer


def _write_faults(trial: Explanation, alignment: Alignment) -> Iterator[TauFault]:
    found = [fault for pairing in alignment.pairings for fault in _pairing_faults(pairing)]
    for call in alignment.extra:
        found.append(TauFault("extra_write", call.place, f"{_told(call)} was not expected"))
    yield from found
    if not found:
        places = [pairing.made.place for pairing in alignment.pairings if pairing.made]
        yield TauFault("wrong_order", max(places, default=None), _order(trial))
    done, wanted = alignment.done, alignment.needed
    if 0 < done < wanted:
        yield TauFault("partial_completion", None, f"{done} of {wanted} expected changes were made")


def _pairing_faults(pairing: Pairing) -> Iterator[TauFault]:
    expected, made = pairing.expected, pairing.made
    wanted = f"expected action {expected.place}, {_told(expected)},"
    if pairing.match == "nothing":
        yield TauFault("missing_action", None, f"{wanted} was not done")
    elif made is None or pairing.match in ("done", "no_need"):
        return
    elif pairing.match == "refused":
        told = f"{wanted} was called, but to no effect: {_shortened(made.answer.content)}"
        yield TauFault("missing_action", made.place, told)
    elif pairing.match == "other_tool":
        yield TauFault(
            "wrong_tool", made.place, f"{_told(made)} in place of {_told(expected)}{_failure(made)}"
        )
    else:
        told = f"{made.call.name}: {_argument_differences(expected.call.arguments, made.call.arguments)}"
        yield TauFault("wrong_arguments", made.place, f"{told}{_failure(made)}")


def _reading_faults(trial: Explanation) -> Iterator[TauFault]:
    """What was not looked up, where something was to be found out and nothing to be changed."""
    for expected in trial.expected.calls:
        if expected.call.name in _UNTRACED or any(same_call(expected, made) for made in trial.made.calls):
            continue
        told = f"expected action {expected.place}, {_told(expected)}, was not done"
        yield TauFault("missing_action", None, told)


def _order(trial: Explanation) -> str:
    records = ", ".join(f"{one.key.table} {one.key.record}" for one in trial.verdict.differences)
    return f"all expected changes were made, in an order that makes another record: {records}"


def _argument_differences(expected: JsonObject, actual: JsonObject) -> str:
    return "; ".join(_difference(name, expected, actual) for name in differing_arguments(expected, actual))


def _difference(name: str, expected: JsonObject, actual: JsonObject) -> str:
    if name not in actual:
        return f"{name} is missing, expected {_json(expected[name])}"
    if name not in expected:
        return f"{name} is {_json(actual[name])}, expected none"
    return f"{name} is {_json(actual[name])}, expected {_json(expected[name])}"


def _failure(made: Played) -> str:
    return f" (it answered {_shortened(made.answer.content)!r})" if made.answer.error_kind else ""


def _told(played: Played) -> str:
    return told_call(played.call)


def told_call(call: ToolCall) -> str:
    """A call as one would write it: ``cancel_pending_order(order_id="#W1")``; long arguments are cut."""
    arguments = ", ".join(f"{name}={_json(value)}" for name, value in call.arguments.items())
    return f"{call.name}({arguments})"


def _json(value: object) -> str:
    return _shortened(json.dumps(value, ensure_ascii=False))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
