"""Finished trials on disk, and trajectories read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appeval_pipeline.agents import (
    Briefing,
    Exchange,
    InvalidAction,
    Observation,
    Reply,
    Step,
    Stop,
    ToolCall,
    Trajectory,
    Usage,
)
from appeval_pipeline.agents.journal import Journal, TrialKey
from appeval_pipeline.agents.protocol import Action
from appeval_pipeline.agents.reading import read_trajectory
from appeval_pipeline.errors import JournalError, TrajectoryError

PLAIN = {"agent": "noop", "task": "count"}


def trajectory(*actions: Action, seed: int = 0) -> Trajectory:
    steps = tuple(
        Step(
            place,
            Exchange(action, Observation("ok", place > 1, None, None, {"a": [1]}, Usage(1, 2, None))),
            Usage(10, 3, 0.25),
            0.5,
        )
        for place, action in enumerate(actions)
    )
    return Trajectory(
        agent="one",
        seed=seed,
        briefing=Briefing("policy", "message", ()),
        steps=steps,
        end="stopped",
        reward=1.0,
        reward_info={"goal_reached": True},
        error=None,
        agent_usage=Usage(10, 3, 0.25),
        environment_usage=Usage(1, 2, None),
    )


ACTIONS: tuple[Action, ...] = (
    ToolCall("pay", {"amount": 5, "to": None}),
    ToolCall("pay", {"amount": 10**30}),
    Reply("done"),
    InvalidAction("no JSON", "{"),
    Stop(),
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=8,
)


def test_a_trajectory_is_read_back_as_it_was() -> None:
    before = trajectory(*ACTIONS)
    assert read_trajectory(json.loads(json.dumps(before.to_dict()))) == before


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), json_values), st.floats(0, 1e9))
def test_whatever_was_said_and_changed_is_read_back(arguments: dict[str, object], elapsed_s: float) -> None:
    observation = Observation("answer", details={"state_diff": arguments})
    step = Step(0, Exchange(ToolCall("pay", arguments), observation), Usage(), elapsed_s)
    before = Trajectory("one", 7, None, (step,), "infra_error", None, {}, "broke", Usage(), Usage())
    assert read_trajectory(json.loads(json.dumps(before.to_dict()))) == before


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"end": "bored"}, "end"),
        ({"steps": [{"index": 0}]}, "steps.0"),
        ({"extra": 1}, "extra"),
        ({"agent_usage": None}, "agent_usage"),
    ],
)
def test_a_damaged_trajectory_says_where(change: dict[str, object], where: str) -> None:
    with pytest.raises(TrajectoryError, match=where):
        read_trajectory({**trajectory().to_dict(), **change})


def test_finished_trials_are_there_again(tmp_path: Path) -> None:
    first = trajectory(*ACTIONS)
    with Journal(tmp_path, PLAIN) as journal:
        journal.record(TrialKey("count", 0), first)
    with Journal(tmp_path, PLAIN) as journal:
        assert journal.finished == {TrialKey("count", 0): first}


def test_another_configuration_has_another_journal(tmp_path: Path) -> None:
    with Journal(tmp_path, PLAIN) as journal:
        journal.record(TrialKey("count", 0), trajectory())
    with Journal(tmp_path, {**PLAIN, "agent": "random"}) as other:
        assert other.finished == {}


def test_the_last_of_several_tries_counts(tmp_path: Path) -> None:
    with Journal(tmp_path, PLAIN) as journal:
        journal.record(TrialKey("count", 0), trajectory(seed=1))
        journal.record(TrialKey("count", 0), trajectory(seed=2))
    with Journal(tmp_path, PLAIN) as journal:
        assert [found.seed for found in journal.finished.values()] == [2]


def test_a_line_cut_off_by_a_crash_is_dropped_and_written_anew(tmp_path: Path) -> None:
    with Journal(tmp_path, PLAIN) as journal:
        journal.record(TrialKey("count", 0), trajectory(seed=1))
        journal.record(TrialKey("count", 1), trajectory(seed=2))
        path = journal.path
    whole = path.read_bytes()
    for cut in range(len(whole) - 1, 0, -97):
        path.write_bytes(whole[:cut])
        with Journal(tmp_path, PLAIN) as journal:
            kept = list(journal.finished)
            for trial in range(len(kept), 2):
                journal.record(TrialKey("count", trial), trajectory(seed=trial + 1))
        assert path.read_bytes() == whole


def test_a_damaged_line_is_told_with_its_number_and_stays(tmp_path: Path) -> None:
    with Journal(tmp_path, PLAIN) as journal:
        path = journal.path
    path.write_bytes(path.read_bytes() + b"{}\n")
    before = path.read_bytes()
    with pytest.raises(JournalError, match="line 2"), Journal(tmp_path, PLAIN):
        pass
    assert path.read_bytes() == before


def test_two_cannot_evaluate_the_same_at_once(tmp_path: Path) -> None:
    with Journal(tmp_path, PLAIN), pytest.raises(JournalError, match="Another process"):
        Journal(tmp_path, PLAIN).__enter__()


def test_cleared_trials_are_gone_and_the_journal_goes_on(tmp_path: Path) -> None:
    with Journal(tmp_path, PLAIN) as journal:
        journal.record(TrialKey("count", 0), trajectory())
        journal.clear()
        journal.record(TrialKey("count", 1), trajectory())
    with Journal(tmp_path, PLAIN) as journal:
        assert list(journal.finished) == [TrialKey("count", 1)]


def test_a_discarded_journal_is_gone(tmp_path: Path) -> None:
    with Journal(tmp_path, PLAIN) as journal:
        journal.record(TrialKey("count", 0), trajectory())
        journal.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_is_no_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "in_the_way").write_text("")
    with pytest.raises(JournalError, match="in_the_way"), Journal(tmp_path / "in_the_way", PLAIN):
        pass
