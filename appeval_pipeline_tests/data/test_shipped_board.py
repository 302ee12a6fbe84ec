"""What stays true on the reference task board whatever the agents do."""

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from appeval_pipeline.engine import Engine
from appeval_pipeline_tests.data.shipped import app

AGENTS = ("ann", "bob", "cy")
COLUMNS = ("todo", "doing", "review", "done")
CALLERS = st.sampled_from((*AGENTS, *AGENTS, "mallory"))
NAMES = st.sampled_from((*AGENTS, *AGENTS, "mallory", "", None))
TASKS = st.sampled_from(("T1", "T1", "T2", "T2", "T3", "T4", "T0", None))
AFTER = st.one_of(st.none(), st.lists(st.sampled_from(("T1", "T2", "T3", 7, None)), max_size=2))
Call = tuple[str, str, dict[str, Any]]
State = dict[str, Any]

BOARD = Engine(app("bench_workflow"))


def calls(**params: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(params)


some_call = st.one_of(
    st.tuples(
        CALLERS,
        st.just("create_task"),
        calls(
            title=st.sampled_from(("Roof", "Door", " ", None)),
            priority=st.sampled_from((None, "low", "high", "none")),
            after=AFTER,
        ),
    ),
    st.tuples(CALLERS, st.just("assign_task"), calls(task_id=TASKS, assignee=NAMES)),
    st.tuples(CALLERS, st.just("start_task"), calls(task_id=TASKS)),
    st.tuples(CALLERS, st.just("submit_task"), calls(task_id=TASKS, result=st.just("Done"))),
    st.tuples(
        CALLERS,
        st.just("review_task"),
        calls(
            task_id=TASKS,
            decision=st.sampled_from(("approve", "reject")),
            comment=st.sampled_from(("Why", "", None)),
        ),
    ),
    st.tuples(
        CALLERS,
        st.just("block_task"),
        calls(
            task_id=TASKS,
            blocked=st.sampled_from((True, False, None)),
            reason=st.sampled_from(("Rain", None)),
        ),
    ),
    st.tuples(CALLERS, st.just("archive_task"), calls(task_id=TASKS)),
    st.tuples(CALLERS, st.just("show_board"), calls()),
)
progress = st.sampled_from(
    [
        [
            ("ann", "create_task", {"title": "Roof"}),
            ("bob", "start_task", {"task_id": "T1"}),
            ("bob", "submit_task", {"task_id": "T1", "result": "Tight"}),
        ][:length]
        for length in range(4)
    ]
)
board_calls = st.builds(lambda first, rest: [*first, *rest], progress, st.lists(some_call, max_size=30))


@settings(max_examples=150, deadline=None)
@given(board_calls)
def test_a_task_is_in_one_column_or_archived_and_every_list_and_number_agrees(calls: list[Call]) -> None:
    session = BOARD.session(AGENTS)
    created = archived = 0
    for agent, action, params in calls:
        before = session.state
        result = session.execute(agent, action, params)
        after = session.state
        shared = after["shared"]
        assert result.error_kind not in ("expression", "limit")
        assert result.success or after == before
        created += result.success and action == "create_task"
        archived += result.success and action == "archive_task"
        assert (shared["created"], shared["archived"]) == (created, archived)
        assert sorted(shared["tasks"]) == sorted(f"T{number + 1}" for number in range(created))
        on_board = Counter(task for column in COLUMNS for task in shared[column])
        assert set(on_board.values()) <= {1}
        assert on_board.total() + archived == created
        finished = [task for task in shared["tasks"].values() if task["finished_at"] is not None]
        assert len(finished) == len(shared["done"]) + archived
        assert Counter(task["assignee"] for task in finished) == Counter(
            {name: state["finished"] for name, state in after["per_agent"].items()}
        )
        active = {task: name for name, state in after["per_agent"].items() for task in state["active"]}
        assert sorted(active) == sorted(shared["doing"])
        assert all(shared["tasks"][task]["assignee"] == name for task, name in active.items())
        assert all(shared["tasks"][task]["blocked"] is None for task in (*shared["review"], *shared["done"]))


MOVES = {
    "create_task": (None, "todo"),
    "start_task": ("todo", "doing"),
    "submit_task": ("doing", "review"),
    "archive_task": ("done", None),
}


@settings(max_examples=150, deadline=None)
@given(board_calls)
def test_every_action_moves_the_task_it_names_and_no_other(calls: list[Call]) -> None:
    session = BOARD.session(AGENTS)
    for agent, action, params in calls:
        before = session.state
        result = session.execute(agent, action, params)
        if not result.success or result.data is None:
            continue
        after = session.state
        if action == "show_board":
            assert after == before
            assert result.data["columns"] == {column: after["shared"][column] for column in COLUMNS}
            assert 0 <= result.data["finished_percent"] <= 100
            continue
        task = result.data["task_id"]
        others = [name for name in before["shared"]["tasks"] if name != task]
        assert [column_of(before, name) for name in others] == [column_of(after, name) for name in others]
        assert all(before["shared"]["tasks"][name] == after["shared"]["tasks"][name] for name in others)
        assert all(
            told["agent_id"] != agent for told in result.observations if told["data"]["task_id"] == task
        )
        was, now = column_of(before, task), column_of(after, task)
        match action:
            case "review_task" if params["decision"] == "approve":
                assert (was, now) == ("review", "done")
                assert before["shared"]["tasks"][task]["assignee"] != agent
            case "review_task":
                assert (was, now) == ("review", "todo")
            case "assign_task" | "block_task":
                assert was == now
            case _:
                assert (was, now) == MOVES[action]
        if action == "start_task":
            earlier = before["shared"]["tasks"][task]["after"]
            assert all(after["shared"]["tasks"][name]["finished_at"] is not None for name in earlier)


def column_of(state: State, task: str) -> str | None:
    return next((column for column in COLUMNS if task in state["shared"][column]), None)
