"""The loop of a trial, with an agent and an environment made up for the purpose."""

import asyncio
import json
from collections.abc import Sequence

import numpy as np
import pytest

from appeval_pipeline.agents import (
    Action,
    Agent,
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
from appeval_pipeline.agents.reading import read_trajectory

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


class Hanging(Button):
    """Never begins, or never answers a reply."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at

    async def start(self) -> Briefing:
        if self.at == "start":
            await asyncio.Event().wait()
        return await super().start()

    async def step(self, action: ToolCall | Reply) -> Observation:
        if isinstance(action, Reply):
            await asyncio.Event().wait()
        return await super().step(action)


class Musing(Spender):
    """Acts once, and cannot make up its mind after that."""

    async def act(self, history: Sequence[Exchange]) -> Turn:
        if history:
            await asyncio.Event().wait()
        return await super().act(history)


SHORT = Limits(max_time_s=0.05)


def test_an_agent_that_hangs_is_cut_off_and_judged_by_what_it_did() -> None:
    trajectory = asyncio.run(run_episode(Musing([ONCE]), Button(presses=2), SHORT))
    assert (trajectory.end, trajectory.reward, trajectory.reward_info) == ("time_limit", 0.0, {"left": 1})
    assert len(trajectory.steps) == 1
    assert trajectory.agent_usage == Usage(8, 2, 0.5)


def test_an_environment_that_hangs_is_cut_off_and_the_action_is_recorded() -> None:
    environment = Hanging("reply")
    trajectory = asyncio.run(run_episode(Spender([ONCE, Reply("Done?")]), environment, SHORT))
    assert (trajectory.end, trajectory.reward, environment.judged) == ("time_limit", 0.0, 1)
    last = trajectory.steps[-1].exchange
    assert last.action == Reply("Done?")
    assert last.observation.error_kind == "time_limit"
    assert last.observation.error == "The time was up before there was an answer"
    assert trajectory.agent_usage == Usage(16, 4, 1.0)


def test_an_episode_that_never_begins_is_not_the_agents_fault() -> None:
    trajectory = asyncio.run(run_episode(ReplayAgent([ONCE]), Hanging("start"), SHORT))
    assert (trajectory.end, trajectory.reward, trajectory.steps) == ("infra_error", None, ())
    assert trajectory.error == "TimeoutError: Nothing began within 0.05 s"


def test_a_time_out_within_the_limit_is_a_failure_like_any_other() -> None:
    class Impatient(ReplayAgent):
        async def act(self, history: Sequence[Exchange]) -> Turn:
            raise TimeoutError("the model took too long")

    trajectory = asyncio.run(run_episode(Impatient([]), Button(), Limits(max_time_s=10)))
    assert (trajectory.end, trajectory.error) == ("infra_error", "TimeoutError: the model took too long")


def cyclic() -> dict[str, object]:
    made: dict[str, object] = {}
    made["again"] = made
    return made


@pytest.mark.parametrize(
    "value",
    [float("nan"), "\ud800", {1, 2}, cyclic(), 10**5000],
    ids=["NaN", "half of a pair", "set", "cycle", "integer too long to write"],
)
def test_arguments_that_are_no_json_are_no_action(value: object) -> None:
    trial = asyncio.run(run_episode(ReplayAgent([ToolCall("press", {"hard": value})]), Button()))
    assert trial.end == "invalid_action"
    (step,) = trial.steps
    assert step.exchange.action.to_dict()["raw"] == "'press'"
    assert "no JSON" in (step.exchange.observation.error or "")


def test_arguments_are_kept_as_json_has_them() -> None:
    trial = asyncio.run(
        run_episode(ReplayAgent([ToolCall("press", {"a": (1,), "b": {2: 10**30}})]), Button(1))
    )
    assert trial.steps[0].exchange.action == ToolCall("press", {"a": [1], "b": {"2": 10**30}})


def run_one(agent: Agent, *, presses: int = 3) -> Trajectory:
    return asyncio.run(run_episode(agent, Button(presses)))


class Careless(ReplayAgent):
    """Says the next of some things, whatever they are."""

    def __init__(self, *turns: object) -> None:
        super().__init__([])
        self.turns = turns

    async def act(self, history: Sequence[Exchange]) -> Turn:
        return self.turns[len(history)]  # type: ignore[return-value]


@pytest.mark.parametrize(
    "action",
    [Reply(None), Reply(7), ToolCall(5, {}), InvalidAction(None, 5), None, "press"],  # type: ignore[arg-type]
    ids=repr,
)
def test_an_action_without_its_texts_is_none_and_can_be_read_back(action: Action) -> None:
    trial = run_one(Careless(Turn(action)))
    assert trial.end == "invalid_action"
    again = read_trajectory(json.loads(json.dumps(trial.to_dict())))
    assert again.to_dict() == trial.to_dict()


@pytest.mark.parametrize(
    ("turn", "error"),
    [
        (None, "TypeError: The agent's act returned NoneType; expected a Turn"),
        (Turn(Stop(), Usage(cost_usd=float("nan"))), "ValueError: The agent's usage cannot be"),
        (Turn(Stop(), Usage(cost_usd=-1.0)), "ValueError: The agent's usage cannot be"),
        (Turn(Stop(), Usage(prompt_tokens=-1)), "ValueError: The agent's usage cannot be"),
        (Turn(Stop(), Usage(completion_tokens=10**30)), "ValueError: The agent's usage cannot be"),
        (Turn(Stop(), Usage(prompt_tokens="9")), "TypeError: 'str' object cannot be"),  # type: ignore[arg-type]
    ],
    ids=["no turn", "NaN", "cost below 0", "tokens below 0", "endless tokens", "text"],
)
def test_a_turn_that_cannot_be_kept_breaks_the_trial_down(turn: object, error: str) -> None:
    trial = run_one(Careless(turn))
    assert (trial.end, trial.reward) == ("infra_error", None)
    assert trial.error is not None
    assert trial.error.startswith(error)


def test_numbers_of_other_libraries_count_as_pythons_own() -> None:
    usage = run_one(Careless(Turn(Stop(), Usage(np.int64(3), True, np.float64(0.5))))).agent_usage
    assert usage == Usage(3, 1, 0.5)
    assert [type(one) for one in (usage.prompt_tokens, usage.completion_tokens, usage.cost_usd)] == [
        int,
        int,
        float,
    ]


class Meddling(ReplayAgent):
    """Changes whatever it is handed."""

    async def start(self, briefing: Briefing, seed: int) -> None:
        for tool in briefing.tools:
            tool.parameters["properties"]["forged"] = {}

    async def act(self, history: Sequence[Exchange]) -> Turn:
        for exchange in history:
            exchange.action.arguments["hard"].append("forged")  # type: ignore[union-attr]
        return await super().act(history)


def test_what_an_agent_is_handed_is_its_own() -> None:
    call = ToolCall("press", {"hard": [1]})
    trial = run_one(Meddling([call, call]), presses=2)
    assert [step.exchange.action for step in trial.steps] == [call, call]
    assert trial.reward == 1.0
    assert trial.briefing is not None
    assert trial.briefing.tools == (PRESS,)
    assert PRESS.parameters == {"type": "object", "properties": {}}


def test_an_agent_gets_no_details() -> None:
    seen: list[Exchange] = []

    class Telling(Button):
        async def step(self, action: ToolCall | Reply) -> Observation:
            return Observation("pressed", details={"written": ["the answer"]})

    class Peeking(ReplayAgent):
        async def act(self, history: Sequence[Exchange]) -> Turn:
            seen.extend(history)
            return await super().act(history)

    trial = asyncio.run(run_episode(Peeking([ONCE]), Telling()))
    assert [exchange.observation.details for exchange in seen] == [{}]
    assert trial.steps[0].exchange.observation.details == {"written": ["the answer"]}


class Leaking(ReplayAgent):
    """Lets out a cancellation of its own, as clients do that mix up scopes."""

    async def act(self, history: Sequence[Exchange]) -> Turn:
        raise asyncio.CancelledError("scope 7")


def test_a_cancellation_that_nobody_asked_for_breaks_one_trial_down() -> None:
    trial = run_one(Leaking([]))
    assert (trial.end, trial.error) == ("infra_error", "CancelledError: scope 7")


def test_a_trial_that_is_cancelled_ends() -> None:
    async def cancel() -> None:
        task = asyncio.create_task(run_episode(Musing([]), Hanging("start")))
        await asyncio.sleep(0)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())


def test_a_key_in_a_failure_reaches_neither_the_trial_nor_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key = "correct-horse-battery"
    monkeypatch.setenv("SOME_API_KEY", key)

    class Refused(ReplayAgent):
        async def act(self, history: Sequence[Exchange]) -> Turn:
            raise PermissionError(f"{key} is no key of ours")

    trial = run_one(Refused([]))
    assert trial.error == "PermissionError: [redacted] is no key of ours"
    assert "[redacted] is no key of ours" in caplog.text
    assert "in act" in caplog.text  # where it was raised
    assert key not in caplog.text
