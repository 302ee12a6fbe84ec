"""A service on loopback whose models play tau-bench: an agent that knows the answers, and a customer.

What they say depends on the conversation and the seed alone, so that a trial can be done again.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from appeval_pipeline.agents import Reply
from appeval_pipeline.taubench import OracleTauAgent, TauSuite
from appeval_pipeline_tests.agents.scripted_server import Answer, ScriptedServer, call, completion, error

_SIDES = {"You play": "user", "You supervise": "supervisor"}


@dataclass(frozen=True)
class Question:
    """What a model is asked.

    Attributes:
        side: ``agent``, ``user`` or ``supervisor``.
        turn: How often this side has spoken before.
    """

    side: str
    task: int
    turn: int
    seed: int


class PlayingServer(ScriptedServer):
    """Answers as an agent, or as a customer who says the instruction and is content with the first reply.

    Args:
        gives_up: Whether the agent says goodbye at once in trials of some seeds, and so fails.
        meet: Called within each request.

    Attributes:
        questions: All that were asked, also those that were not answered.
        most_at_once: Requests.
    """

    def __init__(
        self,
        suite: TauSuite,
        *,
        gives_up: bool = False,
        failing: Callable[[Question, int], Answer | None] = lambda question, attempt: None,
        meet: Callable[[], None] = lambda: None,
        delay_s: float = 0.0,
    ) -> None:
        super().__init__([])
        self.questions: list[Question] = []
        self.most_at_once = 0
        self._tasks = {task.id: task for task in suite.tasks}
        self._gives_up = gives_up
        self._failing = failing
        self._meet = meet
        self._delay_s = delay_s
        self._attempts: Counter[Question] = Counter()
        self._at_once = 0
        self._counting = threading.Lock()

    def _next(self, body: dict[str, Any], key: str) -> Answer:
        with self._counting:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            question = self._question(body)
            self.questions.append(question)
            self.keys.append(key)
            attempt, self._attempts[question] = self._attempts[question], self._attempts[question] + 1
        self._meet()
        with self._counting:
            self._at_once -= 1
        return self._failing(question, attempt) or self._answer(question)

    def _question(self, body: Mapping[str, Any]) -> Question:
        messages = body["messages"]
        turn = sum(message["role"] == "assistant" for message in messages)
        side = _SIDES.get(" ".join(messages[0]["content"].split()[:2]), "agent")
        told = messages[1 if side == "agent" else 0]["content"]
        task = next(task.id for task in self._tasks.values() if task.instruction in told)
        return Question(side, task, turn, body["seed"])

    def _answer(self, question: Question) -> Answer:
        if question.side == "supervisor":
            return self._after_a_while(completion("true"))
        if question.side == "user":
            said = "###STOP###" if question.turn else self._tasks[question.task].instruction
            return self._after_a_while(completion(said))
        if self._gives_up and question.seed % 3 == 0:
            return self._after_a_while(completion("Goodbye."))
        action = OracleTauAgent(self._tasks[question.task]).actions[question.turn]
        if isinstance(action, Reply):
            return self._after_a_while(completion(action.content))
        assert hasattr(action, "arguments")
        called = call(action.name, dict(action.arguments), f"call_{question.turn}")
        return self._after_a_while(completion(None, called))

    def _after_a_while(self, answer: Answer) -> Answer:
        return Answer(answer.status, answer.body, answer.headers, delay_s=self._delay_s)


def fails_often(share: float, seed: int) -> Callable[[Question, int], Answer | None]:
    """A share of all calls fails, with 429 or 500; which ones follows from the seed."""

    def failing(question: Question, attempt: int) -> Answer | None:
        place = f"{seed}/{question.side}/{question.task}/{question.turn}/{question.seed}/{attempt}"
        chance = random.Random(place)
        if chance.random() >= share:
            return None
        return error(chance.choice((429, 500)))

    return failing
