"""Trials of tau-bench experiments."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import duckdb

from appeval_pipeline.store.export.report.texts import cut, spaced
from appeval_pipeline.store.export.report.trials import (
    FIRST_STEPS,
    LAST_STEPS,
    MAX_CHANGES,
    MAX_TEXT,
    MAX_TRIALS,
    MAX_TRIALS_OF_A_TASK,
    Fault,
    Step,
    Trial,
    grouped,
    quoted,
)

_MAX_FAULTS = 20
_INSTRUCTION = 2000
"""Characters of what the user wants."""

_RANKED = f"""
SELECT partition_key, task_id, trial, seed, end_reason, reward, succeeded, step_count, database_equal,
    outputs_found, reward_info, error,
    row_number() OVER (PARTITION BY partition_key, task_id ORDER BY place, succeeded, trial) AS rank
FROM (
    SELECT *, row_number() OVER (PARTITION BY partition_key, task_id, succeeded ORDER BY trial) AS place
    FROM tau_trials
)
QUALIFY rank <= {MAX_TRIALS_OF_A_TASK}
ORDER BY rank, partition_key, task_id LIMIT {MAX_TRIALS}
"""

_STEPS = f"""
SELECT s.partition_key, s.task_id, s.trial, s.step_index, s.kind, s.tool, left(s.arguments::VARCHAR, 5000),
    s.arguments::VARCHAR <> left(s.arguments::VARCHAR, 5000), left(s.said, 5000), left(s.observation, 5000),
    left(s.error, 5000), s.written
FROM tau_steps AS s
JOIN ({_RANKED}) AS t USING (partition_key, task_id, trial)
WHERE s.step_index < {FIRST_STEPS} OR s.step_index >= t.step_count - {LAST_STEPS}
    OR t.step_count <= {FIRST_STEPS + LAST_STEPS}
ORDER BY ALL
"""

_FAULTS = f"""
SELECT partition_key, task_id, trial, kind, step_index, detail FROM tau_faults
QUALIFY row_number() OVER (PARTITION BY partition_key, task_id, trial ORDER BY position) <= {_MAX_FAULTS}
ORDER BY partition_key, task_id, trial, position
"""

_TASKS = "SELECT partition_key, task_id, instruction, actions, outputs FROM tau_tasks"


def tau_trials(
    connection: duckdb.DuckDBPyConnection, experiments: Collection[str]
) -> Iterator[tuple[int, Trial]]:
    """Each trial with its rank among those of its task, from 1; in the order of tasks."""
    rows = [row for row in connection.execute(_RANKED).fetchall() if row[0] in experiments]
    if not rows:
        return
    steps = grouped(connection.execute(_STEPS).fetchall(), 3)
    faults = grouped(connection.execute(_FAULTS).fetchall(), 3)
    tasks = {tuple(row[:2]): row[2:] for row in connection.execute(_TASKS).fetchall()}
    agents = dict(connection.execute("SELECT partition_key, agent FROM tau_experiments").fetchall())
    for row in sorted(rows, key=lambda row: row[:3]):
        key = tuple(row[:3])
        made = tuple(_step(found) for found in steps.get(key, ()))
        wrong = tuple(map(_fault, faults.get(key, ())))
        yield row[-1], _trial(row, str(agents.get(row[0]) or ""), made, wrong, tasks.get(key[:2]))


def _fault(row: Sequence[Any]) -> Fault:
    kind, step, detail = row
    return Fault(kind, step, cut(detail, MAX_TEXT))


def _trial(
    row: Sequence[Any],
    agent: str,
    steps: tuple[Step, ...],
    faults: tuple[Fault, ...],
    task: Sequence[Any] | None,
) -> Trial:
    partition, task_id, number, seed, end, reward, succeeded, count, database, outputs, info, error, _ = row
    facts = []
    if task is not None:
        instruction, actions, said = task
        facts.append(("the user wants", cut(instruction or "", _INSTRUCTION)))
        facts.append(("expected actions", cut(_actions(actions), _INSTRUCTION)))
        if said != "[]":
            facts.append(("must be said", cut(", ".join(map(str, json.loads(said))), MAX_TEXT)))
    if database is not None:
        facts.append(("database as it must be", "yes" if database else "no"))
    if outputs is not None:
        facts.append(("all said that must be", "yes" if outputs else "no"))
    if succeeded is False:
        facts.append(("what the reward is made of", cut(spaced(info), _INSTRUCTION)))
    facts.append(("seed", str(seed)))
    if error:
        facts.append(("what broke down", cut(error, MAX_TEXT)))
    return Trial(
        id=f"{partition}/{task_id}/{number}",
        partition=partition,
        asset="tau_trials",
        task=f"task {task_id}",
        owner=str(task_id),
        agent=agent,
        number=number,
        outcome="broken" if succeeded is None else "passed" if succeeded else "failed",
        why=_end(end, succeeded),
        reward=reward,
        step_count=count,
        facts=tuple(facts),
        faults=faults,
        steps=steps,
        query=f"SELECT * FROM tau_steps WHERE partition_key = {quoted(partition)}"
        f" AND task_id = {task_id} AND trial = {number} ORDER BY step_index",
    )


def _end(end: str, succeeded: bool | None) -> str:
    words = {
        "done": "the user had no more to say",
        "stopped": "the agent stopped",
        "max_steps": "there were no steps left",
        "invalid_action": "the agent's answer was no action",
        "token_limit": "its tokens were used up",
        "cost_limit": "its money was used up",
        "time_limit": "its time was used up",
        "infra_error": "it broke down through no fault of the agent and counts in nothing",
    }
    reason = words.get(end, end.replace("_", " "))
    return f"{reason}; the task was not fulfilled" if succeeded is False else reason


def _actions(document: str) -> str:
    return ", then ".join(
        f"{action.get('name')} {json.dumps(action.get('kwargs', {}), ensure_ascii=False)}"
        for action in json.loads(document)
    )


def _step(row: Sequence[Any]) -> Step:
    index, kind, tool, arguments, is_cut, said, observation, error, written = row
    records = [f"{one.get('table')} {one.get('record')}" for one in json.loads(written) or ()]
    return Step(
        index=index,
        action=tool or kind.replace("_", " "),
        arguments=cut(arguments if is_cut else spaced(arguments), MAX_TEXT) if tool else "",
        said=cut(said or "", MAX_TEXT),
        observation=cut(observation, MAX_TEXT),
        error=cut(error or "", MAX_TEXT),
        failed=error is not None,
        told=(),
        changes=(),
        written=tuple(cut(one, 120) for one in records[:MAX_CHANGES]),
        changes_left_out=max(0, len(records) - MAX_CHANGES),
    )
