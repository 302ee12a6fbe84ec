"""Fixtures of the engine's tests."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

SECONDS = 2.0


@pytest.fixture
def soon() -> Iterator[None]:
    """The test ends within 2 s."""
    started = time.perf_counter()
    yield
    assert time.perf_counter() - started < SECONDS
