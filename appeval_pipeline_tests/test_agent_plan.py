"""The agents of the pipeline, as a setting names them."""

import pytest

from appeval_pipeline.agent_plan import DEFAULT_PLAN, AgentPlan, PlannedAgent, parse_agent_plan


def test_agents_are_named_by_commas_with_their_trials() -> None:
    plan = parse_agent_plan("oracle, llm:openai/gpt-4o * 8,my.module:Agent")
    assert plan.agents == (
        PlannedAgent("oracle", 1),
        PlannedAgent("llm:openai/gpt-4o", 8),
        PlannedAgent("my.module:Agent", 4),
    )
    assert parse_agent_plan(str(plan)) == plan


def test_by_default_the_plain_agents_try() -> None:
    assert str(DEFAULT_PLAN) == "oracle*1, noop*1, random*20"


def test_another_plan_has_another_version() -> None:
    plans = [
        DEFAULT_PLAN,
        parse_agent_plan("oracle, noop"),
        parse_agent_plan("oracle, noop, random*21"),
        AgentPlan(DEFAULT_PLAN.agents, seed=1),
    ]
    assert len({plan.version for plan in plans}) == len(plans)
    assert parse_agent_plan("oracle,noop,  random *20").version == DEFAULT_PLAN.version


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no agent; accepted are names by commas, such as oracle, noop, random"),
        ("oracle,", "'' is no agent"),
        ("oracle noop", "'oracle noop' is no agent"),
        ("random*many", "is no agent"),
        ("random*0", "random is to try 0 times; accepted are 1 to 1000"),
        ("random*1001", "1001 times"),
        ("noop, noop*2", "noop is named twice"),
    ],
)
def test_what_is_no_plan_is_refused_with_what_would_be(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("*", r"\*")):
        parse_agent_plan(text)
