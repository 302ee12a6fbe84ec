"""Fixtures of the engine's tests."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

SECONDS = 2.0


@pytest.fixture
def soon() -> Iterator[None]:
    """The test ends within 2 s of the process's own time: what else the machine does is not counted."""
    started = time.process_time()
    yield
    assert time.process_time() - started < SECONDS
