"""Results files in tau-bench's form: a JSON list of trials, ``{task_id, reward, info, traj, trial}`` each."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from appeval_pipeline.agents.protocol import JsonObject
from appeval_pipeline.errors import Fault, ResultsError
from appeval_pipeline.taubench.json_list import UnreadableError, json_items
from appeval_pipeline.taubench.writing import write_whole

MAX_BYTES: Final = 200_000_000
"""Of a results file; the largest published one has a tenth."""

SUCCESS: Final = 1 - 1e-6
"""The least reward that is a success, as in tau-bench."""

_MOST_FAULTS: Final = 20
"""That are told."""
_ENOUGH_FAULTS: Final = 1_000
"""After which the rest of a file is not looked at: it is of some other kind."""
_MOST_NAMED: Final = 10


@dataclass(frozen=True, slots=True)
class Spending:
    """What one side of a trial took of its model; None where that is not known, which is not 0."""

    cost_usd: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TauResult:
    """How a trial of a task ended.

    Attributes:
        task_id, trial: Which one, each from 0.
        reward: 0 to 1; None where the trial broke down through no fault of the agent's.
        error: How it broke down; None where it did not.
        agent, user: What their models took.
        info: As in tau-bench: the task, what the reward is made of, and so on; plain JSON.
        trajectory: The messages, with the keys ``role`` and ``content``, as tau-bench has them.
    """

    task_id: int
    trial: int
    reward: float | None
    error: str | None = None
    agent: Spending = Spending()
    user: Spending = Spending()
    info: JsonObject = field(default_factory=dict)
    trajectory: Sequence[JsonObject] = ()

    def __post_init__(self) -> None:
        if (self.reward is None) != (self.error is not None):
            raise ValueError("A trial has a reward, or an error that explains why it has none")

    @property
    def succeeded(self) -> bool:
        return self.reward is not None and self.reward >= SUCCESS

    @property
    def turns(self) -> int | None:
        """Actions of the agent, each with its answer; None where the file has no trajectory."""
        return sum(message.get("role") == "assistant" for message in self.trajectory) or None

    def to_record(self) -> dict[str, Any]:
        """The trial in tau-bench's form; one that broke down has reward 0 and ``info.error`` there."""
        info: dict[str, Any] = dict(self.info)
        if self.error is not None:
            info["error"] = self.error
        for side, spent in (("agent", self.agent), ("user", self.user)):
            if spent != Spending():
                info[f"{side}_cost"] = spent.cost_usd
                info[f"{side}_prompt_tokens"] = spent.prompt_tokens
                info[f"{side}_completion_tokens"] = spent.completion_tokens
        return {
            "task_id": self.task_id,
            "reward": 0.0 if self.reward is None else self.reward,
            "info": info,
            "traj": [dict(message) for message in self.trajectory],
            "trial": self.trial,
        }


@dataclass(frozen=True, slots=True)
class MissingTrials:
    """Trials that a task lacks.

    Attributes:
        task_id: The task.
        trials: The numbers of trials that other tasks have and this one has not.
    """

    task_id: int
    trials: tuple[int, ...]

    def __str__(self) -> str:
        return f"task {self.task_id} lacks {_trials(self.trials)}"


def missing_trials(
    results: Iterable[TauResult], task_ids: Collection[int] | None = None
) -> tuple[MissingTrials, ...]:
    """The trials that some task has and another lacks, by task.

    Args:
        task_ids: The tasks that there should be; those that have a result where None.
    """
    done: dict[int, set[int]] = {task: set() for task in task_ids or ()}
    for result in results:
        done.setdefault(result.task_id, set()).add(result.trial)
    wanted = set().union(*done.values())
    lacking = ((task, tuple(sorted(wanted - trials))) for task, trials in sorted(done.items()))
    return tuple(MissingTrials(task, trials) for task, trials in lacking if trials)


def refuse_missing(missing: Sequence[MissingTrials], path: Path, remedy: str) -> None:
    """Refuse a results file whose tasks lack trials.

    Raises:
        ResultsError: There are missing trials; ``remedy`` says what can be done.
    """
    by_trials: dict[tuple[int, ...], list[int]] = {}
    for one in missing:
        by_trials.setdefault(one.trials, []).append(one.task_id)
    faults = [
        Fault(
            "",
            (f"task {tasks[0]} lacks" if len(tasks) == 1 else f"tasks {_range(tasks)} lack")
            + f" {_trials(trials)}; {remedy}",
        )
        for trials, tasks in by_trials.items()
    ]
    if faults:
        raise ResultsError(_first(faults), str(path))


def read_results(path: Path, task_ids: Collection[int] | None = None) -> tuple[TauResult, ...]:
    """The trials of a results file, in the order of tasks and trials.

    A trial whose ``info`` has an ``error`` broke down; tau-bench gives it the reward 0, here it has none.
    Tasks may have different numbers of trials: `missing_trials` tells.

    Args:
        path: A file of UTF-8 JSON of at most `MAX_BYTES`; it is not trusted.
        task_ids: The tasks that there are; any where None.

    Raises:
        ResultsError: The file cannot be read, is no such list, was cut off, has a trial twice or one of an
            unknown task, or has values that cannot be.
    """
    source = str(path)
    text = _read_text(path)
    faults: list[Fault] = []
    results: dict[tuple[int, int], TauResult] = {}
    places: dict[tuple[int, int], int] = {}
    try:
        for place, (record, line) in enumerate(json_items(text)):
            if len(faults) >= _ENOUGH_FAULTS:
                break
            try:
                result = _result(record)
            except ValidationError as error:
                faults.extend(_faults(place, line, record, error))
                continue
            key = (result.task_id, result.trial)
            if key in results:
                told = f"task {key[0]}, trial {key[1]} is also at [{places[key]}]; each trial counts once"
                faults.append(Fault(f"[{place}]", told, line))
            if task_ids is not None and result.task_id not in task_ids:
                told = f"there is no task {result.task_id}; the tasks are {_range(task_ids)}"
                faults.append(Fault(f"[{place}].task_id", told, line))
            results.setdefault(key, result)
            places.setdefault(key, place)
    except UnreadableError as error:
        faults.insert(0, error.fault)
    if faults:
        raise ResultsError(_first(faults), source)
    if not results:
        raise ResultsError([Fault("", "It has no result: an empty list")], source)
    return tuple(results[key] for key in sorted(results))


def write_results(path: Path, results: Iterable[TauResult]) -> None:
    """Write trials in tau-bench's form, in the order of tasks and trials.

    The file is there as a whole or, after a crash, as it was before.

    Raises:
        OSError: It cannot be written.
        ValueError: A value is no JSON.
    """
    ordered = sorted(results, key=lambda result: (result.task_id, result.trial))
    text = json.dumps([result.to_record() for result in ordered], indent=2, allow_nan=False)
    write_whole(path, text + "\n")


def _first(faults: Sequence[Fault]) -> list[Fault]:
    more = len(faults) - _MOST_FAULTS
    return [
        *faults[:_MOST_FAULTS],
        *([Fault("", f"and {_at_least(len(faults))}{more} more")] if more > 0 else []),
    ]


def _at_least(faults: int) -> str:
    return "at least " if faults >= _ENOUGH_FAULTS else ""


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise UnreadableError(f"It is larger than {MAX_BYTES:,} bytes")
        text = content.decode("utf-8-sig")
    except UnreadableError as error:
        raise ResultsError([error.fault], str(path)) from None
    except OSError as error:
        raise ResultsError([Fault("", f"It cannot be read: {error.strerror}")], str(path)) from None
    except UnicodeDecodeError as error:
        raise ResultsError([Fault("", f"It is not UTF-8 (byte {error.start})")], str(path)) from None
    if not text.strip():
        raise ResultsError([Fault("", "It is empty; expected a JSON list of results")], str(path))
    return text


def _faults(place: int, line: int, record: object, error: ValidationError) -> Iterator[Fault]:
    trial = ""
    if isinstance(record, dict):
        named = (("task", "task_id"), ("trial", "trial"))
        known = [f"{name} {record[key]}" for name, key in named if _is_id(record, key)]
        trial = f"{', '.join(known)}: " if known else ""
    for one in error.errors(include_url=False):
        told = "expected an object" if one["type"] == "model_type" else one["msg"]
        inner = "".join(f".{str(part)[:60]}" for part in one["loc"])
        yield Fault(f"[{place}]{inner}", f"{trial}{told.removeprefix('Value error, ')}", line)


def _is_id(record: dict[object, object], key: str) -> bool:
    value = record.get(key)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63


def _range(task_ids: Collection[int]) -> str:
    ids = sorted(task_ids)
    if len(ids) > 1 and ids[-1] - ids[0] == len(ids) - 1:
        return f"{ids[0]} to {ids[-1]}"
    return _listed(ids)


def _trials(trials: Sequence[int]) -> str:
    return f"trial {trials[0]}" if len(trials) == 1 else f"the trials {_listed(trials)}"


def _listed(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_MOST_NAMED]))
    return f"{shown} and {len(numbers) - _MOST_NAMED} more" if len(numbers) > _MOST_NAMED else shown


_Id = Annotated[int, Field(strict=True, ge=0, lt=2**31)]
_Count = Annotated[int, Field(strict=True, ge=0, lt=2**63)]
_Cost = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]


class _Info(BaseModel):
    """What is read of ``info``; tau-bench itself writes ``user_cost`` and ``error``."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    error: str | None = None
    agent_cost: _Cost | None = None
    agent_prompt_tokens: _Count | None = None
    agent_completion_tokens: _Count | None = None
    user_cost: _Cost | None = None
    user_prompt_tokens: _Count | None = None
    user_completion_tokens: _Count | None = None


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    task_id: _Id
    trial: _Id
    reward: Annotated[float, Field(strict=True)] | None
    info: _Info = _Info()
    traj: list[dict[str, Any]] = Field(default_factory=list)

    @field_validator("reward")
    @classmethod
    def _is_share(cls, reward: float | None) -> float | None:
        if reward is not None and not (math.isfinite(reward) and 0 <= reward <= 2 - SUCCESS):
            raise ValueError(f"expected a number from 0 to 1, got {reward:g}")
        return reward

    @model_validator(mode="after")
    def _has_reward(self) -> _Record:
        if self.reward is None and self.info.error is None:
            raise ValueError("the reward is null, and info.error does not say why")
        return self


def _result(document: object) -> TauResult:
    record = _Record.model_validate(document)
    info = record.info
    raw: JsonObject = document.get("info", {}) if isinstance(document, dict) else {}
    broke_down = info.error is not None
    return TauResult(
        task_id=record.task_id,
        trial=record.trial,
        reward=None if broke_down or record.reward is None else min(1.0, record.reward),
        error=info.error,
        agent=Spending(info.agent_cost, info.agent_prompt_tokens, info.agent_completion_tokens),
        user=Spending(info.user_cost, info.user_prompt_tokens, info.user_completion_tokens),
        info=raw,
        trajectory=tuple(record.traj),
    )
