"""Small data directories to evaluate."""

from __future__ import annotations

import os
from pathlib import Path

DEFINITION = """\
# A counter that everybody shares.
app_id: {app_id}
name: {name}
category: custom
state_schema:
  - {{name: count, type: number, default: 0, perAgent: false}}
actions:
  - name: increase
    description: Raises the count by a positive amount.
    parameters:
      amount: {{type: number, required: true, minValue: 1}}
    logic:
      - {{type: update, target: shared.count, operation: add, value: params.amount}}
      - {{type: return, value: {{count: shared.count}}}}
"""

POOR_DEFINITION = """\
app_id: {app_id}
name: {name}
category: custom
actions:
  - name: divide
    parameters:
      Amount: {{type: number, required: true}}
    logic:
      - {{type: return, value: {{x: 1 / params.Amount}}}}
"""

INVALID_DEFINITION = """\
app_id: {app_id}
name: {name}
category: custom
actions: []
"""

SCENARIO = """\
name: Counting
app_id: {app_id}
setup:
  agents: [alice]
steps:
  - name: one more
    agent: alice
    action: increase
    params: {{amount: 1}}
    expect:
      data: {{count: {count}}}
"""

TASK = """\
name: {name}
description: Bring the count to 3.
app_id: {app_id}
agent: alice
goal_condition: {goal}
max_steps: 4
candidate_values: {{amount: [1, 2]}}
"""
"""What the search finds first is one and then two: two actions."""

LONG_AGO = 1_700_000_000


def write(path: Path, text: str, *, modified: float = LONG_AGO) -> Path:
    """Write a file that looks as if it had been there for long."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (modified, modified))
    return path


def add_version(
    data_dir: Path,
    app_id: str = "counter",
    version: int = 1,
    *,
    template: str = DEFINITION,
    name: str | None = None,
    root: str = "apps",
) -> Path:
    text = template.format(app_id=app_id, name=name or f"Counter {version}")
    return write(data_dir / root / app_id / f"v{version}.yaml", text)


def add_scenario(
    data_dir: Path, app_id: str = "counter", *, file: str = "counting.yaml", count: int = 1, extra: str = ""
) -> Path:
    text = SCENARIO.format(app_id=app_id, count=count) + extra
    return write(data_dir / "apps" / app_id / "scenarios" / file, text)


def add_task(
    data_dir: Path,
    app_id: str = "counter",
    *,
    file: str = "three.yaml",
    name: str = "Three",
    goal: str = "shared.count == 3",
    extra: str = "",
) -> Path:
    text = TASK.format(app_id=app_id, name=name, goal=goal) + extra
    return write(data_dir / "apps" / app_id / "tasks" / file, text)
