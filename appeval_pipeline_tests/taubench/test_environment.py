"""Episodes in the environment: whom it asks, what it answers, when it ends."""

import asyncio
from collections.abc import Sequence

from appeval_pipeline.agents import (
    Action,
    Agent,
    Environment,
    InvalidAction,
    Limits,
    NoopAgent,
    Observation,
    ReplayAgent,
    Reply,
    Stop,
    ToolCall,
    Trajectory,
    Usage,
    run_episode,
)
from appeval_pipeline.taubench import OracleTauAgent, ScriptedUser, TauEnvironment, TauSuite, User, UserReply

COST = Usage(10, 2, 0.5)


class Talkative:
    """Says what it is given, one after the other; each takes something of a model."""

    def __init__(self, *says: str, done: bool = False) -> None:
        self.says = list(says)
        self.heard: list[str] = []
        self.done = done

    async def start(self, instruction: str) -> UserReply:
        self.heard.append(instruction)
        return UserReply(self.says.pop(0), usage=COST)

    async def reply(self, agent_says: str) -> UserReply:
        self.heard.append(agent_says)
        return UserReply(self.says.pop(0), done=self.done, usage=COST)


def play(suite: TauSuite, number: int, actions: Sequence[Action], user: User | None = None) -> Trajectory:
    environment = TauEnvironment(suite, suite.tasks[number], user or ScriptedUser())
    return asyncio.run(run_episode(ReplayAgent(actions), environment))


def answers(trajectory: Trajectory) -> list[Observation]:
    """What it answered; stopping needs no answer."""
    exchanges = [step.exchange for step in trajectory.steps]
    return [exchange.observation for exchange in exchanges if not isinstance(exchange.action, Stop)]


def test_it_is_an_environment_and_the_scripted_user_a_user(retail: TauSuite) -> None:
    user = ScriptedUser()
    assert isinstance(user, User)
    assert isinstance(TauEnvironment(retail, retail.tasks[0], user), Environment)
    assert isinstance(OracleTauAgent(retail.tasks[0]), Agent)


def test_an_agent_is_told_the_policy_the_tools_and_what_the_user_says(retail: TauSuite) -> None:
    user = Talkative("Hello there")
    briefing = play(retail, 0, [], user).briefing
    assert briefing is not None
    assert briefing.policy == retail.domain.policy
    assert briefing.message == "Hello there"
    assert [tool.name for tool in briefing.tools] == list(retail.domain.toolset.tools)
    assert user.heard == [retail.tasks[0].instruction]


def test_the_scripted_user_says_the_instruction_and_stops(retail: TauSuite) -> None:
    trajectory = play(retail, 0, [Reply("Hello."), Reply("Never said.")])
    assert trajectory.briefing is not None
    assert trajectory.briefing.message == retail.tasks[0].instruction
    assert [(answer.content, answer.done) for answer in answers(trajectory)] == [("###STOP###", True)]
    assert trajectory.end == "done"


def test_a_user_ends_the_episode_by_saying_so_in_any_way(retail: TauSuite) -> None:
    for user in (Talkative("Hi", "Bye. ###STOP###"), Talkative("Hi", "Bye.", done=True)):
        trajectory = play(retail, 0, [Reply("Hello."), Reply("Never said.")], user)
        assert len(trajectory.steps) == 1


def test_a_conversation_goes_on_until_then(retail: TauSuite) -> None:
    user = Talkative("Hi", "Yes.", "###STOP###")
    trajectory = play(retail, 0, [Reply("Sure?"), Reply("Done.")], user)
    assert [answer.content for answer in answers(trajectory)] == ["Yes.", "###STOP###"]
    assert user.heard[1:] == ["Sure?", "Done."]


def test_what_the_user_takes_of_a_model_is_counted_from_the_first_message_on(retail: TauSuite) -> None:
    think = ToolCall("think", {"thought": "."})
    trajectory = play(retail, 0, [think, Reply("Sure?")], Talkative("Hi", "###STOP###"))
    assert [answer.usage for answer in answers(trajectory)] == [COST, COST]
    assert trajectory.environment_usage == Usage(20, 4, 1.0)
    assert trajectory.reward_info["user_usage"] == Usage(20, 4, 1.0).to_dict()


def test_a_transfer_ends_the_episode_however_it_is_answered(retail: TauSuite) -> None:
    for arguments in ({"summary": "Cannot."}, {}):
        trajectory = play(retail, 10, [ToolCall("transfer_to_human_agents", arguments), Reply("Never said.")])
        assert len(trajectory.steps) == 1
        assert (trajectory.end, trajectory.reward) == ("done", 1.0)


def test_a_tool_s_answer_tells_what_it_changed(retail: TauSuite) -> None:
    look = ToolCall("get_order_details", {"order_id": "#W2378156"})
    *_, exchange = retail.tasks[0].actions
    looked, exchanged, refused, unknown = answers(
        play(retail, 0, [look, exchange, exchange, ToolCall("fly", {})])
    )
    assert looked.content.startswith('{"order_id": "#W2378156"')
    assert (looked.details, looked.error) == ({}, None)
    assert exchanged.details == {"written": [{"table": "orders", "record": "#W2378156"}]}
    assert refused.error == refused.content == "Error: non-delivered order cannot be exchanged"
    assert (refused.error_kind, refused.details) == ("refused", {})
    assert (unknown.content, unknown.error_kind) == ("Unknown action fly", "unknown_tool")


def test_a_call_of_respond_is_a_reply_as_in_tau_bench(retail: TauSuite) -> None:
    user = Talkative("Hi", "###STOP###")
    [answer] = answers(play(retail, 2, [ToolCall("respond", {"content": "There are 10."})], user))
    assert answer.done
    assert user.heard[1:] == ["There are 10."]


def test_a_call_of_respond_that_says_nothing_is_of_an_unknown_tool(retail: TauSuite) -> None:
    [answer] = answers(play(retail, 0, [ToolCall("respond", {"content": 5})]))
    assert (answer.content, answer.done) == ("Unknown action respond", False)


def test_episodes_do_not_see_each_other(retail: TauSuite) -> None:
    *_, exchange = retail.tasks[0].actions
    for _ in range(2):
        [answer] = answers(play(retail, 0, [exchange]))
        assert answer.error is None


def test_a_failure_explains_itself(retail: TauSuite) -> None:
    trajectory = play(retail, 2, [Reply("There are nine.")])
    assert trajectory.reward == 0.0
    assert trajectory.reward_info["outputs"] == {"10": False}
    [difference, *_] = trajectory.reward_info["differences"]
    assert difference["table"] == "orders"
    assert {"path": "status", "expected": "return requested", "actual": "delivered"} in difference["fields"]


def test_nothing_of_the_ground_truth_stays_behind(retail: TauSuite) -> None:
    async def judged() -> None:
        environment = TauEnvironment(retail, retail.tasks[0], ScriptedUser())
        await environment.start()
        assert (await environment.reward()).value == 0.0
        assert environment.changes() == {}
        order = await environment.step(ToolCall("get_order_details", {"order_id": "#W2378156"}))
        assert '"status": "delivered"' in order.content

    asyncio.run(judged())


def oracle(suite: TauSuite) -> list[Trajectory]:
    async def play_all() -> list[Trajectory]:
        return [
            await run_episode(OracleTauAgent(task), TauEnvironment(suite, task, ScriptedUser()))
            for task in suite.tasks
        ]

    return asyncio.run(play_all())


def test_the_oracle_gets_reward_1_on_every_retail_task(retail: TauSuite) -> None:
    played = oracle(retail)
    assert len(played) == 115
    assert {(trajectory.reward, trajectory.end, trajectory.error) for trajectory in played} == {
        (1.0, "done", None)
    }


def test_the_oracle_gets_reward_1_on_every_airline_task(airline: TauSuite) -> None:
    played = oracle(airline)
    assert len(played) == 50
    assert {trajectory.reward for trajectory in played} == {1.0}


def test_doing_nothing_gets_reward_1_on_exactly_the_null_passable_tasks(retail: TauSuite) -> None:
    async def play_all() -> list[Trajectory]:
        return [
            await run_episode(NoopAgent(), TauEnvironment(retail, task, ScriptedUser()))
            for task in retail.tasks
        ]

    rewarded = [
        task.id for task, played in zip(retail.tasks, asyncio.run(play_all()), strict=True) if played.reward
    ]
    assert rewarded == [task.id for task in retail.tasks if retail.flags(task).null_passable]
    assert rewarded


def test_an_agent_that_says_no_action_is_judged_by_what_it_did(retail: TauSuite) -> None:
    trajectory = play(retail, 0, [*retail.tasks[0].actions, InvalidAction("no", "no")])
    assert (trajectory.end, trajectory.reward) == ("invalid_action", 1.0)


def test_steps_can_run_out(retail: TauSuite) -> None:
    environment = TauEnvironment(retail, retail.tasks[0], ScriptedUser())
    played = asyncio.run(run_episode(OracleTauAgent(retail.tasks[0]), environment, Limits(max_steps=2)))
    assert (played.end, played.reward) == ("max_steps", 0.0)
