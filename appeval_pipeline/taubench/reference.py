"""The same episode in tau-bench's own ``Env``, as it is: what ours is held against, and much slower."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType
from typing import Any

from appeval_pipeline.agents import Briefing, Observation, Reply, Reward, ToolCall, Usage
from appeval_pipeline.taubench.domain import given_tasks, load_tables, part_of
from appeval_pipeline.taubench.environment import said_by
from appeval_pipeline.taubench.source import TauSource
from appeval_pipeline.taubench.suite import TauSuite
from appeval_pipeline.taubench.tasks import TauTask
from appeval_pipeline.taubench.toolset import RESPOND, TERMINATING
from appeval_pipeline.taubench.users import User


class ReferenceEnvironment:
    """A task in the original environment.

    Its user is asked beforehand, for it wants an answer at once; the rest is its own: reset, steps, reward.
    An episode that ends without it saying so is judged all the same.

    Args:
        suite: What the task is of; nothing of it is used but its source.
        user: Whom the agent talks to.
    """

    def __init__(self, suite: TauSuite, task: TauTask, user: User) -> None:
        domain = suite.domain
        self._task = task
        self._user = user
        self._heard = _Heard()
        self._unreported = Usage()
        base = original_base(domain.source)
        self._action = base.Action
        self._env: Any = base.Env(
            data_load_func=lambda: load_tables(domain.name, domain.source),
            tools=part_of(domain.source, f"envs.{domain.name}.tools", "ALL_TOOLS"),
            tasks=[copy.deepcopy(given_tasks(domain, suite.split.name)[task.id])],
            wiki=domain.policy,
            rules=list(domain.rules),
            user_strategy=self._heard,
            user_model="",
            task_index=0,
        )
        self._env.terminate_tools = sorted(TERMINATING)
        self._tools = tuple(domain.toolset.tools.values())
        self._result: Any = None
        self.user_usage = Usage()
        """What the user took of a model so far."""
        self.hashes: tuple[str, ...] = ()
        """Once judged, what the database hashes to: as the agent left it, and as it must be."""

    async def start(self) -> Briefing:
        """Reset the environment."""
        said = await self._user.start(self._task.instruction)
        self._unreported = self.user_usage = said.usage
        self._heard.answers.append(said.content)
        response = self._env.reset(0)
        return Briefing(self._env.wiki, response.observation, self._tools)

    async def step(self, action: ToolCall | Reply) -> Observation:
        """One step of the environment, which judges the episode too if that ends it."""
        usage, self._unreported = self._unreported, Usage()
        said = action.content if isinstance(action, Reply) else said_by(action)
        if said is not None:
            answer = await self._user.reply(said)
            usage += answer.usage
            self.user_usage += answer.usage
            self._heard.answers.append(answer.content)
            action = ToolCall(RESPOND, {"content": said})
        assert isinstance(action, ToolCall)
        if said is None and action.name == RESPOND:  # the original breaks down where there is nothing to say
            return Observation(f"Unknown action {RESPOND}", usage=usage)
        kwargs = copy.deepcopy(dict(action.arguments))
        with self._noting_hashes():
            response = self._env.step(self._action(name=action.name, kwargs=kwargs))
        self._result = response.info.reward_info
        return Observation(response.observation, done=response.done, usage=usage)

    async def reward(self) -> Reward:
        """The environment's reward."""
        if self._result is None:
            with self._noting_hashes():
                self._result = self._env.calculate_reward()
        return Reward(self._result.reward, self._result.info.model_dump())

    @contextmanager
    def _noting_hashes(self) -> Iterator[None]:
        """Note what the environment hashes its database to."""
        noted: list[str] = []

        def get_data_hash() -> str:
            noted.append(type(self._env).get_data_hash(self._env))
            return noted[-1]

        self._env.get_data_hash = get_data_hash
        yield
        del self._env.get_data_hash
        self.hashes = tuple(noted)


class _Heard:
    """The environment's user: says what the real one has said already."""

    def __init__(self) -> None:
        self.answers: deque[str] = deque()

    def reset(self, instruction: str) -> str:
        return self.answers.popleft()

    def step(self, content: str) -> str:
        return self.answers.popleft()

    def get_total_cost(self) -> float:
        return 0.0


@lru_cache
def original_base(source: TauSource) -> ModuleType:
    """The module of ``Env``; its users are left out, for they come with clients of language models."""
    users = ModuleType(f"{source.package}.envs.user")
    users.__dict__.update(UserStrategy=object, load_user=lambda user_strategy, **_: user_strategy)
    return source.module("envs.base", {"envs.user": users})
