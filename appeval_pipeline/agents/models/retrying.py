"""Asking again where the way to the service failed, and nowhere else."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import tenacity

from appeval_pipeline.agents.models.protocol import ModelReply

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 30.0
LONGEST_RETRY_AFTER_S: Final = 60.0
"""A service that asks for more patience is asked again after this all the same."""

Sleep: TypeAlias = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class FailedTry:
    """A try that brought no answer.

    Attributes:
        what: What happened, in one line and without keys.
        may_pass: Whether the same question may be answered another time: a lost connection, not a refusal.
        retry_after_s: How long the service asks to wait.
    """

    what: str
    may_pass: bool
    retry_after_s: float | None = None


Try: TypeAlias = ModelReply | FailedTry


@dataclass(frozen=True, slots=True)
class Patience:
    """How often, and after how long, a question is asked again.

    Attributes:
        max_retries: Tries after the first.
        sleep: Waits so many seconds.
        chance: Spreads the waits of many trials that failed together.
    """

    max_retries: int
    sleep: Sleep
    chance: random.Random

    async def ask(self, attempt: Callable[[], Awaitable[Try]]) -> tuple[Try, ...]:
        """All tries in order; the last one is the outcome."""
        tries: list[Try] = []

        async def ask_once() -> Try:
            tries.append(await attempt())
            return tries[-1]

        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_result(_may_pass),
            stop=tenacity.stop_after_attempt(self.max_retries + 1),
            wait=lambda _: self.wait_s(tries),
            sleep=self.sleep,
            retry_error_callback=lambda _: tries[-1],
        )
        await retrying(ask_once)
        return tuple(tries)

    def wait_s(self, tries: list[Try]) -> float:
        """Seconds before the next try: half to all of 1, 2, 4 … 30, or a bit more than is asked for."""
        last = tries[-1]
        asked = last.retry_after_s if isinstance(last, FailedTry) else None
        if asked is not None:
            return min(asked, LONGEST_RETRY_AFTER_S) + self.chance.uniform(0, FIRST_WAIT_S / 2)
        longest = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (len(tries) - 1))
        return longest * self.chance.uniform(0.5, 1)


def _may_pass(outcome: Try) -> bool:
    return isinstance(outcome, FailedTry) and outcome.may_pass
