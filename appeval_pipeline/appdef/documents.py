"""YAML and JSON to plain data, with the line of every key, proof against hostile documents.

YAML is read as its 1.2 core schema: ``true`` and ``false`` are booleans, ``yes``, ``1_000``, ``010`` and
dates are text. A key that stands twice, a number that is not finite, an alias that refers to itself or
unfolds into more than 100,000 values or 2,000,000 characters, and nesting beyond 100 levels are errors.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import yaml

from appeval_pipeline.errors import Fault, StateError
from appeval_pipeline.expr.values import copy_input

MAX_DOCUMENT_BYTES: Final = 2_000_000
MAX_DOCUMENT_DEPTH: Final = 100
MAX_DOCUMENT_NODES: Final = 100_000

Key = tuple[str | int, ...]
_PLAIN: Final = "plain"
_ACCEPTED_TAGS: Final = (_PLAIN, *(f"tag:yaml.org,2002:{name}" for name in ("str", "seq", "map")))


def _resolve(loader: Any, kind: type[yaml.Node], value: object, implicit: Any) -> str:
    """The tag of a node that has none: plain scalars get a mark of their own, to be read in `_scalar`."""
    if kind is yaml.ScalarNode:
        return _PLAIN if implicit[0] else "tag:yaml.org,2002:str"
    return f"tag:yaml.org,2002:{'map' if kind is yaml.MappingNode else 'seq'}"


_BaseLoader: type[Any] = type(
    "_Loader", (getattr(yaml, "CSafeLoader", yaml.SafeLoader),), {"resolve": _resolve}
)
_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SPECIAL: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_LONGEST_NUMBER: Final = 400
_LEADING_ZERO: Final = re.compile(r"[-+]?0[0-9]")


class DocumentError(Exception):
    """A document cannot be read."""

    def __init__(self, fault: Fault, source: str | None = None) -> None:
        super().__init__(str(fault))
        self.fault = fault
        self.source = source


@dataclass(frozen=True, slots=True)
class Document:
    """Plain data, and where it came from.

    Attributes:
        source: The path of the file; None for a text or a mapping.
        lines: The 1-based line of each key path; empty for JSON and for a mapping.
        sha256: Of the bytes that were read, in hexadecimal; None where there was no file.
    """

    data: object
    source: str | None = None
    lines: Mapping[Key, int] = field(default_factory=dict)
    sha256: str | None = None

    def line(self, key: Key) -> int | None:
        """The line of ``key``, or of the nearest thing around it."""
        for length in range(len(key), -1, -1):
            if key[:length] in self.lines:
                return self.lines[key[:length]]
        return None


def read_document(source: str | Path | Mapping[str, object]) -> Document:
    """Read a YAML or JSON file, text, or a mapping.

    A ``str`` is text if it has a line break, a ``{`` or a ``: `` in it, else the path of a file.

    Raises:
        DocumentError: The file cannot be read, or the text is not what this reader accepts.
    """
    if isinstance(source, Mapping):
        try:
            return Document(copy_input(source, "document"))
        except StateError as error:
            raise DocumentError(Fault("", str(error))) from None
    if isinstance(source, str) and ("\n" in source or "{" in source or ": " in source):
        return _read_text(source, None, is_json=_is_json(source))
    path = Path(source)
    name = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_DOCUMENT_BYTES + 1)  # what says that it is empty may go on for ever
        if len(content) > MAX_DOCUMENT_BYTES:
            raise DocumentError(Fault("", f"File is larger than {MAX_DOCUMENT_BYTES} bytes"), name)
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise DocumentError(Fault("", f"File cannot be read: {error.strerror}"), name) from None
    except UnicodeDecodeError as error:
        raise DocumentError(Fault("", f"File is not UTF-8 (byte {error.start})"), name) from None
    except ValueError:
        raise DocumentError(Fault("", f"{name!r:.60} is neither a document nor the path of a file")) from None
    document = _read_text(text, name, is_json=path.suffix == ".json")
    return replace(document, sha256=hashlib.sha256(content).hexdigest())


def _is_json(text: str) -> bool:
    """Whether ``text`` is meant as JSON: an object, and not one that YAML alone can read."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    except (RecursionError, ValueError):
        return True
    return True


def _read_text(text: str, source: str | None, *, is_json: bool) -> Document:
    if _SURROGATE.search(text):
        raise DocumentError(Fault("", "The text holds half of a surrogate pair"), source)
    if len(text) > MAX_DOCUMENT_BYTES:
        raise DocumentError(Fault("", f"Text is longer than {MAX_DOCUMENT_BYTES} characters"), source)
    try:
        return Document(_read_json(text), source) if is_json else _read_yaml(text, source)
    except DocumentError as error:
        raise DocumentError(error.fault, source) from None


def _read_json(text: str) -> object:
    def refuse(constant: str) -> object:
        raise DocumentError(Fault("", f"{constant} is no JSON number"))

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result = dict(pairs)
        if len(result) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice = next(key for key, count in counts.items() if count > 1)
            raise DocumentError(Fault("", f"Key '{twice}' stands twice in an object"))
        return result

    try:
        return copy_input(json.loads(text, parse_constant=refuse, object_pairs_hook=unique), "document")
    except json.JSONDecodeError as error:
        raise DocumentError(Fault("", f"Not valid JSON: {error.msg}", error.lineno)) from None
    except (RecursionError, StateError, ValueError) as error:
        detail = str(error) if isinstance(error, StateError) else "nested too deeply or a number too long"
        raise DocumentError(Fault("", f"Not valid JSON: {detail}")) from None


def _read_yaml(text: str, source: str | None) -> Document:
    try:
        _check_events(text)
        loader = _BaseLoader(text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        line = mark.line + 1 if mark else None
        raise DocumentError(Fault("", f"Not valid YAML: {problem}", line)) from None
    if node is None:
        raise DocumentError(Fault("", "The document is empty"), source)
    lines: dict[Key, int] = {}
    return Document(_construct(node, (), lines), source, lines)


def _check_events(text: str) -> None:
    """Walk the document as a flat stream and refuse what would blow up when built."""
    depth = 0
    sizes: dict[str, tuple[int, int]] = {}
    opened: list[tuple[str | None, int, int]] = []
    nodes = characters = 0
    for event in yaml.parse(text, Loader=_BaseLoader):
        line = event.start_mark.line + 1 if event.start_mark else None
        match event:
            case yaml.AliasEvent(anchor=anchor):
                if anchor not in sizes:
                    raise DocumentError(Fault("", f"Alias '*{anchor}' refers to itself or to nothing", line))
                nodes += sizes[anchor][0]
                characters += sizes[anchor][1]
            case yaml.ScalarEvent(anchor=anchor, value=value):
                nodes += 1
                characters += len(value)
                if anchor:
                    sizes[anchor] = (1, len(value))
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                nodes += 1
                depth += 1
                opened.append((event.anchor, nodes, characters))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                depth -= 1
                anchor, nodes_before, characters_before = opened.pop()
                if anchor:
                    sizes[anchor] = (nodes - nodes_before + 1, characters - characters_before)
            case _:
                pass
        if depth > MAX_DOCUMENT_DEPTH:
            raise DocumentError(Fault("", f"Nested deeper than {MAX_DOCUMENT_DEPTH} levels", line))
        if nodes > MAX_DOCUMENT_NODES:
            raise DocumentError(Fault("", f"Unfolds into more than {MAX_DOCUMENT_NODES} values", line))
        if characters > MAX_DOCUMENT_BYTES:
            raise DocumentError(Fault("", f"Unfolds into more than {MAX_DOCUMENT_BYTES} characters", line))


def _construct(node: yaml.Node, key: Key, lines: dict[Key, int]) -> object:
    lines.setdefault(key, node.start_mark.line + 1)
    if node.tag not in _ACCEPTED_TAGS:
        message = f"Tag '{node.tag}' is not accepted; put text that starts with '!' in quotes"
        raise DocumentError(Fault(_dotted(key), message, node.start_mark.line + 1))
    match node:
        case yaml.ScalarNode():
            return _scalar(node, key)
        case yaml.SequenceNode():
            return [_construct(item, (*key, index), lines) for index, item in enumerate(node.value)]
        case yaml.MappingNode():
            result: dict[str, object] = {}
            for key_node, value_node in node.value:
                line = key_node.start_mark.line + 1
                if not isinstance(key_node, yaml.ScalarNode):
                    raise DocumentError(Fault(_dotted(key), "Keys must be plain text", line))
                name = key_node.value
                if name in result:
                    raise DocumentError(Fault(_dotted((*key, name)), f"Key '{name}' stands twice", line))
                if name == "<<":
                    raise DocumentError(Fault(_dotted(key), "Merge keys ('<<') are not supported", line))
                lines[(*key, name)] = line
                result[name] = _construct(value_node, (*key, name), lines)
            return result
        case _:  # pragma: no cover - YAML has no other nodes
            raise AssertionError(node)


def _scalar(node: yaml.ScalarNode, key: Key) -> object:
    text: str = node.value
    if node.tag != _PLAIN:
        return text
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    line = node.start_mark.line + 1
    if _SPECIAL.fullmatch(text):
        raise DocumentError(Fault(_dotted(key), f"{text} is no JSON number", line))
    if _LEADING_ZERO.match(text):
        return text
    if _INTEGER.fullmatch(text):
        too_long = len(text) > _LONGEST_NUMBER
        number: int | float = 0 if too_long else int(text, 0 if text[:2] in ("0x", "0o") else 10)
        if too_long or abs(number) > 2**63:
            raise DocumentError(Fault(_dotted(key), "Number out of range (±2^63)", line))
        return number
    if _FLOAT.fullmatch(text):
        number = float(text)
        if not math.isfinite(number):
            raise DocumentError(Fault(_dotted(key), f"{text} is no JSON number", line))
        return number
    return text


def _dotted(key: Key) -> str:
    """``("actions", 0, "name")`` as ``actions[0].name``."""
    text = ""
    for part in key:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
