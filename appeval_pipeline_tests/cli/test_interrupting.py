"""Ctrl-C during ``appeval run`` and ``appeval agent``."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

from appeval_pipeline.store import Database, query

from .conftest import PATIENCE_S, Appeval, StartAppeval
from .test_agent import write_task

AGENT = """\
import asyncio
from pathlib import Path

from appeval_pipeline.agents import NoopAgent


class Waiting(NoopAgent):
    async def start(self, briefing, seed):
        with Path("episodes").open("a") as file:
            file.write(f"{seed} ")
        if seed == 2 and not Path("interrupted").exists():
            Path("waiting").touch()
            await asyncio.sleep(600)
"""


def interrupt(start_appeval: StartAppeval, folder: Path, *command: str, **extra: str) -> tuple[int, str]:
    """Start a command, interrupt it once its agent waits; the exit code, and what it said."""
    process = start_appeval(*command, **extra)
    assert process.stderr is not None
    deadline = time.monotonic() + PATIENCE_S
    while not (folder / "waiting").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    (folder / "interrupted").touch()
    return process.returncode, said


def test_an_interrupted_run_starts_no_other_and_the_next_one_goes_on(
    appeval: Appeval, start_appeval: StartAppeval, data: Path, tmp_path: Path
) -> None:
    write_task(data)
    (tmp_path / "waiting_agent.py").write_text(AGENT)
    extra = {"PYTHONPATH": str(tmp_path), "APPEVAL_AGENTS": "waiting_agent:Waiting*4"}
    code, said = interrupt(start_appeval, tmp_path, "run", **extra)
    assert code == 130, said
    assert "Interrupted: the same command goes on where this one was." in said
    assert "Traceback" not in said
    again = appeval("run", "--json", **extra)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["evaluated_count"] == 2
    assert sorted((tmp_path / "episodes").read_text().split()) == ["0", "1", "2", "2", "3"]
    assert list((tmp_path / ".appeval" / "trials").iterdir()) == []  # they are stored now
    store = Database(tmp_path / ".appeval" / "appeval.duckdb")
    trials = query(store, "SELECT agent, seed FROM agent_trials ORDER BY ALL").rows
    assert trials == tuple(("waiting_agent:Waiting", seed) for seed in range(4))


def test_an_interrupted_agent_goes_on(
    appeval: Appeval, start_appeval: StartAppeval, data: Path, tmp_path: Path
) -> None:
    write_task(data)
    (tmp_path / "waiting_agent.py").write_text(AGENT)
    command = ("agent", "tally", "--agent", "waiting_agent:Waiting", "--trials", "4")
    code, said = interrupt(start_appeval, tmp_path, *command, PYTHONPATH=str(tmp_path))
    assert (code, "Interrupted" in said, "Traceback" in said) == (130, True, False)
    again = appeval(*command, PYTHONPATH=str(tmp_path))
    assert again.returncode == 0, again.stderr
    assert "going on after 2 trials" in again.stderr
