"""How much of tau-bench's ground truth gets through FastWorkflow? ``python -m benchmarks.fastworkflow``.

Takes the extra ``fastworkflow``; no key, no network. A model that knows the expected actions of each
task gives them as commands. What is missed then is missed by FastWorkflow's own reading of commands, and no
model can do better. It is measured with the parser alone, and where the model reads parameters that the
parser left, as FastWorkflow asks it to; with commands made from tau-bench's tools, and with those of
FastWorkflow's example.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

from rich.console import Console

from appeval_pipeline.agents import ToolCall, run_episode
from appeval_pipeline.agents.episode import Limits
from appeval_pipeline.agents.fastworkflow import FastWorkflowAgent, installed_version
from appeval_pipeline.taubench import ScriptedUser, TauEnvironment, TauSuite, TauTask, load_suite
from appeval_pipeline_tests.fastworkflow.knowing_model import solving
from benchmarks.measuring import machine

MADE, EXAMPLE = "fastworkflow", "fastworkflow-retail"
LIMITS = Limits(max_steps=100)


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of a task.

    Attributes:
        missed: Expected calls that did not arrive as they were given.
    """

    task: TauTask
    reward: float | None
    questions: int
    missed: tuple[ToolCall, ...]


async def try_task(suite: TauSuite, task: TauTask, as_in_the_example: bool, extracts: bool) -> Tried:
    """Carry out one task's expected actions."""
    model = solving(task)
    model.extracts = extracts
    environment = TauEnvironment(suite, task, ScriptedUser())
    trajectory = await run_episode(
        FastWorkflowAgent(model, as_in_the_example=as_in_the_example), environment, LIMITS
    )
    if trajectory.error is not None:
        raise RuntimeError(f"Task {task.id}: {trajectory.error}")
    arrived = [step.exchange.action for step in trajectory.steps]
    missed = tuple(call for call in task.actions if call not in arrived)
    return Tried(task, trajectory.reward, len(model.prompts), missed)


async def try_all(suite: TauSuite, as_in_the_example: bool, extracts: bool) -> list[Tried]:
    """Every task, one after the other."""
    return [await try_task(suite, task, as_in_the_example, extracts) for task in suite.tasks]


def show(console: Console, what: str, tried: list[Tried], elapsed_s: float) -> None:
    """The ceiling, and what is above it."""
    through = sum(one.reward == 1 for one in tried)
    questions = sum(one.questions for one in tried)
    line = f"{what}: {through} of {len(tried)} tasks ({elapsed_s:.0f} s, {questions} questions)"
    console.print(line, soft_wrap=True)
    for one in tried:
        if one.reward != 1 or one.missed:
            lost = "; ".join(f"{call.name} {dict(call.arguments)}" for call in one.missed)
            line = f"  task {one.task.id}, reward {one.reward}: missed {lost}"
            console.print(line, markup=False, soft_wrap=True)


def main() -> None:
    """Measure and print."""
    console = Console()
    console.print(f"FastWorkflow {installed_version()} on {machine()}")
    for domain, agent in (("retail", MADE), ("airline", MADE), ("retail", EXAMPLE)):
        suite = load_suite(domain, "test")
        for what, extracts in (("the parser alone", False), ("the model reads what it left", True)):
            began = time.perf_counter()
            tried = asyncio.run(try_all(suite, agent == EXAMPLE, extracts))
            show(console, f"{domain}, {agent}, {what}", tried, time.perf_counter() - began)


if __name__ == "__main__":
    main()
