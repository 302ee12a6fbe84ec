"""Recorded actions, for the agent ``replay``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from appeval_pipeline.agents.protocol import ToolCall
from appeval_pipeline.errors import TrajectoryError

MOST_ACTIONS = 1_000
MOST_BYTES = 5_000_000

EXPECTED = "expected a list of {action, params}, or a trajectory as `appeval agent --json` prints it"


class _Recorded(BaseModel):
    model_config = ConfigDict(extra="forbid")

    action: str
    params: dict[str, Any] = Field(default_factory=dict)


_Actions: TypeAdapter[list[_Recorded]] = TypeAdapter(
    Annotated[list[_Recorded], Field(max_length=MOST_ACTIONS)]
)


def read_actions(path: Path) -> tuple[ToolCall, ...]:
    """The calls that a file records, in order: a list of ``{action, params}``, or a trajectory.

    Of a trajectory the calls count; what else its agent said does not.

    Raises:
        TrajectoryError: The file cannot be read, or has no such thing.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES + 1)  # what says that it is empty may go on for ever
    except OSError as error:
        raise TrajectoryError(f"{path} cannot be read: {error.strerror}; {EXPECTED}") from error
    if len(text) > MOST_BYTES:
        raise TrajectoryError(f"{path} has more than {MOST_BYTES:,} bytes")
    try:
        document = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        raise TrajectoryError(f"{path} is neither YAML nor JSON; {EXPECTED}") from error
    try:
        recorded = _Actions.validate_python(_listed(document))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the document"
        raise TrajectoryError(f"{path}: {place}: {first['msg']}; {EXPECTED}") from None
    return tuple(ToolCall(one.action, one.params) for one in recorded)


def _listed(document: object) -> object:
    """A trajectory's calls as a list of actions; anything else as it is."""
    steps = document.get("steps") if isinstance(document, dict) else None
    if not isinstance(steps, list):
        return document
    actions = [step.get("action") for step in steps if isinstance(step, dict)]
    calls = [action for action in actions if isinstance(action, dict) and action.get("kind") == "tool_call"]
    return [{"action": call.get("name"), "params": call.get("arguments")} for call in calls]
