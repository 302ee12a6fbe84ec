"""Why trials failed: cases made by hand in ``faults.yaml``, and what must hold of every task."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from appeval_pipeline.agents import (
    Agent,
    InvalidAction,
    Limits,
    NoopAgent,
    ReplayAgent,
    Reply,
    ToolCall,
    run_episode,
)
from appeval_pipeline.taubench import OracleTauAgent, ScriptedUser, TauEnvironment, TauSuite, TauTask
from appeval_pipeline.taubench.evaluating import result_of
from appeval_pipeline.taubench.faults import FAULT_KINDS, explain, find_faults
from appeval_pipeline.taubench.results import TauResult
from appeval_pipeline.taubench.toolset import TERMINATING

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("faults.yaml").read_text())


def messages(calls: list[Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": "Hello"}
    for call in calls:
        if isinstance(call, str):
            yield {"role": "assistant", "content": call}
            yield {"role": "user", "content": "I see."}
        elif isinstance(call, dict):
            yield {"role": "assistant", "content": call["no_action"], "invalid_action": "It is no JSON"}
            yield {"role": "user", "content": "It is no JSON"}
        else:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            yield {"role": "assistant", "content": None, "tool_calls": [{"function": function}]}
            yield {"role": "tool", "content": "(an answer)"}


def task_of(case: dict[str, Any]) -> TauTask:
    actions = tuple(ToolCall(name, arguments) for name, arguments in case["expected"])
    return TauTask(0, "emma_smith_8564", "Do it", actions, tuple(case.get("outputs", ())))


def failed(calls: list[Any], **info: Any) -> TauResult:
    return TauResult(0, 0, 0.0, info=info, trajectory=tuple(messages(calls)))


def trial_of(suite: TauSuite, task: TauTask, agent: Agent) -> TauResult:
    environment = TauEnvironment(suite, task, ScriptedUser())
    return result_of(task, 0, asyncio.run(run_episode(agent, environment)))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_a_failed_trial_has_the_faults_of_the_case(case: dict[str, Any], retail: TauSuite) -> None:
    end = case.get("end", "done")
    result = failed(case["calls"], **({} if end is None else {"end": end}))
    found = find_faults(retail, task_of(case), result)
    assert [(fault.kind, fault.step) for fault in found] == [(kind, step) for kind, step, _ in case["faults"]]
    for fault, (_, _, part) in zip(found, case["faults"], strict=True):
        assert part in fault.detail


def test_there_is_a_case_of_every_kind() -> None:
    met = {kind for case in CASES for kind, _, _ in case["faults"]}
    assert met == set(FAULT_KINDS) - {"infra_error"}


def test_a_trial_that_broke_down_has_no_other_fault(retail: TauSuite) -> None:
    result = TauResult(
        0, 0, None, error="ServerError: gone\nTraceback", trajectory=tuple(messages(["Hello."]))
    )
    (fault,) = find_faults(retail, task_of(CASES[0]), result)
    assert (fault.kind, fault.step, fault.detail) == ("infra_error", 0, "ServerError: gone")


def test_a_trial_that_succeeded_has_none(retail: TauSuite) -> None:
    result = TauResult(0, 0, 1.0, info={"end": "done"}, trajectory=tuple(messages(["Hello."])))
    assert find_faults(retail, task_of(CASES[0]), result) == ()


def test_without_messages_nothing_is_guessed(retail: TauSuite) -> None:
    assert find_faults(retail, task_of(CASES[0]), TauResult(0, 0, 0.0)) == ()


@pytest.mark.parametrize("suite", ["retail", "airline"])
def test_the_oracle_makes_none_and_what_noop_leaves_out_is_found(
    suite: str, request: pytest.FixtureRequest
) -> None:
    domain: TauSuite = request.getfixturevalue(suite)
    for task in domain.tasks[::2]:
        oracle = trial_of(domain, task, OracleTauAgent(task))
        explained = explain(domain, task, oracle)
        assert (explained.verdict.reward, explained.faults) == (1, ())
        noop = find_faults(domain, task, trial_of(domain, task, NoopAgent()))
        assert bool(noop) is not domain.flags(task).null_passable
        assert {fault.kind for fault in noop} <= {"missing_action", "missing_output"}


def test_carrying_out_a_trial_again_gives_the_reward_it_had(retail: TauSuite) -> None:
    for task in retail.tasks[:20]:
        for other in (task, retail.tasks[task.id + 1]):
            result = trial_of(retail, task, OracleTauAgent(other))
            explained = explain(retail, task, result)
            assert explained.verdict.reward == result.reward
            assert bool(explained.faults) is not result.succeeded


def test_what_was_no_action_was_not_said_to_the_user(retail: TauSuite) -> None:
    task = next(task for task in retail.tasks if task.outputs and retail.flags(task).read_only)
    agent = ReplayAgent([InvalidAction("It is no JSON", " ".join(task.outputs)), Reply("Sorry.")])
    environment = TauEnvironment(retail, task, ScriptedUser())
    trajectory = asyncio.run(run_episode(agent, environment, Limits(max_invalid_actions=1)))
    found = find_faults(retail, task, result_of(task, 0, trajectory))
    assert found[-1].kind == "missing_output"


def spoiled(task: TauTask, suite: TauSuite, chance: random.Random) -> list[Any]:
    """A task's solution with some of its changes left out, put elsewhere or otherwise done."""
    calls = [[call.name, dict(call.arguments)] for call in task.actions if call.name not in TERMINATING]
    tools = sorted(suite.writing_tools())
    for _ in range(chance.randint(1, 3)):
        changing = [place for place, (name, _) in enumerate(calls) if name in tools]
        if not changing:
            break
        place, other = chance.choice(changing), chance.choice(changing)
        match chance.choice(["drop", "swap", "again", "tool", "argument"]):
            case "drop":
                calls.pop(place)
            case "swap":
                calls[place], calls[other] = calls[other], calls[place]
            case "again":
                calls.insert(place, calls[other])
            case "tool":
                calls[place] = [chance.choice([*tools, "no_such_tool"]), calls[place][1]]
            case "argument":
                name = chance.choice(list(calls[place][1]))
                calls[place] = [calls[place][0], calls[place][1] | {name: "#W2417020"}]
    return calls


@pytest.mark.parametrize("suite", ["retail", "airline"])
def test_however_a_solution_is_spoiled_there_are_faults_just_where_it_fails(
    suite: str, request: pytest.FixtureRequest
) -> None:
    domain: TauSuite = request.getfixturevalue(suite)
    chance = random.Random(7)
    for task in domain.tasks[:45]:
        calls = spoiled(task, domain, chance)
        explained = explain(
            domain, task, replace(failed([*calls, *task.outputs], end="done"), task_id=task.id)
        )
        assert bool(explained.faults) is not bool(explained.verdict.reward), (task.id, calls)
        if any(fault.kind == "wrong_order" for fault in explained.faults):
            expected = [call.call for call in explained.expected.writes]
            assert len(explained.made.writes) >= len(expected)
            assert all(call in [made.call for made in explained.made.writes] for call in expected)
