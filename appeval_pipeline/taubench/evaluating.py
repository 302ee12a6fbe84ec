"""Letting an agent try tasks of tau-bench: several trials at a time, each kept when it ends."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from appeval_pipeline.agents import (
    Agent,
    InvalidAction,
    Limits,
    Reply,
    Step,
    ToolCall,
    Trajectory,
    Usage,
    run_episode,
)
from appeval_pipeline.agents.episode import describe_failure
from appeval_pipeline.agents.journal import Journal, TrialKey
from appeval_pipeline.agents.models.redaction import redact, secrets_of
from appeval_pipeline.agents.protocol import JsonObject
from appeval_pipeline.taubench.environment import TauEnvironment
from appeval_pipeline.taubench.reference import ReferenceEnvironment
from appeval_pipeline.taubench.results import Spending, TauResult
from appeval_pipeline.taubench.steps import INVALID_ACTION
from appeval_pipeline.taubench.suite import TauSuite
from appeval_pipeline.taubench.tasks import TauTask
from appeval_pipeline.taubench.users import ModelledUser, User
from appeval_pipeline.version import EVALUATOR_VERSION

WORTHLESS: Final = ("max_steps", "invalid_action", "token_limit", "cost_limit")
"""Ends of an episode that are worth nothing, whatever the database looks like."""

_BEGINNING_S: Final = 0.2
"""Over which as many trials as may run at once begin: the quickest models take so long for an answer."""

MakeAgent = Callable[[TauTask], Agent]
MakeUser = Callable[[int], User]
"""Makes the user of one trial, given the trial's seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """An agent, a user, and how often each task is tried.

    Attributes:
        agent, user: What decides what they do, as plain JSON without secrets.
        trials: Of each task.
        seed: Of the experiment; each trial has one of its own that follows from it.
        limits: Of each trial.
        max_concurrency: Trials at the same time.
        max_cost_usd: No trial begins once all of them, agents and users, are known to have cost so much; what
            is running then ends, and may cost more. Unknown prices count as nothing.
        reference_env: Whether tau-bench's own environment is used.
    """

    agent: JsonObject
    user: JsonObject
    trials: int = 1
    seed: int = 0
    limits: Limits = field(default_factory=lambda: Limits(max_steps=30))
    max_concurrency: int = 10
    max_cost_usd: float | None = None
    reference_env: bool = False

    def configuration(self, suite: TauSuite) -> dict[str, Any]:
        """Everything that decides how a trial goes, for a journal: more trials or tasks go on from fewer."""
        limits = self.limits
        return {
            "evaluator": EVALUATOR_VERSION,
            "benchmark": "tau-bench",
            "domain": suite.domain.name,
            "split": suite.split.name,
            "tasks": suite.split.sha256,
            "agent": dict(self.agent),
            "user": dict(self.user),
            "seed": self.seed,
            "reference_env": self.reference_env,
            "limits": [
                limits.max_steps,
                limits.max_invalid_actions,
                limits.max_tokens,
                limits.max_cost_usd,
                limits.max_time_s,
            ],
        }

    def seed_of(self, task: TauTask, trial: int) -> int:
        """The seed of one trial: the same whatever else is tried, and in whatever order."""
        digest = hashlib.blake2b(f"{self.seed}/{task.id}/{trial}".encode(), digest_size=4).digest()
        return int.from_bytes(digest)


class TauEvaluator:
    """Carries out an experiment.

    Args:
        make_agent, make_user: Make those of one trial.
        environ: Where keys are, so that they can be kept out of what is told of failures.
    """

    def __init__(
        self,
        suite: TauSuite,
        experiment: Experiment,
        make_agent: MakeAgent,
        make_user: MakeUser,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self._suite = suite
        self._experiment = experiment
        self._make_agent = make_agent
        self._make_user = make_user
        self._environ = environ

    async def run(
        self,
        tasks: Sequence[TauTask],
        journal: Journal,
        *,
        retry_errors: bool = False,
        tell: Callable[[TauResult], None] = lambda _: None,
    ) -> tuple[TauResult, ...]:
        """Try every task, but for the trials that the journal has.

        Args:
            journal: Open; gets each trial that ends.
            retry_errors: Try trials again that broke down.
            tell: Called with each result, also of trials that had ended before.

        Returns:
            The results by task and trial; those are not among them that the budget kept from beginning.

        Raises:
            OSError: A trial that ended cannot be kept.
        """
        turns, writing = asyncio.Semaphore(self._experiment.max_concurrency), asyncio.Lock()
        wanted = [(task, trial) for trial in range(self._experiment.trials) for task in tasks]
        before = {key: journal.finished[key] for key in map(_key, wanted) if key in journal.finished}
        spent_usd = sum(map(known_cost_usd, before.values()))
        limit_usd = self._experiment.max_cost_usd
        begun = 0

        async def attempt(task: TauTask, trial: int) -> TauResult | None:
            nonlocal spent_usd, begun
            async with turns:
                trajectory = before.get(_key((task, trial)))
                if trajectory is None or (retry_errors and broke_down(trajectory)):
                    if limit_usd is not None and spent_usd >= limit_usd:
                        return None
                    place, begun = begun, begun + 1
                    await asyncio.sleep(self._head_start_s(place))
                    trajectory = await self._try(task, trial)
                    spent_usd += known_cost_usd(trajectory)
                    # The disk takes its time: meanwhile the others go on.
                    async with writing:
                        await asyncio.to_thread(journal.record, _key((task, trial)), trajectory)
                result = result_of(task, trial, trajectory)
                tell(result)
                return result

        try:
            async with asyncio.TaskGroup() as group:
                attempts = [group.create_task(attempt(task, trial)) for task, trial in wanted]
        except* OSError as errors:
            raise errors.exceptions[0] from None
        results = [one for one in (attempt.result() for attempt in attempts) if one is not None]
        return tuple(sorted(results, key=lambda result: (result.task_id, result.trial)))

    def _head_start_s(self, place: int) -> float:
        """How long a trial waits for those that begin with it.

        Trials that begin together ask together, at every turn: then one processor prepares all questions
        before any is sent, and the service answers all at once.
        """
        most = self._experiment.max_concurrency
        return _BEGINNING_S * place / most if place < most else 0.0

    async def _try(self, task: TauTask, trial: int) -> Trajectory:
        experiment = self._experiment
        seed = experiment.seed_of(task, trial)
        try:
            agent, user = self._make_agent(task), self._make_user(seed)
            make = ReferenceEnvironment if experiment.reference_env else TauEnvironment
            environment = make(self._suite, task, user)
        except Exception as failure:  # noqa: BLE001 - as in an episode: what fails ends the trial, and no other
            return _not_begun(seed, describe_failure(failure, self._environ))
        trajectory = await run_episode(agent, environment, experiment.limits, seed=seed)
        # No step has what the user's first message took if none followed it, nor what a failed one did.
        return replace(
            trajectory,
            error=trajectory.error and self._told(trajectory.error),
            environment_usage=user.usage if isinstance(user, ModelledUser) else environment.user_usage,
        )

    def _told(self, error: str) -> str:
        """What failed, without keys: agents of one's own may say anything."""
        return redact(error, secrets_of(self._environ))


def _key(trial: tuple[TauTask, int]) -> TrialKey:
    task, number = trial
    return TrialKey(str(task.id), number)


def _not_begun(seed: int, error: str) -> Trajectory:
    return Trajectory("", seed, None, (), "infra_error", None, {}, error, Usage(), Usage())


def broke_down(trajectory: Trajectory) -> bool:
    """Whether a trial has no reward, since something failed, or took too long, that is not the agent's fault.

    Who waits for a slow or busy service runs out of time, and nothing tells that from an agent that dawdles.
    """
    return trajectory.reward is None or trajectory.end == "time_limit"


def known_cost_usd(trajectory: Trajectory) -> float:
    """What agent and user are known to have cost; where a step has no price, without it."""
    steps = [(step.usage.cost_usd, step.exchange.observation.usage.cost_usd) for step in trajectory.steps]
    known = [sum(cost or 0.0 for cost in side) for side in zip(*steps, strict=True)] or [0.0, 0.0]
    totals = (trajectory.agent_usage.cost_usd, trajectory.environment_usage.cost_usd)
    return sum(part if total is None else total for total, part in zip(totals, known, strict=True))


def result_of(task: TauTask, trial: int, trajectory: Trajectory) -> TauResult:
    """A trial as tau-bench tells of it."""
    failed = broke_down(trajectory)
    reward = None if failed else trajectory.reward
    if reward is not None and trajectory.end in WORTHLESS:
        reward = 0.0
    return TauResult(
        task_id=task.id,
        trial=trial,
        reward=reward,
        error=(trajectory.error or _OUT_OF_TIME) if failed else None,
        agent=_spending(trajectory.agent_usage),
        user=_spending(trajectory.environment_usage),
        info={
            "task": task.to_dict(),
            "end": trajectory.end,
            "seed": trajectory.seed,
            "steps": len(trajectory.steps),
            "reward_info": dict(trajectory.reward_info),
        },
        trajectory=tuple(_messages(trajectory)),
    )


_OUT_OF_TIME: Final = "TimeoutError: the trial took longer than it may"


def _spending(usage: Usage) -> Spending:
    return Spending(usage.cost_usd, usage.prompt_tokens, usage.completion_tokens)


def _messages(trajectory: Trajectory) -> Iterator[dict[str, Any]]:
    if trajectory.briefing is not None:
        yield {"role": "system", "content": trajectory.briefing.policy}
        yield {"role": "user", "content": trajectory.briefing.message}
    for step in trajectory.steps:
        yield from _messages_of(step)


def _messages_of(step: Step) -> Iterator[dict[str, Any]]:
    observation = step.exchange.observation
    answer = observation.content or observation.error or ""  # who had no time to answer says that
    match step.exchange.action:
        case ToolCall(name, arguments):
            call = f"call_{step.index}"
            function = {"name": name, "arguments": json.dumps(dict(arguments))}
            yield {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": call, "type": "function", "function": function}],
            }
            yield {"role": "tool", "tool_call_id": call, "name": name, "content": answer}
        case Reply(content):
            yield {"role": "assistant", "content": content}
            yield {"role": "user", "content": answer}
        case InvalidAction(reason, raw):
            yield {"role": "assistant", "content": raw, INVALID_ACTION: reason}
            yield {"role": "user", "content": answer}
        case _:
            pass  # who stops says nothing
