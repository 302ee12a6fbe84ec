"""What is known of tasks by running their expected actions."""

import copy
import json
from typing import Any

import orjson
import pytest

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.taubench import TaskFlags, TauSource, TauSuite, TauTask, load_split, load_suite
from appeval_pipeline.taubench.domain import TaskSplit, TauDomain, load_tables, part_of
from appeval_pipeline.taubench.records import Database
from appeval_pipeline.taubench.toolset import Toolset


class Pay:
    """Pays from an account, if there is enough on it."""

    @staticmethod
    def get_info() -> dict[str, Any]:
        properties = {"who": {"type": "string"}, "amount": {"type": "number"}}
        parameters = {"type": "object", "properties": properties, "required": ["who", "amount"]}
        return {"type": "function", "function": {"name": "pay", "description": "", "parameters": parameters}}

    @staticmethod
    def invoke(data: dict[str, dict[str, Any]], who: str, amount: float) -> str:
        if data["accounts"][who]["balance"] < amount:
            return "Error: not enough"
        data["accounts"][who]["balance"] -= amount
        return "paid"


class Look:
    """Tells what is on an account."""

    @staticmethod
    def get_info() -> dict[str, Any]:
        parameters = {"type": "object", "properties": {"who": {"type": "string"}}, "required": ["who"]}
        return {"type": "function", "function": {"name": "look", "description": "", "parameters": parameters}}

    @staticmethod
    def invoke(data: dict[str, dict[str, Any]], who: str) -> str:
        return json.dumps(data["accounts"][who]) if who in data["accounts"] else "Error: nobody"


def suite(tmp_path: Any, *tasks: tuple[list[ToolCall], list[str]]) -> TauSuite:
    domain = TauDomain(
        name="bank",
        source=TauSource("made_up", "1", tmp_path),
        policy="",
        rules=(),
        toolset=Toolset([Pay, Look]),
        database=Database({"accounts": {"ann": {"balance": 10}}}),
    )
    made = tuple(
        TauTask(number, "ann", "Do.", tuple(actions), tuple(outputs))
        for number, (actions, outputs) in enumerate(tasks)
    )
    return TauSuite(domain, TaskSplit("bank", "test", made, (), ""))


def pay(amount: float) -> ToolCall:
    return ToolCall("pay", {"who": "ann", "amount": amount})


LOOK = ToolCall("look", {"who": "ann"})
NOBODY = ToolCall("look", {"who": "bob"})
NOT_FLAGGED = TaskFlags(null_passable=False, gold_error=False, read_only=False)


@pytest.mark.parametrize(
    ("actions", "outputs", "names"),
    [
        ([pay(3)], [], ()),
        ([LOOK], ["10"], ("read_only",)),
        ([LOOK], [], ("null_passable", "read_only")),
        ([], [], ("null_passable", "read_only")),
        ([pay(20)], [], ("null_passable", "gold_error", "read_only")),
        ([pay(4), pay(20)], [], ("gold_error",)),
        ([NOBODY, pay(4)], [], ()),
        ([pay(3), pay(-3)], [], ("null_passable", "read_only")),
        ([ToolCall("transfer_to_human_agents", {"summary": "."})], [], ("null_passable", "read_only")),
    ],
)
def test_flags_say_what_running_the_expected_actions_shows(
    tmp_path: Any, actions: list[ToolCall], outputs: list[str], names: tuple[str, ...]
) -> None:
    made = suite(tmp_path, (actions, outputs), ([pay(1)], []))
    assert made.flags(made.tasks[0]).names == names


def test_a_tool_that_never_wrote_is_none_that_writes(tmp_path: Any) -> None:
    made = suite(tmp_path, ([pay(20)], []), ([LOOK], []))
    assert made.writing_tools() == frozenset()
    assert made.flags(made.tasks[0]) == TaskFlags(null_passable=True, gold_error=False, read_only=True)


def test_a_ground_truth_is_computed_once(tmp_path: Any) -> None:
    made = suite(tmp_path, ([pay(3)], []))
    assert made.truth(made.tasks[0]) is made.truth(made.tasks[0])
    assert made.flags(made.tasks[0]) == NOT_FLAGGED


def test_a_ground_truth_keeps_what_each_action_did(tmp_path: Any) -> None:
    made = suite(tmp_path, ([pay(3), pay(20), LOOK], []))
    assert [(done.tool, done.answer.content, done.wrote) for done in made.truth(made.tasks[0]).replayed] == [
        ("pay", "paid", True),
        ("pay", "Error: not enough", False),
        ("look", '{"balance": 7}', False),
    ]


WRITERS = {
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
    "modify_user_address",
    "return_delivered_order_items",
}
"""By the tools' own text."""


def test_the_tools_that_write_are_found_also_where_a_split_does_not_use_them(retail: TauSuite) -> None:
    assert retail.writing_tools() == WRITERS
    assert TauSuite(retail.domain, load_split(retail.domain, "dev")).writing_tools() == WRITERS


def test_a_suite_is_read_once_a_process(retail: TauSuite) -> None:
    assert load_suite("retail", "test", retail.domain.source) is retail
    assert load_suite("retail", "dev") is not retail


def test_the_flags_of_retail_are_what_its_tools_do_to_plain_data(retail: TauSuite) -> None:
    """An independent count: whole copies of the data, compared whole."""
    tools = {
        tool.get_info()["function"]["name"]: tool
        for tool in part_of(retail.domain.source, "envs.retail.tools", "ALL_TOOLS")
    }
    fresh = load_tables("retail", retail.domain.source)
    stored = orjson.dumps(fresh)
    counted = {}
    for task in retail.tasks:
        data = orjson.loads(stored)
        answers = [
            (call.name, tools[call.name].invoke(data=data, **copy.deepcopy(dict(call.arguments))))
            for call in task.actions
        ]
        refused = any(name in WRITERS and answer.startswith("Error") for name, answer in answers)
        unchanged = data == fresh
        counted[task.id] = TaskFlags(unchanged and not task.outputs, refused, unchanged)
    assert {task.id: retail.flags(task) for task in retail.tasks} == counted
    assert [number for number, flags in counted.items() if flags.gold_error] == [12, 13, 64, 106]
    assert [number for number, flags in counted.items() if flags.null_passable] == [
        *(10, 12, 25, 50, 57, 65, 106)
    ]
