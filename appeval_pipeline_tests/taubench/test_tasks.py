"""Reading, checking and selecting tasks."""

from typing import Any

import pytest

from appeval_pipeline.agents import Tool, ToolCall
from appeval_pipeline.errors import TauBenchError
from appeval_pipeline.taubench import TauTask, select_tasks
from appeval_pipeline.taubench.tasks import hash_tasks, read_tasks

ORDER_ID = {"type": "string"}
TOOLS = {
    "cancel": Tool(
        "cancel",
        "",
        {
            "type": "object",
            "properties": {"order": ORDER_ID, "reason": {"type": "string", "enum": ["late", "wrong"]}},
            "required": ["order", "reason"],
        },
    ),
    "book": Tool(
        "book",
        "",
        {
            "type": "object",
            "properties": {
                "flights": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"no": ORDER_ID}, "required": ["no"]},
                },
                "price": {"type": "number"},
                "bags": {"type": "integer"},
            },
            "required": [],
        },
    ),
    "list": Tool("list", "", {"type": "object", "properties": {}, "required": []}),
}


def given(*actions: tuple[str, dict[str, Any]], **other: Any) -> dict[str, Any]:
    listed = [{"name": name, "kwargs": kwargs} for name, kwargs in actions]
    return {"user_id": "ann", "instruction": "Cancel it.", "actions": listed, "outputs": []} | other


def faults(*actions: tuple[str, dict[str, Any]], **other: Any) -> list[tuple[str, str]]:
    tasks, found = read_tasks([given(*actions, **other)], TOOLS)
    assert bool(found) == (not tasks)
    return [tuple(fault) for fault in found]


def test_a_good_task_is_read() -> None:
    cancel = ("cancel", {"order": "#1", "reason": "late"})
    tasks, found = read_tasks([given(cancel, outputs=["10"])], TOOLS)
    assert tasks == (TauTask(0, "ann", "Cancel it.", (ToolCall(*cancel),), ("10",)),)
    assert found == ()


def test_a_bad_task_is_reported_and_the_others_keep_their_ids() -> None:
    tasks, found = read_tasks([given(), given(instruction=" "), given()], TOOLS)
    assert [task.id for task in tasks] == [0, 2]
    assert [tuple(fault) for fault in found] == [("tasks[1].instruction", "is empty")]


@pytest.mark.parametrize("instruction", [None, 5])
def test_an_instruction_that_is_no_text_is_a_fault(instruction: object) -> None:
    [(place, _)] = faults(instruction=instruction)
    assert place == "tasks[0].instruction"


@pytest.mark.parametrize(
    ("name", "kwargs", "place", "message"),
    [
        ("fly", {}, "name", "no tool is called 'fly'; there are: cancel, book, list"),
        ("cancel", {"order": "#1"}, "kwargs", "reason is missing"),
        ("cancel", {"order": 1, "reason": "late"}, "kwargs.order", "1 is no string"),
        ("cancel", {"order": "#1", "reason": "x"}, "kwargs.reason", "'x' is none of: late, wrong"),
        ("book", {"seats": 1}, "kwargs.seats", "unknown; expected one of: flights, price, bags"),
        ("list", {"all": 1}, "kwargs.all", "unknown; expected one of: nothing"),
        ("book", {"flights": [{"no": "1"}, {}]}, "kwargs.flights[1]", "no is missing"),
        ("book", {"flights": [{"no": 1}]}, "kwargs.flights[0].no", "1 is no string"),
        ("book", {"price": True}, "kwargs.price", "True is no number"),
        ("book", {"bags": 1.5}, "kwargs.bags", "1.5 is no integer"),
    ],
)
def test_an_action_that_cannot_be_called_is_a_fault(
    name: str, kwargs: dict[str, Any], place: str, message: str
) -> None:
    assert faults((name, kwargs)) == [(f"tasks[0].actions[0].{place}", message)]


@pytest.mark.parametrize("levels", [60, 500, 900])
def test_arguments_that_nest_too_deeply_are_a_fault(levels: int) -> None:
    deep: list[object] = []
    for _ in range(levels):
        deep = [deep]
    assert faults(("list", {"all": deep})) == [("tasks[0].actions.0.kwargs", "nests too deeply")]


def test_whole_numbers_are_numbers() -> None:
    assert faults(("book", {"price": 5, "bags": 2})) == []


def test_the_hash_is_of_what_the_tasks_say() -> None:
    one, _ = read_tasks([given(("cancel", {"order": "#1", "reason": "late"}))], TOOLS)
    turned, _ = read_tasks([given(("cancel", {"reason": "late", "order": "#1"}))], TOOLS)
    other, _ = read_tasks([given(("cancel", {"order": "#2", "reason": "late"}))], TOOLS)
    assert hash_tasks(one) == hash_tasks(turned) != hash_tasks(other)


def tasks(*ids: int) -> tuple[TauTask, ...]:
    return tuple(TauTask(number, "ann", "Do.", (), ()) for number in ids)


@pytest.mark.parametrize(
    ("ids", "selected"),
    [
        (None, [0, 1, 2, 3, 4]),
        ("3,1", [1, 3]),
        ("1-3", [1, 2, 3]),
        (" 0 , 2 - 3,3", [0, 2, 3]),
        ("4", [4]),
    ],
)
def test_ids_and_ranges_select(ids: str | None, selected: list[int]) -> None:
    assert [task.id for task in select_tasks(tasks(*range(5)), ids)] == selected


def test_a_range_leaves_out_what_cannot_be_used() -> None:
    assert [task.id for task in select_tasks(tasks(0, 2), "0-2")] == [0, 2]


@pytest.mark.parametrize("ids", ["", "a", "1;2", "3-1", "-1", "1-", "1,,2", "1.5", "9" * 30])
def test_what_is_no_id_and_no_range_is_refused(ids: str) -> None:
    with pytest.raises(TauBenchError, match="is no id and no range; expected 1,2,3 or 0-9"):
        select_tasks(tasks(*range(5)), ids)


@pytest.mark.parametrize(("ids", "missing"), [("5", 5), ("2-7", 7), ("1,99999999", 99999999)])
def test_an_id_that_no_task_has_is_refused(ids: str, missing: int) -> None:
    with pytest.raises(TauBenchError, match=f"there is no task {missing}; expected 0 to 4"):
        select_tasks(tasks(*range(5)), ids)
