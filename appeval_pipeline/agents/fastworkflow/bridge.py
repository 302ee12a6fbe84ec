"""Between a blocking library, in a thread of its own, and an event loop that takes one action at a time.

The thread asks, the loop answers; between the two stands at most one request. Whoever is in the loop may end
the thread at any time: it stops at its next request, for whatever it waits for never comes.
"""

from __future__ import annotations

import asyncio
import atexit
import queue
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from appeval_pipeline.agents.models import Message, ModelReply
from appeval_pipeline.agents.protocol import Action, Observation

T = TypeVar("T")

_GRACE_S: Final = 2.0
"""How long the interpreter, when it ends, waits for all threads together."""


@dataclass(frozen=True, slots=True)
class Question:
    """The thread asks the model."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Failed:
    """The thread broke down."""

    failure: Exception


Request: TypeAlias = Question | Action | Failed


class Ended(BaseException):
    """The episode is over.

    No ``Exception``, so that a library that goes on after any failure does not go on after this one.
    """


class Bridge:
    """One thread and its requests; made in the event loop that answers them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._requests: asyncio.Queue[Request] = asyncio.Queue()
        self._answers: queue.SimpleQueue[ModelReply | Observation | None] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, work: Callable[[Bridge], None]) -> None:
        """Begin the thread's work; what it raises becomes a request."""

        def run() -> None:
            try:
                work(self)
            except Ended:
                pass
            except Exception as failure:  # noqa: BLE001 - the boundary of the thread: told to the loop
                self._post(Failed(failure))

        self._thread = threading.Thread(target=run, name="appeval-fastworkflow", daemon=True)
        _under_way.add(self)
        self._thread.start()

    def end(self) -> None:
        """Stop the thread at its next request; it may be called from anywhere, and more than once."""
        self._ended.set()
        self._answers.put(None)

    def join(self, timeout_s: float) -> bool:
        """Wait for the thread; whether it is gone."""
        if self._thread is None:
            return True
        self._thread.join(max(0.0, timeout_s))
        return not self._thread.is_alive()

    # In the event loop

    async def next_request(self) -> Request:
        """What the thread wants next."""
        return await self._requests.get()

    def answer(self, answer: ModelReply | Observation) -> None:
        """What comes of the last request."""
        self._answers.put(answer)

    # In the thread

    def ask_model(self, messages: tuple[Message, ...]) -> ModelReply:
        """What the model says.

        Raises:
            Ended: The episode is over.
        """
        return self._wait(Question(messages), ModelReply)

    def act(self, action: Action) -> Observation:
        """What comes of an action.

        Raises:
            Ended: The episode is over.
        """
        return self._wait(action, Observation)

    def _wait(self, request: Request, expected: type[T]) -> T:
        self._post(request)
        answer = self._answers.get()
        if not isinstance(answer, expected):  # None: the end
            raise Ended
        return answer

    def _post(self, request: Request) -> None:
        if self._ended.is_set():
            raise Ended
        try:
            self._loop.call_soon_threadsafe(self._requests.put_nowait, request)
        except RuntimeError:  # the loop is closed: nobody is there to answer
            raise Ended from None


_under_way: Final[weakref.WeakSet[Bridge]] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """Threads that the interpreter's end stops in the midst of work may keep locks that this end needs."""
    bridges = list(_under_way)
    for bridge in bridges:
        bridge.end()
    deadline = time.monotonic() + _GRACE_S
    for bridge in bridges:
        bridge.join(deadline - time.monotonic())
