"""YAML and JSON documents: what they mean, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from appeval_pipeline.appdef import load_app
from appeval_pipeline.appdef.documents import DocumentError, read_document
from appeval_pipeline.errors import DefinitionError
from appeval_pipeline_tests.timing import process_seconds

CASES = yaml.safe_load((Path(__file__).parent / "cases" / "scalars.yaml").read_text(encoding="utf-8"))


def read_yaml(value: str) -> Any:
    return read_document(f"first: 1\nvalue: {value}\n").data["value"]  # type: ignore[index]


@pytest.mark.parametrize(("text", "value"), CASES["values"])
def test_plain_scalars_are_read_as_the_core_schema_reads_them(text: str, value: object) -> None:
    got = read_yaml(text)
    assert (type(got), got) == (type(value), value)


@pytest.mark.parametrize("text", CASES["texts"])
def test_everything_else_is_text(text: str) -> None:
    assert read_yaml(text) == text


@pytest.mark.parametrize(("text", "value"), CASES["quoted"])
def test_what_is_quoted_is_text(text: str, value: str) -> None:
    assert read_yaml(text) == value


@pytest.mark.parametrize(("text", "message"), CASES["refused"])
def test_what_is_refused_says_why(text: str, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_yaml(text)
    assert message in caught.value.fault.message
    assert caught.value.fault.line in (2, 3)


def test_keys_are_always_text() -> None:
    document = read_document("1: a\ntrue: b\nnull: c\n010: d\nyes: e\n1.5: f\n")
    assert document.data == {"1": "a", "true": "b", "null": "c", "010": "d", "yes": "e", "1.5": "f"}


def test_block_texts_and_aliases_are_read() -> None:
    text = "a: |\n  5\nb: >-\n  x\n  y\nc: &c [1, {d: 2}]\ne: *c\n"
    document = read_document(text)
    assert document.data == {"a": "5\n", "b": "x y", "c": [1, {"d": 2}], "e": [1, {"d": 2}]}


def test_a_file_may_start_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "v1.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_document(path).data == {"a": 1}


def test_every_key_has_its_line() -> None:
    document = read_document("a:\n  - b: 1\n    c:\n      d: 2\n")
    assert document.line(("a", 0, "c", "d")) == 4
    assert document.line(("a", 0, "c", "missing")) == 3


def test_a_json_file_is_read_as_json_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "v1.json"
    path.write_text('{"a": 1,}')
    with pytest.raises(DocumentError, match="Not valid JSON"):
        read_document(path)


JSON_REFUSED = {
    '{"a": NaN}': "NaN is no JSON number",
    '{"a": -Infinity}': "-Infinity is no JSON number",
    '{"a": 1e999}': "is no JSON number",
    '{"a": 9223372036854775809}': "number out of range",
    '{"a": ' + "9" * 5_000 + "}": "Not valid JSON",
    '{"a": 1, "a": 2}': "Key 'a' stands twice",
    '{"b": {"a": 1, "a": 2}}': "Key 'a' stands twice",
    '{"a": 1} x': "Not valid",
    '{"a": ' + "[" * 250 + "]" * 250 + "}": "nests deeper than 200 levels",
    '{"a": ' + "[" * 100_000: "Not valid JSON",
}


@pytest.mark.parametrize(("text", "message"), JSON_REFUSED.items(), ids=[text[:20] for text in JSON_REFUSED])
def test_json_that_is_refused_says_why(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "v1.json"
    path.write_text(text)
    for source in (text, path):
        with pytest.raises(DocumentError) as caught:
            read_document(source)
        assert message in caught.value.fault.message


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]")
    return "\n".join(lines)


HOSTILE = {
    "an alias bomb": bomb(9),
    "an alias bomb of keys": bomb(9).replace("[", "{k: [").replace("]", "]}"),
    "aliases of a large text": f"a: &a {'x' * 1_000_000}\nb: [*a, *a, *a]\n",
    "nested lists": "a: " + "[" * 5_000,
    "nested objects": "a: " + "{b: " * 5_000,
    "nested blocks": "\n".join(" " * level + "a:" for level in range(300)),
    "many values": "a: [" + "0, " * 150_000 + "0]",
    "a large text": "a: " + "x" * 2_000_001,
    "anchors given twice": "a: &x [1]\nb: &x [2]\n",
    "two documents": "a: 1\n---\nb: 2\n",
    "a tab": "a:\n\t- b\n",
    "a control character": "a: \x01\n",
    "a key twice among many": "{" + ",".join(f'"k{n}":1' for n in range(100_000)) + ',"z":1,"z":2}',
    "empty": "# nothing\n\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_are_definition_errors_soon(name: str) -> None:
    with process_seconds(2), pytest.raises(DefinitionError) as caught:
        load_app(HOSTILE[name])
    assert len(caught.value.faults) == 1


def test_a_bomb_that_stays_within_the_limits_is_read() -> None:
    data = read_document(bomb(4)).data
    assert isinstance(data, dict)
    assert data["a3"][9][9][9] == ["x"] * 10


@pytest.mark.parametrize("depth", [99, 100])
def test_documents_nest_up_to_100_levels(depth: int) -> None:
    assert read_document("a: " + "[" * (depth - 1) + "]" * (depth - 1)).data is not None
    with pytest.raises(DocumentError, match="Nested deeper than 100 levels"):
        read_document("a: " + "[" * 100 + "]" * 100)


@pytest.mark.parametrize("source", ["missing.yaml", "no such file", "a\0b", "x" * 5_000, ".", ""])
def test_a_path_that_cannot_be_read_is_a_definition_error(source: str) -> None:
    with pytest.raises(DefinitionError):
        load_app(source)


def test_a_file_that_is_no_text_is_a_definition_error(tmp_path: Path) -> None:
    path = tmp_path / "v1.yaml"
    path.write_bytes(b"a: \xff\n")
    with pytest.raises(DefinitionError, match="not UTF-8"):
        load_app(path)


@pytest.mark.parametrize("text", ["- a\n- b\n", "text: \n  - 1\n", "just: text\n", "[1, 2]\n", "5\n"])
def test_a_document_that_is_no_definition_is_a_definition_error(text: str) -> None:
    with pytest.raises(DefinitionError):
        load_app(text)


DEFINITION: dict[str, Any] = {
    "app_id": "an_app",
    "name": "App",
    "category": "custom",
    "actions": [{"name": "go", "logic": [{"type": "return", "value": {}}]}],
}


def test_a_definition_is_the_same_from_a_mapping_yaml_json_text_and_files(tmp_path: Path) -> None:
    as_json, as_yaml = json.dumps(DEFINITION), yaml.safe_dump(DEFINITION)
    (tmp_path / "a.json").write_text(as_json)
    (tmp_path / "a.yaml").write_text(as_yaml)
    sources = [
        DEFINITION,
        as_json,
        as_yaml,
        tmp_path / "a.json",
        tmp_path / "a.yaml",
        str(tmp_path / "a.yaml"),
    ]
    assert len({load_app(source).definition_hash for source in sources}) == 1


def test_a_definition_may_be_text_in_flow_style() -> None:
    text = "{app_id: an_app, name: App, category: custom, actions: [{name: go}]}"
    assert load_app(text).app_id == "an_app"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no file without an end")
def test_a_file_without_an_end_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "v1.yaml"
    path.symlink_to("/dev/zero")
    with pytest.raises(DefinitionError, match="larger than"):
        load_app(path)
