"""How agents get on, as rows."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from appeval_pipeline.agent_plan import AgentPlan, PlannedAgent
from appeval_pipeline.agents import Limits
from appeval_pipeline.agents.journal import Journal
from appeval_pipeline.engine import Engine
from appeval_pipeline.errors import AppEvalError
from appeval_pipeline.evaluation import AgentEvaluation
from appeval_pipeline.evaluation.agents import EvaluationPlan, NamedAgent, TaskEvaluator, find_agent
from appeval_pipeline.evaluation.agents.local import LOCAL_AGENT, find_local_agent
from appeval_pipeline.local_model import reachable_or_serving
from appeval_pipeline.store.dependencies import AGENTS
from appeval_pipeline.store.recording.agent_rows import evaluation_row, missing_row, trial_rows
from appeval_pipeline.store.recording.boundary import ERROR, base_inputs, describe, evaluated_rows
from appeval_pipeline.store.results import StoredVersion
from appeval_pipeline.store.rows import AgentEvaluationRow, PartitionResult, Row
from appeval_pipeline.store.task_files import TaskFile

logger = logging.getLogger(__name__)

INVALID = "invalid"
LIMITS = Limits(max_invalid_actions=2, max_tokens=200_000, max_time_s=600.0)
"""Of a trial; its steps are limited by the task. Not its cost: an unknown price would limit nothing."""
TRIALS_AT_ONCE = 4
"""Of agents that ask a model, and so mostly wait."""


@dataclass(frozen=True, slots=True)
class Trying:
    """How the pipeline lets agents try tasks.

    Attributes:
        plan: Which agents, and how often.
        trials_dir: Where finished trials are kept until they are stored.
        find: Finds an agent by its name.
        finished: The journals of evaluations that finished; to be discarded once their results are stored.
    """

    plan: AgentPlan
    trials_dir: Path
    find: Callable[[str], NamedAgent] = find_agent
    finished: list[Journal] = field(default_factory=list)

    def discard_finished(self) -> None:
        """What they have is stored now."""
        for journal in self.finished:
            journal.discard()
        self.finished.clear()


@contextmanager
def finding_agents(local_model_url: str | None = None) -> Iterator[Callable[[str], NamedAgent]]:
    """Finds agents by their names; the local model, once one asks it, answers as long as the context lasts.

    Args:
        local_model_url: Where it answers; None to look at the default port, and else start it.
    """
    with ExitStack() as servers:
        urls: list[str] = []

        def find(name: str) -> NamedAgent:
            if name != LOCAL_AGENT:
                return find_agent(name)
            if not urls:
                urls.append(servers.enter_context(reachable_or_serving(local_model_url)))
            return find_local_agent(urls[0])

        yield find


def record_agents(stored: StoredVersion, files: Sequence[TaskFile], trying: Trying) -> PartitionResult:
    """Let each planned agent try each task: ``agent_evaluations``, ``agent_trials`` and ``agent_steps`` rows.

    An agent that cannot be asked (its key is missing, say) and a task that cannot be used have a row that
    says why, and cost the others nothing.
    """
    rows = evaluated_rows(
        stored,
        lambda engine: [row for file in files for row in _rows_of_task(engine, file, trying)],
        lambda status, error: [
            row for file in files for row in _missing(stored, file, trying, status, error)
        ],
    )
    inputs = (*base_inputs(stored, AGENTS, trying.plan), *(file.as_input() for file in files))
    return PartitionResult(stored.app_id, stored.version, tuple(rows), inputs)


def _missing(
    stored: StoredVersion, file: TaskFile, trying: Trying, status: str, error: str
) -> Iterator[AgentEvaluationRow]:
    for planned in trying.plan.agents:
        yield missing_row(stored.app_id, stored.version, file, planned.name, trying.plan.seed, status, error)


def _rows_of_task(engine: Engine, file: TaskFile, trying: Trying) -> Iterator[Row]:
    app_id, version = engine.app.app_id, engine.app.version or 1
    seed = trying.plan.seed

    def missing(agent: str, status: str, error: str) -> AgentEvaluationRow:
        return missing_row(app_id, version, file, agent, seed, status, error)

    if file.task is None:
        for planned in trying.plan.agents:
            yield missing(planned.name, INVALID, file.error or INVALID)
        return
    plan = EvaluationPlan(seed=seed, limits=LIMITS, max_concurrency=TRIALS_AT_ONCE)
    evaluator: TaskEvaluator | None = None
    for planned in trying.plan.agents:
        try:
            evaluator = evaluator or TaskEvaluator(engine, file.task, plan)
            agent = trying.find(planned.name)
            evaluation = _evaluate(evaluator, agent, planned, trying)
        except Exception as failure:
            foreseen = isinstance(failure, AppEvalError)
            logger.warning("%s: %s: %s", file.path, planned.name, failure, exc_info=not foreseen)
            yield missing(planned.name, ERROR, describe(failure))
            continue
        yield evaluation_row(file, file.task, evaluation, agent, seed)
        yield from trial_rows(file, evaluation, agent)


def _evaluate(
    evaluator: TaskEvaluator, agent: NamedAgent, planned: PlannedAgent, trying: Trying
) -> AgentEvaluation:
    """Try a task; an agent that costs time or money goes on where an interrupted evaluation was."""
    if not agent.is_costly:
        return asyncio.run(evaluator.evaluate(agent.choice, planned.trials))
    with Journal(trying.trials_dir, evaluator.configuration(dict(agent.identity))) as journal:
        evaluation = asyncio.run(evaluator.evaluate(agent.choice, planned.trials, journal))
    if not evaluation.infra_errors:
        trying.finished.append(journal)
    return evaluation
