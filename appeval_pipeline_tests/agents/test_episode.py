"""The loop of a trial, with an agent and an environment made up for the purpose."""

import asyncio
from collections.abc import Sequence

import pytest

from appeval_pipeline.agents import (
    Action,
    Briefing,
    Exchange,
    InvalidAction,
    Limits,
    NoopAgent,
    Observation,
    ReplayAgent,
    Reply,
    Reward,
    Stop,
    Tool,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    run_episode,
)

PRESS = Tool("press", "Press the button.", {"type": "object", "properties": {}})
ONCE = ToolCall("press", {})
NO_LIMITS = Limits()
NONSENSE = InvalidAction("The arguments are no JSON", "press(")


class Button:
    """Done after some presses; a reply is answered by a user who costs something."""

    def __init__(self, presses: int = 3) -> None:
        self.left = presses
        self.judged = 0

    async def start(self) -> Briefing:
        return Briefing("Be kind.", "Press the button.", (PRESS,))

    async def step(self, action: ToolCall | Reply) -> Observation:
        if isinstance(action, Reply):
            return Observation("Go on.", usage=Usage(5, 1, 0.25))
        if action.name == "break":
            raise ConnectionError("the wire is cut")
        self.left -= 1
        return Observation(f"{self.left} left", done=self.left == 0)

    async def reward(self) -> Reward:
        self.judged += 1
        return Reward(float(self.left == 0), {"left": self.left})


class Spender(ReplayAgent):
    """A replay whose every turn takes 10 tokens and half a dollar."""

    async def act(self, history: Sequence[Exchange]) -> Turn:
        return Turn((await super().act(history)).action, Usage(8, 2, 0.5))


def run(
    actions: Sequence[Action], limits: Limits = NO_LIMITS, *, presses: int = 3, spender: bool = False
) -> Trajectory:
    agent = Spender(actions) if spender else ReplayAgent(actions)
    ticks = iter(range(1000))
    return asyncio.run(run_episode(agent, Button(presses), limits, seed=7, clock=lambda: float(next(ticks))))


def test_an_episode_ends_when_the_environment_says_so() -> None:
    trajectory = run([ONCE] * 5)
    assert (trajectory.end, trajectory.reward, len(trajectory.steps)) == ("done", 1.0, 3)
    assert [step.exchange.observation.content for step in trajectory.steps] == ["2 left", "1 left", "0 left"]
    assert (trajectory.seed, trajectory.agent) == (7, "replay")
    assert trajectory.briefing is not None
    assert trajectory.briefing.policy == "Be kind."


def test_an_agent_may_stop() -> None:
    trajectory = run([ONCE, Stop(), ONCE])
    assert (trajectory.end, trajectory.reward, len(trajectory.steps)) == ("stopped", 0.0, 2)
    assert trajectory.reward_info == {"left": 2}


def test_doing_nothing_is_an_episode_too() -> None:
    trajectory = asyncio.run(run_episode(NoopAgent(), Button()))
    assert (trajectory.end, trajectory.reward, len(trajectory.steps)) == ("stopped", 0.0, 1)


@pytest.mark.parametrize(
    ("limits", "end", "steps"),
    [
        (Limits(max_steps=4), "max_steps", 4),
        (Limits(max_tokens=25), "token_limit", 3),
        (Limits(max_cost_usd=1.0), "cost_limit", 2),
        (Limits(max_time_s=10), "time_limit", 3),
    ],
)
def test_a_limit_ends_an_episode(limits: Limits, end: str, steps: int) -> None:
    trajectory = run([ONCE] * 50, limits, presses=50, spender=True)
    assert (trajectory.end, len(trajectory.steps), trajectory.reward) == (end, steps, 0.0)


def test_what_is_no_action_ends_an_episode() -> None:
    trajectory = run([ONCE, NONSENSE, ONCE, ONCE])
    assert (trajectory.end, trajectory.reward, len(trajectory.steps)) == ("invalid_action", 0.0, 2)
    last = trajectory.steps[-1].exchange.observation
    assert (last.error, last.error_kind) == ("The arguments are no JSON", "invalid_action")


def test_an_agent_may_be_told_and_try_again() -> None:
    limits = Limits(max_invalid_actions=1)
    assert run([NONSENSE, ONCE, NONSENSE, ONCE, ONCE], limits).end == "done"
    assert run([ONCE, NONSENSE, NONSENSE, ONCE], limits).end == "invalid_action"


def test_a_failure_of_the_environment_is_no_wrong_answer() -> None:
    trajectory = run([ONCE, ToolCall("break", {}), ONCE])
    assert (trajectory.end, trajectory.reward) == ("infra_error", None)
    assert trajectory.error == "ConnectionError: the wire is cut"
    assert len(trajectory.steps) == 1


def test_tokens_and_costs_are_counted_apart_for_agent_and_environment() -> None:
    trajectory = run([Reply("Hello"), ONCE, ONCE, ONCE], spender=True)
    assert trajectory.agent_usage == Usage(32, 8, 2.0)
    assert trajectory.environment_usage == Usage(5, 1, 0.25)


def test_a_sum_with_an_unknown_price_is_unknown() -> None:
    assert Usage(1, 1, None) + Usage(1, 1, 0.5) == Usage(2, 2, None)


def test_the_same_episode_is_the_same_trajectory() -> None:
    assert run([ONCE] * 5).to_dict() == run([ONCE] * 5).to_dict()
