"""What gpt-4o really did on tau-bench's airline tasks, as trials and as a file in tau-bench's form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from appeval_pipeline.taubench.results import TauResult

PUBLISHED = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}
STANDARD_ERRORS = {1: 0.0522, 2: 0.0555, 3: 0.0565, 4: 0.0571}

_LINES = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
OUTCOMES = [
    [digit == "1" for digit in word] for line in _LINES if not line.startswith("#") for word in line.split()
]
"""Of 50 tasks, 4 trials each."""


def results() -> list[TauResult]:
    return [
        TauResult(task, trial, float(succeeded))
        for task, trials in enumerate(OUTCOMES)
        for trial, succeeded in enumerate(trials)
    ]


def records() -> list[dict[str, Any]]:
    """As tau-bench writes them: all tasks of a trial, then the next trial."""
    return [
        {
            "task_id": task,
            "reward": float(trials[trial]),
            "info": {"user_cost": 0.01, "source": "user"},
            "traj": [
                {"role": "system", "content": "policy"},
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": "hi"},
                {"role": "user", "content": "bye"},
            ],
            "trial": trial,
        }
        for trial in range(4)
        for task, trials in enumerate(OUTCOMES)
    ]


def write(path: Path, made: object) -> Path:
    path.write_text(json.dumps(made, indent=2), encoding="utf-8")
    return path
