"""A conversation with FastWorkflow, from the thread that it blocks."""

from __future__ import annotations

import importlib
import uuid
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from appeval_pipeline.agents.fastworkflow.bridge import Bridge
from appeval_pipeline.agents.fastworkflow.language_model import make_model
from appeval_pipeline.agents.fastworkflow.library import load_fastworkflow, model_of_thread
from appeval_pipeline.agents.protocol import Briefing, InvalidAction, Reply

BRIDGE: Final = "appeval_bridge"
"""Under which commands find the bridge in their workflow's context."""


def converse(bridge: Bridge, folder: Path, briefing: Briefing) -> None:
    """Take what the user says for FastWorkflow's next turn, and its answer for a reply, until it is ended.

    Args:
        folder: A workflow folder, with the commands.

    Raises:
        Ended: The episode is over.
        Exception: FastWorkflow broke down.
    """
    fastworkflow = load_fastworkflow()
    model_of_thread.set(make_model(bridge, briefing.policy))
    key = uuid.uuid4().hex
    workflow = fastworkflow.Workflow.create(
        str(folder), workflow_id_str=f"app_{key}", workflow_context={BRIDGE: bridge}
    )
    workflow.root_command_context = type(context_of(folder), (), {})()
    context = fastworkflow.WorkflowExecutionContext(run_as_agent=True, session_key=key)
    context.bind_app_workflow(workflow)
    dspy: ModuleType = importlib.import_module("dspy")
    try:
        # DSPy would keep ten thousand prompts of a process.
        with dspy.context(disable_history=True):
            heard = briefing.message
            while True:
                heard = bridge.act(_turn(context, heard)).content
    finally:
        context.close()
        workflow.close()


def context_of(folder: Path) -> str:
    """The name of the context that a folder's commands are in."""
    [commands] = [path for path in (folder / "_commands").iterdir() if path.is_dir() and path.name[0] != "_"]
    return commands.name


def _turn(context: Any, heard: str) -> Reply | InvalidAction:
    if context.workflow_tool_agent is not None and not context.awaiting_user:
        # It is never reset between turns, and when it comes to its maximum FastWorkflow stops for good.
        context.workflow_tool_agent.iteration_counter = 0
    exceptions: ModuleType = importlib.import_module("dspy.utils.exceptions")
    try:
        # A slash at the beginning would make it a command, past the agent.
        answer = str(context.process_turn(f" {heard}" if heard.startswith("/") else heard).answer or "")
    except exceptions.AdapterParseError as error:
        return InvalidAction("The answer does not have the fields that were asked for.", str(error)[:2_000])
    if not answer.strip():
        return InvalidAction("The answer to the user was empty.", answer)
    return Reply(answer)
