"""tau-bench's tasks: read, checked and selected."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from appeval_pipeline.agents import Tool, ToolCall
from appeval_pipeline.appdef.hashing import content_hash
from appeval_pipeline.errors import Fault, TauBenchError
from appeval_pipeline.taubench.arguments import argument_faults, nest_too_deeply


@dataclass(frozen=True, slots=True)
class TauTask:
    """One task.

    Attributes:
        id: Its place in the split, from 0, as tau-bench counts.
        user_id: Who the simulated user is.
        instruction: What the user wants, told to the simulated user only.
        actions: What solves it: the database must become what it becomes by these.
        outputs: What the agent has to say for it.
    """

    id: int
    user_id: str
    instruction: str
    actions: tuple[ToolCall, ...]
    outputs: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """In tau-bench's own form."""
        return {
            "user_id": self.user_id,
            "instruction": self.instruction,
            "actions": [{"name": call.name, "kwargs": dict(call.arguments)} for call in self.actions],
            "outputs": list(self.outputs),
        }


class _ActionData(BaseModel):
    model_config = ConfigDict(from_attributes=True, strict=True)
    name: str
    kwargs: dict[str, Any]

    @field_validator("kwargs", mode="before")
    @classmethod
    def _is_flat_enough(cls, kwargs: object) -> object:
        if nest_too_deeply(kwargs):
            raise ValueError("nests too deeply")
        return kwargs


class _TaskData(BaseModel):
    model_config = ConfigDict(from_attributes=True, strict=True)
    user_id: str
    instruction: str
    actions: list[_ActionData]
    outputs: list[str]


def read_tasks(
    given: Iterable[object], tools: Mapping[str, Tool]
) -> tuple[tuple[TauTask, ...], tuple[Fault, ...]]:
    """The tasks that can be used, and what is wrong with the others; those keep their ids for themselves.

    Args:
        given: tau-bench's task objects, or mappings of the same shape.
        tools: What their actions may call.
    """
    tasks: list[TauTask] = []
    faults: list[Fault] = []
    for number, one in enumerate(given):
        found = _read(number, one)
        wrong = list(_faults(found, tools)) if isinstance(found, TauTask) else found
        faults.extend(wrong)
        if isinstance(found, TauTask) and not wrong:
            tasks.append(found)
    return tuple(tasks), tuple(faults)


def _read(number: int, given: object) -> TauTask | list[Fault]:
    try:
        data = _TaskData.model_validate(given)
    except ValidationError as error:
        return [
            Fault(
                ".".join([f"tasks[{number}]", *map(str, fault["loc"])]),
                fault["msg"].removeprefix("Value error, "),
            )
            for fault in error.errors()
        ]
    # Copies, for tau-bench's own tools may change the arguments that they are given.
    actions = tuple(ToolCall(action.name, copy.deepcopy(action.kwargs)) for action in data.actions)
    return TauTask(number, data.user_id, data.instruction, actions, tuple(data.outputs))


def _faults(task: TauTask, tools: Mapping[str, Tool]) -> Iterator[Fault]:
    at = f"tasks[{task.id}]"
    if not task.instruction.strip():
        yield Fault(f"{at}.instruction", "is empty")
    for number, call in enumerate(task.actions):
        place = f"{at}.actions[{number}]"
        if call.name not in tools:
            yield Fault(f"{place}.name", f"no tool is called {call.name!r}; there are: {', '.join(tools)}")
        else:
            yield from argument_faults(tools[call.name], call.arguments, f"{place}.kwargs")


def hash_tasks(tasks: Iterable[TauTask]) -> str:
    """SHA-256 of the canonical JSON of the tasks, in hexadecimal: who has the same has the same tasks."""
    return content_hash([task.to_dict() for task in tasks])


_PART: Final = re.compile(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*")


def select_tasks(tasks: Sequence[TauTask], ids: str | None) -> tuple[TauTask, ...]:
    """Those that are asked for, in their own order.

    Args:
        ids: Ids and ranges, both ends included: ``1,2,3``, ``0-9`` or both; None for all.

    Raises:
        TauBenchError: Something else is given, or there is no such task.
    """
    if ids is None:
        return tuple(tasks)
    known = {task.id: task for task in tasks}
    wanted: set[int] = set()
    for part in ids.split(","):
        match = _PART.fullmatch(part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise TauBenchError(f"Task ids {ids!r}: {part!r} is no id and no range; expected 1,2,3 or 0-9")
        for end in (first, last):
            if end not in known:
                raise TauBenchError(
                    f"Task ids {ids!r}: there is no task {end}; expected {min(known)} to {max(known)}"
                    if known
                    else f"Task ids {ids!r}: there are no tasks"
                )
        wanted.update(range(first, last + 1))
    return tuple(task for task in tasks if task.id in wanted)
