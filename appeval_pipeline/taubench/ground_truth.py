"""What a task's expected actions make of the database, and what is known of the task by that."""

from __future__ import annotations

from dataclasses import dataclass

from appeval_pipeline.taubench.domain import TauDomain
from appeval_pipeline.taubench.judging import judge
from appeval_pipeline.taubench.records import Changes
from appeval_pipeline.taubench.tasks import TauTask
from appeval_pipeline.taubench.toolset import TERMINATING, Answer


@dataclass(frozen=True, slots=True)
class Replayed:
    """One expected action, done.

    Attributes:
        tool: Which tool.
        answer: What it said.
        wrote: Whether it changed the database.
    """

    tool: str
    answer: Answer
    wrote: bool


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The expected actions, replayed on a fresh database.

    Attributes:
        replayed: Each of them; those that end an episode are not called, as in tau-bench.
        changes: What must be the case in the end.
    """

    replayed: tuple[Replayed, ...]
    changes: Changes


def replay(domain: TauDomain, task: TauTask) -> GroundTruth:
    """Do what a task expects."""
    episode = domain.database.open()
    replayed = []
    for call in task.actions:
        if call.name not in TERMINATING:
            answer = domain.toolset.call(episode.data, call)
            replayed.append(Replayed(call.name, answer, bool(episode.take_written())))
    return GroundTruth(tuple(replayed), episode.changes())


@dataclass(frozen=True, slots=True)
class TaskFlags:
    """Known issues of a task.

    Attributes:
        null_passable: An agent that does nothing gets reward 1.
        gold_error: An expected action that is to change the database is refused.
        read_only: The expected actions change nothing.
    """

    null_passable: bool
    gold_error: bool
    read_only: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are set."""
        flags = {
            "null_passable": self.null_passable,
            "gold_error": self.gold_error,
            "read_only": self.read_only,
        }
        return tuple(name for name, is_set in flags.items() if is_set)


def flags_of(
    domain: TauDomain, task: TauTask, truth: GroundTruth, writing_tools: frozenset[str]
) -> TaskFlags:
    """What running a task's expected actions, and doing nothing, tells of it.

    Args:
        writing_tools: The tools that can change the database.
    """
    nothing_done = judge(domain.database, truth.changes, {}, task.outputs, ())
    return TaskFlags(
        null_passable=nothing_done.reward == 1,
        gold_error=any(
            done.answer.error_kind is not None and done.tool in writing_tools for done in truth.replayed
        ),
        read_only=not truth.changes,
    )
