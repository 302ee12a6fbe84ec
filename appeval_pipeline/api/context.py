"""What routes work with, and how they get it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Final, ParamSpec, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from fastapi import Depends, Query, Request
from fastapi import Path as PathParameter

from appeval_pipeline.api.runs.protocol import Runs
from appeval_pipeline.api.shared_store import SharedStore

P = ParamSpec("P")
T = TypeVar("T")

MAX_AT_ONCE: Final = 4
"""Actions and comparisons that are at work at a time; others wait their turn."""
MAX_VERSION: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Context:
    """One server's data, results and runs.

    Attributes:
        data_dir: Where definitions and scenarios are.
        store: What is stored.
        runs: Starts runs.
        limiter: Bounds how much is computed at a time.
        run_limiter: Bounds how many threads deal with runs: starting one takes seconds, and reads go on.
        ending: Set when the server is told to end: who waits for a run is answered then.
        poll_s: How often a run that is waited for is looked at.
    """

    data_dir: Path
    store: SharedStore
    runs: Runs
    poll_s: float = 0.25
    ending: threading.Event = field(default_factory=threading.Event)
    limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(MAX_AT_ONCE))
    run_limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(MAX_AT_ONCE))

    async def read(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function that looks something up in a thread: the event loop waits for nobody."""
        return await anyio.to_thread.run_sync(partial(function, *args, **kwargs))

    async def compute(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call a function that takes its time in a thread, with few others."""
        return await anyio.to_thread.run_sync(partial(function, *args, **kwargs), limiter=self.limiter)


def _context(request: Request) -> Context:
    found = request.app.state.context
    assert isinstance(found, Context)
    return found


ContextOf = Annotated[Context, Depends(_context)]
AppId = Annotated[str, PathParameter(description="The app's id", examples=["paypal"])]
WantedVersion = Annotated[
    int | None,
    Query(
        alias="version",
        description="Its version; the latest if not given",
        ge=1,
        le=MAX_VERSION,
        examples=[2],
    ),
]
