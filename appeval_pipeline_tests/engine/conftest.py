"""Fixtures of the engine's tests."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from appeval_pipeline_tests.timing import process_seconds

SECONDS = 2.0
MEGABYTES = 200.0
_STATUS = Path("/proc/self/status")


def _megabytes(key: str) -> float | None:
    """A figure of this process's memory; None where the system has none."""
    if not _STATUS.exists():
        return None
    match = re.search(rf"{key}:\s+(\d+) kB", _STATUS.read_text())
    return int(match.group(1)) / 1024 if match else None


@pytest.fixture
def soon() -> Iterator[None]:
    """The test ends within 2 s of a quiet machine and takes no more than 200 MB on top."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")  # forget the highest use so far
    before = _megabytes("VmRSS")
    # What other tests have left in this process is not the engine's to be searched for garbage.
    gc.freeze()
    try:
        with process_seconds(SECONDS):
            yield
    finally:
        gc.unfreeze()
    peak = _megabytes("VmHWM")
    if before is not None and peak is not None:
        assert peak - before < MEGABYTES
