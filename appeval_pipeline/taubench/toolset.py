"""tau-bench's tools, called as its environment calls them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from appeval_pipeline.agents import Tool, ToolCall
from appeval_pipeline.agents.handing import apart

RESPOND: Final = "respond"
"""The action by which tau-bench's agents speak to the user; its argument is ``content``."""
TERMINATING: Final = frozenset({"transfer_to_human_agents"})
"""Tools that end an episode, however they answer; the environment of each of tau-bench's domains says so."""


_EXPONENT: Final = re.compile(r"\s*[-+]?\s*\d{1,3}(\.\d*)?(?![\d(])")
_LONGEST_POWER: Final = 200


class ToolClass(Protocol):
    """How tau-bench writes a tool."""

    @staticmethod
    def get_info() -> dict[str, Any]:
        """The tool as function calling APIs take it."""

    @staticmethod
    def invoke(*, data: dict[str, dict[str, Any]], **arguments: Any) -> object:
        """Do it, in place."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool said.

    Attributes:
        content: As the agent gets it.
        error_kind: ``unknown_tool``; ``refused`` where the tool says no; ``tool_error`` where it broke down;
            None where it did what it was asked.
    """

    content: str
    error_kind: str | None = None


class Toolset:
    """A domain's tools by name."""

    def __init__(self, classes: Iterable[ToolClass]) -> None:
        self._classes = {_tool(tool).name: tool for tool in classes}
        self.tools: Mapping[str, Tool] = {name: _tool(tool) for name, tool in self._classes.items()}

    def call(self, data: dict[str, dict[str, Any]], call: ToolCall) -> Answer:
        """Call a tool on the data, which it may change; this is the boundary of a step, and never fails.

        The tool gets copies of the arguments: some tools make them parts of records, and change those later.
        """
        tool = self._classes.get(call.name)
        if tool is None:
            return Answer(f"Unknown action {call.name}", "unknown_tool")
        if call.name == "calculate" and not _can_be_calculated(call.arguments.get("expression")):
            return Answer("Error: the expression is too large to calculate", "tool_error")
        try:
            said = tool.invoke(data=data, **apart(dict(call.arguments)))
        except Exception as failure:  # noqa: BLE001 - the agent is told, as tau-bench tells it
            return Answer(f"Error: {failure}", "tool_error")
        if not isinstance(said, str):  # tau-bench breaks down here; no tool of its own tasks comes to it
            return Answer(f"Error: {call.name} gave no answer", "tool_error")
        return Answer(said, "refused" if said.startswith("Error") else None)


def _can_be_calculated(expression: object) -> bool:
    """Whether ``eval`` comes to an end: 9**9**9 would hold up every other trial, and no time limit helps."""
    if not isinstance(expression, str) or "**" not in expression:
        return True
    _, *exponents = expression.split("**")
    return len(expression) <= _LONGEST_POWER and len(exponents) == 1 and bool(_EXPONENT.match(exponents[0]))


def _tool(tool: ToolClass) -> Tool:
    function = tool.get_info()["function"]
    return Tool(function["name"], function.get("description", ""), function["parameters"])
