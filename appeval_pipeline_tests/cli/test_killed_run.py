"""``appeval run``, killed while an agent is at work: what had finished is not done twice.

The same is shown faster of a run that is interrupted, and of `appeval agent` that is killed.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from appeval_pipeline.store import Database, query

from .conftest import PATIENCE_S, Appeval, StartAppeval
from .test_agent import write_task

SLOW_AGENT = """\
import asyncio
from pathlib import Path

from appeval_pipeline.agents import RandomAgent


class Slow(RandomAgent):
    async def start(self, briefing, seed):
        with Path("episodes").open("a") as file:
            file.write(f"{seed} ")
        if seed == 3 and not Path("killed").exists():
            await asyncio.sleep(600)
        await super().start(briefing, seed)
"""
AGENTS = "oracle, slow_agent:Slow*5"


def finished_trials(folder: Path) -> int:
    """Lines of the journal, but for its first."""
    return sum(len(path.read_text().splitlines()) - 1 for path in folder.glob("*.jsonl"))


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(
    appeval: Appeval, start_appeval: StartAppeval, data: Path, tmp_path: Path
) -> None:
    write_task(data)
    (tmp_path / "slow_agent.py").write_text(SLOW_AGENT)
    journals = tmp_path / ".appeval" / "trials"
    extra = {"PYTHONPATH": str(tmp_path), "APPEVAL_AGENTS": AGENTS}
    process = start_appeval("run", "--app", "tally", **extra)
    deadline = time.monotonic() + PATIENCE_S
    while finished_trials(journals) < 4:  # all but the one that sleeps
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.kill()
    process.wait()
    (tmp_path / "killed").touch()

    resumed = appeval("run", "--app", "tally", **extra)
    assert resumed.returncode == 0, resumed.stderr
    assert sorted((tmp_path / "episodes").read_text().split()) == ["0", "1", "2", "3", "3", "4"]
    assert list(journals.iterdir()) == []  # it is stored now
    store = Database(tmp_path / ".appeval" / "appeval.duckdb")
    rows = query(store, "SELECT agent, trial_count, infra_errors FROM agent_evaluations ORDER BY agent").rows
    assert rows == (("oracle", 1, 0), ("slow_agent:Slow", 5, 0))
    seeds = query(store, "SELECT seed FROM agent_trials WHERE agent <> 'oracle' ORDER BY trial").rows
    assert seeds == ((0,), (1,), (2,), (3,), (4,))

    again = appeval("run", "--app", "tally", **extra)
    assert again.returncode == 0, again.stderr
    assert len((tmp_path / "episodes").read_text().split()) == 6  # all is fresh
