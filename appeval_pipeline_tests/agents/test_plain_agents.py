import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from appeval_pipeline.agents import Agent, Briefing, NoopAgent, RandomAgent, ReplayAgent, Stop, Tool, ToolCall

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "to": {"type": "string", "minLength": 3},
        "amount": {"type": "number", "minimum": 1.5, "maximum": 4},
        "depth": {"type": "number", "maximum": -3},
        "kind": {"type": "string", "enum": ["gift", "loan"]},
        "quick": {"type": "boolean"},
        "tags": {"type": "array"},
        "extra": {"type": "object"},
    },
    "required": ["to", "amount", "depth"],
    "additionalProperties": False,
}
VALIDATOR = Draft202012Validator(SCHEMA)
BRIEFING = Briefing("", "", (Tool("pay", "Pay.", SCHEMA), Tool("look", "Look.", {"type": "object"})))


def choices(
    seed: int, count: int = 30, values: tuple[Any, ...] = (), briefing: Briefing = BRIEFING
) -> list[ToolCall]:
    async def play() -> list[ToolCall]:
        agent = RandomAgent(values)
        await agent.start(briefing, seed)
        actions = [(await agent.act(())).action for _ in range(count)]
        return [action for action in actions if isinstance(action, ToolCall)]

    return asyncio.run(play())


def test_the_order_of_a_schema_s_keys_changes_no_choice() -> None:
    turned = {**SCHEMA, "properties": dict(reversed(SCHEMA["properties"].items()))}
    pay, look = BRIEFING.tools
    assert choices(7) == choices(
        7, briefing=Briefing("", "", (Tool(pay.name, pay.description, turned), look))
    )


@given(st.integers(0, 10_000))
def test_a_random_agent_calls_tools_as_their_schemas_say(seed: int) -> None:
    calls = choices(seed)
    assert len(calls) == 30
    for call in calls:
        if call.name == "pay":
            VALIDATOR.validate(dict(call.arguments))
        else:
            assert (call.name, call.arguments) == ("look", {})


def test_a_seed_decides_what_a_random_agent_does() -> None:
    assert choices(1) == choices(1)
    assert choices(1) != choices(2)


def test_a_random_agent_uses_the_values_it_is_given_where_they_fit() -> None:
    calls = [call for call in choices(3, values=("alice", "bob", 2)) if call.name == "pay"]
    assert {call.arguments["to"] for call in calls} == {"alice", "bob"}
    assert {call.arguments["amount"] for call in calls} == {2}


def test_a_random_agent_without_tools_stops() -> None:
    async def play() -> object:
        agent = RandomAgent()
        await agent.start(Briefing("", "", ()), 0)
        return (await agent.act(())).action

    assert asyncio.run(play()) == Stop()


def test_plain_agents_are_agents() -> None:
    for agent in (NoopAgent(), ReplayAgent([]), RandomAgent()):
        assert isinstance(agent, Agent)
