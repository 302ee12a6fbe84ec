"""One episode of a tau-bench task."""

from __future__ import annotations

from appeval_pipeline.agents import Briefing, Observation, Reply, Reward, ToolCall, Usage
from appeval_pipeline.taubench.judging import judge
from appeval_pipeline.taubench.records import Changes
from appeval_pipeline.taubench.suite import TauSuite
from appeval_pipeline.taubench.tasks import TauTask
from appeval_pipeline.taubench.toolset import RESPOND, TERMINATING
from appeval_pipeline.taubench.users import STOP, User


class TauEnvironment:
    """A task as an environment for agents, equal to tau-bench's own in what it answers and rewards.

    The reward is for the episode as it stands. That one which ran out of steps is worth nothing is for the
    evaluator to say, who knows why it ended.

    Args:
        suite: What the task is of.
        user: Whom the agent talks to.
    """

    def __init__(self, suite: TauSuite, task: TauTask, user: User) -> None:
        self._suite = suite
        self._task = task
        self._user = user
        self._episode = suite.domain.database.open()
        self._replies: list[str] = []
        self._unreported = Usage()
        """What the user's first message took, until an observation carries it: a briefing cannot."""
        self._user_usage = Usage()

    async def start(self) -> Briefing:
        """The policy, the tools, and what the user says first."""
        domain = self._suite.domain
        said = await self._user.start(self._task.instruction)
        self._unreported = self._user_usage = said.usage
        return Briefing(domain.policy, said.content, tuple(domain.toolset.tools.values()))

    async def step(self, action: ToolCall | Reply) -> Observation:
        """Tell the user something, or call a tool; ``details`` name the records that the call changed."""
        carried, self._unreported = self._unreported, Usage()
        if isinstance(action, Reply):
            return await self._tell(action.content, carried)
        if (said := said_by(action)) is not None:
            return await self._tell(said, carried)
        answer = self._suite.domain.toolset.call(self._episode.data, action)
        written = [{"table": key.table, "record": key.record} for key in self._episode.take_written()]
        return Observation(
            content=answer.content,
            done=action.name in TERMINATING,
            error=answer.content if answer.error_kind else None,
            error_kind=answer.error_kind,
            details={"written": written} if written else {},
            usage=carried,
        )

    async def reward(self) -> Reward:
        """1 if the database is as the expected actions make it and all required outputs were said, else 0.

        ``info`` is the verdict's parts, with what the user took of a model as ``user_usage``.
        """
        truth = self._suite.truth(self._task)
        database = self._suite.domain.database
        verdict = judge(database, truth.changes, self.changes(), self._task.outputs, self._replies)
        return Reward(verdict.reward, {**verdict.to_dict(), "user_usage": self._user_usage.to_dict()})

    def changes(self) -> Changes:
        """What the episode has made of the database so far."""
        return self._episode.changes()

    @property
    def user_usage(self) -> Usage:
        """What the user took of a model so far, the first message with it."""
        return self._user_usage

    async def _tell(self, content: str, carried: Usage) -> Observation:
        self._replies.append(content)
        answer = await self._user.reply(content)
        self._user_usage += answer.usage
        return Observation(
            answer.content, done=answer.done or STOP in answer.content, usage=carried + answer.usage
        )


def said_by(call: ToolCall) -> str | None:
    """What a call says to the user: tau-bench takes a call of ``respond`` for a reply; None for any other."""
    content = call.arguments.get("content") if call.name == RESPOND else None
    return content if isinstance(content, str) else None
