"""Tools are called as tau-bench's environment calls them."""

from typing import Any

import pytest

from appeval_pipeline.agents import ToolCall
from appeval_pipeline.taubench import TauSuite
from appeval_pipeline.taubench.toolset import Answer, Toolset


class Keep:
    """Keeps what it is given, and changes it later: as some of tau-bench's tools do."""

    @staticmethod
    def get_info() -> dict[str, Any]:
        properties = {"names": {"type": "array", "items": {"type": "string"}}}
        parameters = {"type": "object", "properties": properties, "required": ["names"]}
        return {
            "type": "function",
            "function": {"name": "keep", "description": "Keep.", "parameters": parameters},
        }

    @staticmethod
    def invoke(data: dict[str, dict[str, Any]], names: list[str]) -> object:
        data["kept"]["names"] = names
        names.append("more")
        return "kept" if "silent" not in names else None


def call(name: str, **arguments: Any) -> Answer:
    return Toolset([Keep]).call({"kept": {}}, ToolCall(name, arguments))


def test_a_tool_answers() -> None:
    assert call("keep", names=["a"]) == Answer("kept")


def test_an_unknown_tool_is_answered_as_in_tau_bench() -> None:
    assert call("fly") == Answer("Unknown action fly", "unknown_tool")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Error: Keep.invoke() missing 1 required positional argument: 'names'"),
        ({"names": [], "x": 1}, "Error: Keep.invoke() got an unexpected keyword argument 'x'"),
        ({"names": 5}, "Error: 'int' object has no attribute 'append'"),
    ],
)
def test_a_tool_that_breaks_down_is_an_error_told_to_the_agent(
    arguments: dict[str, Any], message: str
) -> None:
    assert call("keep", **arguments) == Answer(message, "tool_error")


def test_the_data_cannot_be_given_as_an_argument() -> None:
    answer = call("keep", names=[], data={})
    assert answer.error_kind == "tool_error"
    assert answer.content.endswith("Keep.invoke() got multiple values for keyword argument 'data'")


def test_a_tool_without_an_answer_is_an_error() -> None:
    assert call("keep", names=["silent"]) == Answer("Error: keep gave no answer", "tool_error")


def test_a_tool_does_not_change_the_arguments_of_the_call() -> None:
    made = ToolCall("keep", {"names": ["a"]})
    data: dict[str, dict[str, Any]] = {"kept": {}}
    Toolset([Keep]).call(data, made)
    assert data == {"kept": {"names": ["a", "more"]}}
    assert made.arguments == {"names": ["a"]}


def test_a_refusal_is_told_from_an_answer(retail: TauSuite) -> None:
    data = retail.domain.database.open().data
    tools = retail.domain.toolset
    assert tools.call(data, ToolCall("get_order_details", {"order_id": "#W0"})) == Answer(
        "Error: order not found", "refused"
    )
    assert tools.call(data, ToolCall("calculate", {"expression": "2 + 2"})) == Answer("4.0")


def test_agents_get_the_tools_own_schemas(retail: TauSuite) -> None:
    tool = retail.domain.toolset.tools["cancel_pending_order"]
    assert tool.parameters["required"] == ["order_id", "reason"]
    assert tool.description.startswith("Cancel a pending order.")


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("2 ** 10 * 3", "3072.0"),
        ("16**0.5", "4.0"),
        ("10 ** -1", "0.1"),
        ("9**9**9", "Error: the expression is too large to calculate"),
        ("9 ** (9 * 99999999)", "Error: the expression is too large to calculate"),
        ("9**9999", "Error: the expression is too large to calculate"),
        ("1" * 200 + "**9", "Error: the expression is too large to calculate"),
        ("9**999", "Error: int too large to convert to float"),
        ("2 *", "Error: invalid syntax (<string>, line 1)"),
    ],
)
def test_a_calculation_that_would_not_end_is_refused(retail: TauSuite, expression: str, answer: str) -> None:
    call = ToolCall("calculate", {"expression": expression})
    assert retail.domain.toolset.call({}, call).content == answer
