"""A task, and a trial of it, told whole: what each action did, and why it is flagged or failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.taubench.faults import Explanation, expected_play
from appeval_pipeline.taubench.judging import FieldDifference, field_differences
from appeval_pipeline.taubench.playing import Play, Played, Written
from appeval_pipeline.taubench.records import ABSENT
from appeval_pipeline.taubench.suite import TauSuite
from appeval_pipeline.taubench.tasks import TauTask


@dataclass(frozen=True, slots=True)
class TaskDescription:
    """A task with what its expected actions do.

    Attributes:
        expected: The expected actions, done, but for those that end an episode.
        flags: Why it has each of its known issues, by name.
    """

    domain: str
    task: TauTask
    expected: Play
    flags: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "task_id": self.task.id,
            **self.task.to_dict(),
            "carried_out": [played_to_dict(played) for played in self.expected.calls],
            "flags": dict(self.flags),
        }


def describe_task(suite: TauSuite, task: TauTask) -> TaskDescription:
    """Carry out what a task expects, and say why it is flagged; a task of another suite has no flags."""
    expected = expected_play(suite, task)
    names = suite.flags(task).names if task in suite.tasks else ()
    return TaskDescription(
        suite.domain.name, task, expected, {name: _reason(name, suite, expected) for name in names}
    )


def _reason(flag: str, suite: TauSuite, expected: Play) -> str:
    if flag == "gold_error":
        refused = (
            f"expected action {played.place}, {played.call.name}, answers: {played.answer.content}"
            for played in expected.calls
            if played.answer.error_kind is not None and played.call.name in suite.writing_tools()
        )
        return "; ".join(refused)
    changes = "the expected actions change nothing"
    return changes if flag == "read_only" else f"{changes}, and nothing has to be said"


def changed_fields(written: Written) -> tuple[FieldDifference, ...]:
    """What changed in a record: as it was is ``expected``, as it then was is ``actual``."""
    return tuple(field_differences(written.before, written.after))


def played_to_dict(played: Played) -> dict[str, Any]:
    """A call and what it did, as plain JSON; a side of a change that is absent is left out."""
    return {
        "place": played.place,
        "name": played.call.name,
        "kwargs": dict(played.call.arguments),
        "answer": played.answer.content,
        "error_kind": played.answer.error_kind,
        "written": [
            {
                "table": one.key.table,
                "record": one.key.record,
                "fields": [_change_to_dict(field) for field in changed_fields(one)],
            }
            for one in played.written
        ],
    }


def _change_to_dict(field: FieldDifference) -> dict[str, Any]:
    sides = {"before": field.expected, "after": field.actual}
    return {"path": field.path} | {name: value for name, value in sides.items() if value is not ABSENT}


def trial_to_dict(trial: Explanation) -> dict[str, Any]:
    """A trial with its steps, the parts of its reward and its faults, as plain JSON."""
    made = {played.place: played for played in trial.made.calls}
    steps = []
    for step in trial.steps:
        told: dict[str, Any] = {"step": step.index, **step.action.to_dict(), "observation": step.answer}
        if isinstance(step.action, ToolCall):
            told["written"] = played_to_dict(made[step.index])["written"]
        steps.append(told)
    return {
        "trial": trial.result.trial,
        "reward": trial.result.reward,
        "error": trial.result.error,
        "end": trial.result.info.get("end"),
        "steps": steps,
        **trial.verdict.to_dict(),
        "faults": [fault.to_dict() for fault in trial.faults],
    }
