"""``appeval agent`` on a small app."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Appeval

TASK = """\
name: Twice
description: Bring the total to 2.
app_id: tally
agent: alice
goal_condition: shared.total == 2
max_steps: 5
candidate_values: {amount: [1, 2]}
"""


def write_task(data: Path, text: str = TASK) -> None:
    folder = data / "apps" / "tally" / "tasks"
    folder.mkdir()
    (folder / "twice.yaml").write_text(text)


def test_the_oracle_is_shown_with_the_fewest_actions(appeval: Appeval, data: Path) -> None:
    write_task(data)
    result = appeval("agent", "tally", "--agent", "oracle", "--trials", "2")
    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["Twice", "100%", "34%–100%", "1.0", "1", "1.00", "1.00", "0", "0"] in rows


def test_json_has_every_step(appeval: Appeval, data: Path) -> None:
    write_task(data)
    (evaluation,) = json.loads(appeval("agent", "tally", "--json").stdout)
    (step,) = evaluation["trials"][0]["trajectory"]["steps"]
    assert step["action"]["arguments"] == {"amount": 2}
    assert evaluation["optimal_actions"] == 1


def test_what_cannot_be_used_is_an_error(appeval: Appeval, data: Path) -> None:
    assert "no task for tally@1; tasks: none" in appeval("agent", "tally").stderr
    write_task(data, TASK.replace("total == 2", "totals >"))
    broken = appeval("agent", "tally")
    assert (broken.returncode, "twice.yaml" in broken.stderr) == (2, True)
    unknown = appeval("agent", "tally", "--agent", "chess")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "expected noop, random, oracle, or module:Class" in unknown.stderr
