"""Trials of agents on the tasks of each app's latest version."""

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
    Change,
    Step,
    Trial,
    grouped,
    quoted,
)

_MAX_TOLD = 5
_MAX_VALUE = 200
"""Characters of a value before or after."""

_LATEST = "(app_id, version) IN (SELECT (app_id, max(version)) FROM app_versions GROUP BY app_id)"

_RANKED = f"""
SELECT app_id, partition_key, file_path, task, agent, trial, end_reason, goal_reached, reward, step_count,
    actions_to_goal, error, seed,
    row_number() OVER (PARTITION BY partition_key, file_path, agent ORDER BY place, trial) AS rank
FROM (
    SELECT *, row_number() OVER (
        PARTITION BY partition_key, file_path, agent, goal_reached ORDER BY trial
    ) AS place
    FROM agent_trials WHERE {_LATEST}
)
QUALIFY rank <= {MAX_TRIALS_OF_A_TASK}
ORDER BY rank, partition_key, file_path, agent LIMIT {MAX_TRIALS}
"""

_STEPS = f"""
SELECT s.partition_key, s.file_path, s.agent, s.trial, s.step_index, s.kind, s.action,
    left(s.params::VARCHAR, 5000), s.params::VARCHAR <> left(s.params::VARCHAR, 5000), left(s.said, 5000),
    s.success, left(s.observation, 5000), left(s.error, 5000), s.state_diff, s.observations
FROM agent_steps AS s
JOIN ({_RANKED}) AS t USING (partition_key, file_path, agent, trial)
WHERE s.step_index < {FIRST_STEPS} OR s.step_index >= t.step_count - {LAST_STEPS}
    OR t.step_count <= {FIRST_STEPS + LAST_STEPS}
ORDER BY ALL
"""

_TASKS = f"""
SELECT partition_key, file_path, agent, optimal_actions, optimal_plan FROM agent_evaluations
WHERE {_LATEST} AND status = 'evaluated'
"""


def app_trials(connection: duckdb.DuckDBPyConnection, apps: Collection[str]) -> Iterator[tuple[int, Trial]]:
    """Each trial with its rank among those of its task and agent, from 1; in the order of their tasks."""
    rows = [row for row in connection.execute(_RANKED).fetchall() if row[0] in apps]
    if not rows:
        return
    steps = grouped(connection.execute(_STEPS).fetchall(), 4)
    plans = {tuple(row[:3]): tuple(row[3:]) for row in connection.execute(_TASKS).fetchall()}
    for row in sorted(rows, key=lambda row: (*row[1:3], row[4], row[5])):
        partition, file, _, agent, number = row[1:6]
        made = [_step(found) for found in steps.get((partition, file, agent, number), ())]
        yield row[-1], _trial(row, tuple(made), plans.get((partition, file, agent)))


def _trial(row: Sequence[Any], steps: tuple[Step, ...], plan: tuple[Any, ...] | None) -> Trial:
    _, partition, file, task, agent, number, end, reached, reward, count, to_goal, error, seed, _ = row
    facts = [("seed", str(seed))]
    if to_goal is not None:
        facts.append(("actions to the goal", str(to_goal)))
    if plan is not None and plan[0] is not None:
        facts.append(("fewest actions known", str(plan[0])))
        facts.append(("a shortest plan", cut(_plan(plan[1]), MAX_TEXT)))
    if error:
        facts.append(("what broke down", cut(error, MAX_TEXT)))
    where = {"partition_key": partition, "file_path": file, "agent": agent}
    return Trial(
        id=f"{partition}/{file}/{agent}/{number}",
        partition=partition,
        asset="agent_evaluations",
        task=cut(task, 160),
        owner=file,
        agent=agent,
        number=number,
        outcome="broken" if reached is None else "passed" if reached else "failed",
        why=_end(end, reached),
        reward=reward,
        step_count=count,
        facts=tuple(facts),
        faults=(),
        steps=steps,
        query="SELECT * FROM agent_steps WHERE "
        + " AND ".join(f"{name} = {quoted(value)}" for name, value in where.items())
        + f" AND trial = {number} ORDER BY step_index",
    )


def _end(end: str, reached: bool | None) -> str:
    if reached is None:
        return f"broke down ({end.replace('_', ' ')}); it counts in nothing"
    words = {
        "done": "the goal was reached" if reached else "the agent said that it was done",
        "stopped": "the agent stopped",
        "max_steps": "there were no steps left",
        "invalid_action": "the agent's answer was no action",
        "token_limit": "its tokens were used up",
        "cost_limit": "its money was used up",
        "time_limit": "its time was used up",
    }
    reason = words.get(end, end.replace("_", " "))
    return reason if reached or end == "done" else f"{reason}; the goal was not reached"


def _plan(document: str) -> str:
    return ", then ".join(
        f"{action.get('name')} {json.dumps(action.get('arguments', {}), ensure_ascii=False)}"
        for action in json.loads(document) or ()
    )


def _step(row: Sequence[Any]) -> Step:
    index, kind, action, params, is_cut, said, success, observation, error, diff, observations = row
    changes = list((json.loads(diff) or {}).items())
    told = [
        f"{one.get('agent_id')}: {one.get('message')}"
        for one in json.loads(observations) or ()
        if isinstance(one, dict)
    ]
    return Step(
        index=index,
        action=action or kind.replace("_", " "),
        arguments=cut(params if is_cut else spaced(params), MAX_TEXT) if action else "",
        said=cut(said or "", MAX_TEXT),
        observation=cut(observation, MAX_TEXT),
        error=cut(error or "", MAX_TEXT),
        failed=success is False,
        told=tuple(cut(one, _MAX_VALUE) for one in told[:_MAX_TOLD]),
        changes=tuple(
            Change(cut(path, _MAX_VALUE), _value(change, "before"), _value(change, "after"))
            for path, change in changes[:MAX_CHANGES]
        ),
        written=(),
        changes_left_out=max(0, len(changes) - MAX_CHANGES),
    )


def _value(change: dict[str, object], when: str) -> str | None:
    """The value before or after, as JSON; None where there is nothing."""
    if when not in change:
        return None
    return cut(json.dumps(change[when], ensure_ascii=False), _MAX_VALUE)
