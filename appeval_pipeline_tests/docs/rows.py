"""The examples of `docs/language.md`: what they are, and how each kind of row is checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from appeval_pipeline.appdef import AppDefinition, check_app, load_app
from appeval_pipeline.appdef.documents import read_document
from appeval_pipeline.engine import Engine
from appeval_pipeline.engine.result import ActionResult
from appeval_pipeline.errors import DefinitionError, ExpressionError
from appeval_pipeline.expr import ExecutionContext, compile_expression, interpolate
from appeval_pipeline_tests.docs.beyond_limits import AT, CONSTANTS
from appeval_pipeline_tests.docs.page import Fenced, Table, code, codes, read_page
from appeval_pipeline_tests.engine.apps import KINDS, make_app

Json = dict[str, Any]
PAGE = read_page(Path(__file__).parents[2] / "docs" / "language.md")
YAML = [part.text for part in PAGE if isinstance(part, Fenced) and part.kind == "yaml"]
DOCUMENTS: Final[list[Any]] = [read_document(text).data for text in YAML]
APPS = [text for text in YAML if text.startswith("app_id:")]
SETTING: Final[Any] = next(data for data in DOCUMENTS if "caller" in data)
STATE = {"per_agent": SETTING["agents"], "shared": SETTING["shared"]}
VARIABLES = {**SETTING, "agent": SETTING["agents"][SETTING["caller"]]}
REFERENCE = {"key", "block", "operators", "variable"}
"""The first headers of tables that are no examples."""


@dataclass(frozen=True)
class Example:
    """A row of a table, with the logic that stands above it."""

    row: dict[str, str]
    logic: list[Json]

    @property
    def kind(self) -> str:
        """The first header of its table."""
        return next(iter(self.row))


def examples() -> Iterator[Example]:
    """Every row of every table, but those of the tables for reference."""
    logic: list[Json] = []
    for part in PAGE:
        if isinstance(part, Table):
            if part.header[0] not in REFERENCE:
                yield from (Example(row, logic) for row in part.rows)
        elif part.kind == "yaml":
            data = read_document(part.text).data
            logic = data if isinstance(data, list) else []


def value(text: str) -> Any:
    """The value that a cell writes in YAML."""
    data: Any = read_document(f"value: {text}\n").data
    return data["value"]


def same(left: object, right: object) -> bool:
    """Whether two values are the same JSON: ``1``, ``1.0`` and ``true`` are three."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def app_of(logic: list[Json], params: Json) -> AppDefinition:
    """An app whose action ``go`` has ``logic`` and takes ``params``."""
    specs: Json = {
        name: {"type": KINDS.get(type(given), "string"), "required": given is not None}
        for name, given in params.items()
    }
    return make_app(logic, specs, initial_config=SETTING["config"])


def execute(logic: list[Json], params: Json = SETTING["params"], state: Json = STATE) -> ActionResult:
    """Run ``logic`` in the page's setting."""
    return Engine(app_of(logic, params)).execute(SETTING["caller"], "go", params, state)


def check_expression(example: Example) -> None:
    text, expected = code(example.row["expression"]), example.row["value"]
    if expected.startswith("error:"):
        with pytest.raises(ExpressionError) as caught:
            compile_expression(text).evaluate(VARIABLES)
        assert caught.value.message == code(expected)
    else:
        assert same(compile_expression(text).evaluate(VARIABLES), value(code(expected)))


def check_value_position(example: Example) -> None:
    text, kind = code(example.row["you write"]), example.row.get("it is", "an expression")
    logic = [{"type": "return", "value": {"v": text}}]
    if kind.startswith("error:"):
        with pytest.raises(DefinitionError) as caught:
            execute(logic)
        assert [fault.message for fault in caught.value.faults] == [code(kind)]
        return
    result = execute(logic)
    assert same(result.data, {"v": value(code(example.row["gives"]))})
    findings = check_app(app_of(logic, SETTING["params"]))
    warned = any("is taken as text" in finding.message for finding in findings)
    assert warned == (kind == "text, with a warning")
    if kind.startswith("text"):
        assert result.data == {"v": interpolate(text, VARIABLES)}


def check_message(example: Example) -> None:
    text, expected = code(example.row["text"]), example.row["becomes"]
    if expected.startswith("error:"):
        with pytest.raises(ExpressionError) as caught:
            interpolate(text, VARIABLES)
        assert caught.value.message == code(expected)
    else:
        assert interpolate(text, VARIABLES) == code(expected)


def check_logic(example: Example) -> None:
    params = {**SETTING["params"], **value(f"{{{code(example.row['with'])}}}")}
    result = execute(example.logic, params)
    outcome, _, _ = example.row["result"].partition("`")
    if outcome == "returns ":
        assert same(result.data, value(code(example.row["result"])))
    else:
        assert (f"{result.error_kind} error: ", result.error) == (outcome, code(example.row["result"]))
    agents = result.state_after["per_agent"]
    for condition in codes(example.row.get("afterwards", "")):
        assert compile_expression(condition).evaluate(agents) is True
    if "told" in example.row:
        told = [f"{seen['agent_id']}: {seen['message']}" for seen in result.observations]
        assert told == codes(example.row["told"])


def check_update(example: Example) -> None:
    row = {header: code(cell) for header, cell in example.row.items()}
    before = value(f"{{{row['before']}}}")
    keys = {"type": "update", "target": row["target"], "operation": row["operation"]}
    result = execute([{**keys, "value": value(row["value"])}], state=state_of(before))
    assert result.error == row.get("error")
    assert same(result.state_after, state_of(value(f"{{{row.get('after', row['before'])}}}")))


def state_of(parts: Json) -> Json:
    """A state of the parts that matter: agents by id, and ``shared``."""
    agents = {"alice": {}, **{name: part for name, part in parts.items() if name != "shared"}}
    return {"per_agent": agents, "shared": parts.get("shared", {})}


def check_change(example: Example) -> None:
    change, into = code(example.row["change"]), code(example.row["into"])
    assert change in APPS[0]
    text = APPS[0].replace(change, into, 1)
    if "warning" in example.row:
        assert [finding.message for finding in check_app(load_app(text))] == [code(example.row["warning"])]
        return
    with pytest.raises(DefinitionError) as caught:
        load_app(text)
    assert code(example.row["error"]) in [fault.message for fault in caught.value.faults]


def check_call(example: Example) -> None:
    caller, action, params = code(example.row["call"]).split(" ", 2)
    engine = Engine(load_app(APPS[1]))
    session = engine.session(["alice", "bob"], context=ExecutionContext(roles={"alice": "clerk"}))
    result = session.execute(caller.rstrip(":"), action, value(params))
    assert (result.error_kind, result.error) == (
        code(example.row["`error_kind`"]),
        code(example.row["error"]),
    )


def check_parameter(example: Example) -> None:
    spec, call = value(code(example.row["parameter"])), value(code(example.row["call"]))
    app = make_app([{"type": "return", "value": {"x": "params.x"}}], {"x": spec})
    result = Engine(app).execute("alice", "go", call, state_of({}))
    if "error" in example.row:
        assert (result.error_kind, result.error) == ("parameters", code(example.row["error"]))
    else:
        assert same(result.data, {"x": value(code(example.row["value"]))})


def check_limit(example: Example) -> None:
    constant, at = AT[example.row["limit"]]
    most = int(example.row["value"].replace(",", ""))
    assert most == CONSTANTS[constant]
    assert at(most) is None
    assert code(example.row["beyond it"]) in (at(most + 1) or "")


def check_yaml(example: Example) -> None:
    assert same(value(code(example.row["YAML"])), json.loads(code(example.row["is read as"])))


CHECKS: dict[str, Callable[[Example], None]] = {
    "expression": check_expression,
    "you write": check_value_position,
    "text": check_message,
    "with": check_logic,
    "target": check_update,
    "change": check_change,
    "`error_kind`": check_call,
    "parameter": check_parameter,
    "limit": check_limit,
    "YAML": check_yaml,
}
"""What a row says is checked by, by the first header of its table."""
