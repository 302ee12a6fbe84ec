"""Customers that a model plays: what they say and remember, and what it takes; it is a list of answers."""

from __future__ import annotations

import asyncio

import pytest

from appeval_pipeline.agents import Usage
from appeval_pipeline.agents.models import ModelReply
from appeval_pipeline.errors import ModelError
from appeval_pipeline.taubench.users import (
    ModelledUser,
    PlainStrategy,
    ReactStrategy,
    ReflectingStrategy,
    UserReply,
    UserStrategy,
    VerifyingStrategy,
)
from appeval_pipeline_tests.agents.test_llm_agent import Said, says

INSTRUCTION = "You are Ann {impatient}, and want your money back."
GREETING = "Hi! How can I help you today?"


def talk(model: Said, strategy: UserStrategy, *agent_says: str) -> list[UserReply]:
    async def conversation() -> list[UserReply]:
        user = ModelledUser(model, 7, strategy)
        said = [await user.start(INSTRUCTION)]
        return [*said, *[await user.reply(one) for one in agent_says]]

    return asyncio.run(conversation())


def model(*answers: str) -> Said:
    return Said(*map(says, answers))


def seeds(asked: Said) -> list[int | None]:
    return [seed for _, _, seed in asked.asked]


def test_a_plain_user_answers_the_greeting_knowing_what_it_wants() -> None:
    said = model(" I want my money back. ", "###STOP###")
    first, last = talk(said, PlainStrategy(), "Here it is.")
    assert first == UserReply("I want my money back.", False, Usage(10, 1, 0.5))
    assert (last.content, last.done) == ("###STOP###", True)
    system, *rest = [(message.role, message.content) for message in said.conversations[-1]]
    assert system[0] == "system"
    assert INSTRUCTION in system[1]
    assert "###STOP###" in system[1]
    assert rest == [
        ("user", GREETING),
        ("assistant", "I want my money back."),
        ("user", "Here it is."),
    ]
    assert seeds(said) == [7, 8]


def test_the_end_may_stand_beside_other_words() -> None:
    assert talk(model("Thanks! ###STOP###"), PlainStrategy())[0].done


def test_a_user_that_says_nothing_is_asked_again() -> None:
    said = model("", " \n", "Hello")
    (reply,) = talk(said, PlainStrategy())
    assert (reply.content, reply.usage) == ("Hello", Usage(30, 3, 1.5))
    assert seeds(said) == [7, 8, 9]


@pytest.mark.parametrize("answer", ["", "x" * 20_001])
def test_a_user_that_says_nothing_useful_three_times_is_a_failure_of_its_model(answer: str) -> None:
    with pytest.raises(ModelError, match="after 3 tries: as the user it says what cannot be used"):
        talk(model(*[answer] * 3), PlainStrategy())


def test_the_thought_of_a_reacting_user_is_remembered_and_not_sent() -> None:
    answer = "Thought:\nNot yet ###STOP###.\n\nUser Response:\nMy money, please."
    said = model(answer, "**Thought:** Done.\n**User Response:** ###STOP###")
    first, last = talk(said, ReactStrategy(), "Sure.")
    assert (first.content, first.done) == ("My money, please.", False)
    assert (last.content, last.done) == ("###STOP###", True)
    assert said.conversations[1][2].content == answer
    assert "User Response:" in said.conversations[0][0].content


def test_a_reacting_user_without_a_response_is_asked_again() -> None:
    said = model("Thought: I wonder.", "My money.", "User Response:", "User Response: Hm.", "###STOP###")
    with pytest.raises(ModelError, match="it has no User Response"):
        talk(said, ReactStrategy())
    assert [reply.content for reply in talk(said, ReactStrategy(), "Hm?")] == ["Hm.", "###STOP###"]


def test_a_verified_message_is_sent_once_the_supervisor_accepts_it() -> None:
    said = model("I am Bob.", "False: the name is Ann.", "I am Ann.", "True")
    (reply,) = talk(said, VerifyingStrategy())
    assert (reply.content, reply.usage) == ("I am Ann.", Usage(40, 4, 2.0))
    (question,) = said.conversations[1]
    assert question.role == "user"
    for part in (INSTRUCTION, f"Agent: {GREETING}", "I am Bob.", "true or false"):
        assert part in question.content
    assert said.conversations[2] == said.conversations[0]
    assert seeds(said) == [7, 8, 9, 10]


def test_the_last_draft_is_sent_and_remembered_without_a_further_question() -> None:
    said = model("One", "no", "Two", "", "Three", "Four", "true")
    assert [reply.content for reply in talk(said, VerifyingStrategy(), "And?")] == ["Three", "Four"]
    assert [message.content for message in said.conversations[5][2:]] == ["Three", "And?"]


def test_a_reflecting_user_is_told_what_was_wrong_and_does_not_remember_it() -> None:
    said = model("I am Bob.", "false", "You are Ann.", "I am Ann.", "true", "###STOP###", "true")
    first, _ = talk(said, ReflectingStrategy(), "Bye.")
    assert (first.content, first.usage) == ("I am Ann.", Usage(50, 5, 2.5))
    draft, remark = said.conversations[3][2:]
    assert (draft.role, draft.content) == ("assistant", "I am Bob.")
    assert (remark.role, remark.content) == (
        "user",
        "(This was not sent. You are Ann. Write your message anew.)",
    )
    assert [message.content for message in said.conversations[5][2:]] == ["I am Ann.", "Bye."]


def test_a_price_that_is_not_known_makes_the_cost_unknown() -> None:
    unknown = ModelReply("true", usage=Usage(10, 1, None))
    (reply,) = talk(Said(says("Hello"), unknown), VerifyingStrategy())
    assert reply.usage == Usage(20, 2, None)
