"""Our environment beside tau-bench's own: the same answers, rewards and hashes, task by task."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appeval_pipeline.agents import (
    Action,
    Environment,
    ReplayAgent,
    Reply,
    ToolCall,
    Trajectory,
    Usage,
    run_episode,
)
from appeval_pipeline.taubench import ScriptedUser, TauEnvironment, TauSuite, TauTask, UserReply, find_source
from appeval_pipeline.taubench.records import hash_form
from appeval_pipeline.taubench.reference import ReferenceEnvironment, original_base

SAMPLE = range(0, 115, 6)
"""Twenty tasks of retail."""


@pytest.fixture(autouse=True, scope="module")
def forms_of_records() -> Iterator[None]:
    """Let tau-bench's environment hash what it does, but put a record into its form only once.

    It hashes all data twice an episode, of which an episode changes a few records.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(original_base(find_source()).Env, "get_data_hash", hash_with_known_forms)
        yield


FORMS: dict[str, Any] = {}


def hash_with_known_forms(environment: Any) -> str:
    base = original_base(find_source())

    def form(record: Any) -> Any:
        text = repr(record)
        return FORMS[text] if text in FORMS else FORMS.setdefault(text, base.to_hashable(record))

    return str(
        base.consistent_hash(
            tuple(
                (name, tuple((key, form(record)) for key, record in sorted(table.items())))
                for name, table in sorted(environment.data.items())
            )
        )
    )


def as_expected(task: TauTask) -> list[Action]:
    return [*task.actions, Reply("; ".join(task.outputs))]


def one_dropped(task: TauTask) -> list[Action]:
    actions = as_expected(task)
    del actions[random.Random(task.id).randrange(len(actions))]
    return actions


def one_changed(task: TauTask) -> list[Action]:
    chance = random.Random(task.id)
    actions = as_expected(task)
    places = [(number, name) for number, call in enumerate(task.actions) for name in call.arguments]
    if not places:
        return [Reply("Nothing to change.")]
    number, name = chance.choice(places)
    call = task.actions[number]
    actions[number] = replace(call, arguments={**call.arguments, name: other(call.arguments[name])})
    return actions


def other(value: Any) -> Any:
    match value:
        case str():
            return value[:-1] if len(value) > 1 else value + "0"
        case list() if len(value) > 1:
            return value[::-1]
        case list():
            return []
        case _:
            return value + 1


async def play(environment: Environment, actions: Sequence[Action]) -> Trajectory:
    return await run_episode(ReplayAgent(actions), environment)


def assert_equal(suite: TauSuite, task: TauTask, actions: Sequence[Action]) -> float:
    ours = TauEnvironment(suite, task, ScriptedUser())
    theirs = ReferenceEnvironment(suite, task, ScriptedUser())
    mine, original = asyncio.run(play(ours, actions)), asyncio.run(play(theirs, actions))
    assert (mine.error, original.error) == (None, None)
    assert told(mine) == told(original), task.id
    assert mine.reward == original.reward, task.id
    assert mine.briefing == original.briefing
    database = suite.domain.database
    hashes = (database.data_hash(ours.changes()), database.data_hash(suite.truth(task).changes))
    assert hashes == theirs.hashes, task.id
    assert (hashes[0] == hashes[1]) is mine.reward_info["database_equal"]
    assert original.reward is not None
    return original.reward


def told(trajectory: Trajectory) -> list[tuple[str, bool]]:
    observations = [step.exchange.observation for step in trajectory.steps]
    return [(observation.content, observation.done) for observation in observations]


def damaged(task: TauTask) -> list[Action]:
    return one_changed(task) if task.id % 4 == 0 else one_dropped(task)


def test_twenty_tasks_are_judged_as_in_tau_bench(retail: TauSuite) -> None:
    tasks = [retail.tasks[number] for number in SAMPLE]
    assert [assert_equal(retail, task, as_expected(task)) for task in tasks] == [1.0] * 20
    assert 0.0 in [assert_equal(retail, task, damaged(task)) for task in tasks]


@pytest.mark.slow
def test_all_retail_tasks_are_judged_as_in_tau_bench(retail: TauSuite) -> None:
    assert [assert_equal(retail, task, as_expected(task)) for task in retail.tasks] == [1.0] * 115
    assert 0.0 in [assert_equal(retail, task, one_dropped(task)) for task in retail.tasks]
    assert 0.0 in [assert_equal(retail, task, one_changed(task)) for task in retail.tasks]


@pytest.mark.slow
def test_all_airline_tasks_are_judged_as_in_tau_bench(airline: TauSuite) -> None:
    assert [assert_equal(airline, task, as_expected(task)) for task in airline.tasks] == [1.0] * 50
    assert 0.0 in [assert_equal(airline, task, damaged(task)) for task in airline.tasks]


@pytest.mark.slow
def test_doing_nothing_is_judged_as_in_tau_bench(retail: TauSuite) -> None:
    passable = [task for task in retail.tasks if retail.flags(task).null_passable]
    others = [task for task in retail.tasks if not retail.flags(task).null_passable][::10]
    assert {assert_equal(retail, task, []) for task in passable} == {1.0}
    assert {assert_equal(retail, task, []) for task in others} == {0.0}


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("fly", {}),
        ToolCall("get_order_details", {}),
        ToolCall("get_order_details", {"order_id": ["#W2378156"]}),
        ToolCall("get_order_details", {"order_id": "#W2378156", "data": {}}),
        ToolCall("get_order_details", {"order_id": "#W2378156", "user": 1}),
        ToolCall("find_user_id_by_email", {"email": None}),
        ToolCall("calculate", {"expression": "1 / 0"}),
        ToolCall("respond", {"content": "Hello."}),
        ToolCall("respond", {"content": 5, "text": "Hello."}),
        ToolCall("respond", {}),
        ToolCall("transfer_to_human_agents", {}),
        ToolCall("list_all_product_types", {}),
    ],
    ids=lambda call: f"{call.name} {sorted(call.arguments)}",
)
def test_whatever_is_called_the_answer_is_tau_benchs(retail: TauSuite, call: ToolCall) -> None:
    assert_equal(retail, retail.tasks[0], [call])


def booking(airline: TauSuite, *payments: tuple[str, int]) -> ToolCall:
    """The booking that the first task expects, paid for in another way."""
    [book] = airline.tasks[0].actions
    paid = [{"payment_id": name, "amount": amount} for name, amount in payments]
    return replace(book, arguments={**book.arguments, "payment_methods": paid})


def test_a_write_that_fails_half_way_leaves_the_same_data(airline: TauSuite) -> None:
    """A certificate that pays twice is used up by its first payment, and then not found."""
    twice = ("certificate_7504069", 125)
    book = booking(airline, twice, twice, ("credit_card_4421486", 5))
    assert_equal(airline, airline.tasks[0], [book])
    trajectory = asyncio.run(play(TauEnvironment(airline, airline.tasks[0], ScriptedUser()), [book]))
    observation = trajectory.steps[0].exchange.observation
    assert observation.content == "Error: 'certificate_7504069'"
    assert observation.details == {"written": [{"table": "users", "record": "mia_li_3668"}]}


def test_what_a_tool_keeps_of_its_arguments_and_changes_later_is_the_same_data(airline: TauSuite) -> None:
    book = booking(airline, ("credit_card_4421486", 255))
    cancel = ToolCall("cancel_reservation", {"reservation_id": "HATHAT"})
    for task in airline.tasks[:2]:
        assert_equal(airline, task, [book, cancel])
    assert len(book.arguments["payment_methods"]) == 1


class Talking:
    async def start(self, instruction: str) -> UserReply:
        return UserReply("Hi", usage=Usage(1, 1, 0.1))

    async def reply(self, agent_says: str) -> UserReply:
        return UserReply("###STOP###" if agent_says == "Bye." else "Go on.", usage=Usage(1, 1, 0.1))


def test_a_conversation_is_the_same_and_costs_the_same(retail: TauSuite) -> None:
    actions = [Reply("Hello."), *retail.tasks[0].actions, Reply("Bye."), Reply("Never said.")]
    task = retail.tasks[0]
    mine = asyncio.run(play(TauEnvironment(retail, task, Talking()), actions))
    original = asyncio.run(play(ReferenceEnvironment(retail, task, Talking()), actions))
    assert told(mine) == told(original)
    assert told(mine)[0] == ("Go on.", False)
    assert told(mine)[-1] == ("###STOP###", True)
    assert (mine.reward, mine.environment_usage) == (original.reward, original.environment_usage)
    assert mine.environment_usage.tokens == 6


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_a_value_hashes_as_in_tau_bench(value: Any) -> None:
    assert repr(hash_form(value)) == repr(original_base(find_source()).to_hashable(value))


def test_all_data_hash_as_in_tau_bench(retail: TauSuite, airline: TauSuite) -> None:
    for suite in (retail, airline):
        base = original_base(suite.domain.source)
        plain = {
            name: {record: table[record] for record in table}
            for name, table in suite.domain.database.open().data.items()
        }
        theirs = base.consistent_hash(base.to_hashable(plain))
        assert suite.domain.database.data_hash({}) == theirs
        assert hash_with_known_forms(SimpleNamespace(data=plain)) == theirs
