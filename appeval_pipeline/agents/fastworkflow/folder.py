"""Workflow folders made from tools: each tool becomes a command that acts through the environment."""

from __future__ import annotations

import hashlib
import json
import keyword
import logging
import re
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from appeval_pipeline.agents.fastworkflow.library import load_fastworkflow
from appeval_pipeline.agents.protocol import Tool
from appeval_pipeline.errors import SettingsError

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_TAKEN: Final = frozenset(
    (
        "abort",
        "go_up",
        "reset_context",
        "what_can_i_do",
        "what_is_current_context",
        "wildcard",
        "you_misunderstood",
    )
)
"""Commands of FastWorkflow's own."""

_EXAMPLE: Final = "fastworkflow.examples.retail_workflow._commands"

_COMMAND: Final = '''"""Made from a tool; see appeval_pipeline.agents.fastworkflow.folder."""

from appeval_pipeline.agents.fastworkflow.commands import generator_of, signature_of

Signature = signature_of(__file__)
ResponseGenerator = generator_of(__file__)
'''
_EXAMPLE_COMMAND: Final = f'''"""Made from a tool; see appeval_pipeline.agents.fastworkflow.folder."""

from {_EXAMPLE}.NAME import Signature

from appeval_pipeline.agents.fastworkflow.commands import generator_of

ResponseGenerator = generator_of(__file__)
'''

logger = logging.getLogger(__name__)

_making: Final = threading.Lock()
_made: Final[dict[str, tempfile.TemporaryDirectory[str]]] = {}
"""By the tools' hash; deleted when the process ends, for FastWorkflow keeps what it read of a folder."""


def known_to_the_example(tools: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools that FastWorkflow's example ``retail_workflow`` has commands for; the others are logged."""
    package = Path(str(load_fastworkflow().__file__)).parent
    commands = package.joinpath(*_EXAMPLE.split(".")[1:])
    known = tuple(tool for tool in tools if (commands / f"{tool.name}.py").is_file())
    _log_lacking(tuple(tool.name for tool in tools if tool not in known))
    return known


@cache
def _log_lacking(names: tuple[str, ...]) -> None:
    """Once a process, and not at each trial."""
    if names:
        logger.warning("FastWorkflow's example retail_workflow has no command for: %s", ", ".join(names))


def folder_of(tools: Sequence[Tool], *, as_in_the_example: bool = False) -> Path:
    """The workflow folder of these tools, read by FastWorkflow.

    Its commands lie in a context that is named by the tools' hash: FastWorkflow keeps classes of commands by
    context and name for the whole process, and two apps may have an action of the same name.

    Args:
        as_in_the_example: Whether commands are described, and their parameters checked, as in FastWorkflow's
            example of the same names.

    Raises:
        SettingsError: There is no tool, or one cannot be a command.
    """
    if not tools:
        raise SettingsError("There is no tool that FastWorkflow has as a command")
    if faults := [fault for tool in tools for fault in _faults(tool)]:
        raise SettingsError("FastWorkflow cannot have these tools as commands: " + "; ".join(faults))
    described = "\n".join([str(as_in_the_example), *map(_description, tools)])
    digest = hashlib.sha256(described.encode()).hexdigest()[:16]
    with _making:
        made = _made.get(digest) or tempfile.TemporaryDirectory(prefix="appeval-fastworkflow-")
        folder = Path(made.name).resolve() / f"workflow_{digest}"
        if digest not in _made:
            command = _EXAMPLE_COMMAND if as_in_the_example else _COMMAND
            _write(folder / "_commands", f"Tools_{digest}", tools, command)
            load_fastworkflow().RoutingRegistry.get_definition(str(folder))
            _made[digest] = made
    return folder


def _write(commands: Path, context: str, tools: Sequence[Tool], command: str) -> None:
    (commands / context).mkdir(parents=True)
    (commands / "context_inheritance_model.json").write_text("{}", encoding="utf-8")
    for tool in tools:
        path = commands / context / f"{tool.name}.py"
        path.with_suffix(".json").write_text(_description(tool), encoding="utf-8")
        path.write_text(command.replace("NAME", tool.name), encoding="utf-8")


def _description(tool: Tool) -> str:
    return json.dumps(tool.to_dict()["function"])


def _faults(tool: Tool) -> list[str]:
    """Why a tool cannot be a command; a call of one that is left out would be taken for one of another."""
    if not _NAME.fullmatch(tool.name) or keyword.iskeyword(tool.name):
        return [f"'{tool.name}' (expected a name of small letters, digits and '_')"]
    if tool.name in _TAKEN:
        return [f"'{tool.name}' (FastWorkflow has a command of that name)"]
    names = tool.parameters.get("properties", {})
    return [
        f"'{tool.name}' (its parameter '{name}' cannot be a tag)"
        for name in names
        if not name.isidentifier() or name.startswith("_") or keyword.iskeyword(name)
    ]
