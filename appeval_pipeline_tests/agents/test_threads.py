"""Calls that nobody waits for any longer, at the end of the process."""

from __future__ import annotations

import subprocess
import sys

ABANDONING = """\
import asyncio, threading, time
from appeval_pipeline.agents.models.threads import in_daemon_thread

def work():
    threading.Event().wait({seconds})
    print("finished", flush=True)

async def main():
    try:
        async with asyncio.timeout(0.05):
            await in_daemon_thread(work)
    except TimeoutError:
        print("abandoned", flush=True)

asyncio.run(main())
"""


def abandon(seconds: float) -> str:
    program = ABANDONING.format(seconds=seconds)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    ).stdout


def test_a_call_at_work_ends_before_the_interpreter_does() -> None:
    assert abandon(0.5).split() == ["abandoned", "finished"]


def test_a_call_that_hangs_holds_the_end_of_the_process_up_for_a_moment_only() -> None:
    assert abandon(600).split() == ["abandoned"]
