"""Waiting for a blocking call without blocking the event loop, or the end of the process."""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

T = TypeVar("T")

_GRACE_S: Final = 2.0
"""How long the interpreter, when it ends, waits for abandoned calls, all together.

One that waits for the network may be left behind. One at work may not: stopped at any instruction, it can
leave a lock taken that the interpreter's own end needs, and the process would hang.
"""


async def in_daemon_thread(call: Callable[[], T]) -> T:
    """What a call returns or raises, from a thread of its own.

    Whoever is cancelled while waiting abandons the call, which ends by its own time limits: nobody waits for
    it, but for a moment when the interpreter ends. The threads of an executor would be waited for.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

    def settle(action: Callable[[], None]) -> None:
        if not answer.done():
            action()

    def work() -> None:
        try:
            result = call()
        except BaseException as failure:  # noqa: BLE001 - raised again by whoever waits
            outcome = _failing(answer, failure)
        else:
            outcome = _returning(answer, result)
        with suppress(RuntimeError):  # the loop may be closed: nobody waits any longer
            loop.call_soon_threadsafe(settle, outcome)

    thread = threading.Thread(target=work, name="appeval-model", daemon=True)
    thread.start()
    try:
        return await answer
    except asyncio.CancelledError:
        _abandoned.add(thread)
        raise


_abandoned: Final[weakref.WeakSet[threading.Thread]] = weakref.WeakSet()


@atexit.register
def _wait_for_abandoned() -> None:
    deadline = time.monotonic() + _GRACE_S
    for thread in list(_abandoned):
        thread.join(max(0.0, deadline - time.monotonic()))


def _failing(answer: asyncio.Future[T], failure: BaseException) -> Callable[[], None]:
    return lambda: answer.set_exception(failure)


def _returning(answer: asyncio.Future[T], result: T) -> Callable[[], None]:
    return lambda: answer.set_result(result)
