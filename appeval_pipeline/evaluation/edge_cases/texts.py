"""Texts that match a pattern, made by reading it.

Only a part of what patterns can say is read; every text is held against the pattern itself, so what is not
understood costs texts, never truth.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from appeval_pipeline.appdef.parameters import compile_pattern

MAX_TEXT_LENGTH: Final = 10_000
"""Characters of the longest text that is made."""

_ALTERNATIVES: Final = 4
"""How many of the ways through ``a|b|c`` are tried."""

_NESTING: Final = 20
_CHARACTERS: Final = "a1A" + string.digits + string.ascii_letters + string.punctuation + " \t\n"
_TOKEN: Final = re.compile(
    r"(?P<group>\((?:\?(?:P?<[A-Za-z_]\w*>|:))?)"
    r"|(?P<set>\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|\\[dDwWsS]|\.)"
    r"|(?P<empty>\\[AzbB]|[\^$])"
    r"|(?P<repeat>(?:[*+?]|\{(?P<low>\d{1,4})(?P<comma>,(?P<high>\d{1,4})?)?\})\??)"
    r"|(?P<literal>\\[^\w\s]|[^()\[\]|\\])"
    r"|(?P<other>[|)])"
)


@dataclass(frozen=True, slots=True)
class _Repeat:
    """``body``, ``low`` to ``high`` times."""

    body: _Node
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple[_Node, ...]


_Node = str | _Repeat | _Sequence


class _NotReadError(Exception):
    """The pattern says something that is not read here."""


@lru_cache(maxsize=256)
def matching_texts(pattern: str, length: int | None = None) -> tuple[str, ...]:
    """Some texts that match ``pattern``, none twice; none if none is found.

    Args:
        length: How many characters each should have, at most `MAX_TEXT_LENGTH`; as few as each way through
            the pattern takes if None.
    """
    compiled = compile_pattern(pattern)
    made = dict.fromkeys(_texts(pattern, length) if (length or 0) <= MAX_TEXT_LENGTH else ())
    return tuple(
        text for text in made if (length is None or len(text) == length) and compiled.search(text) is not None
    )


def _texts(pattern: str, length: int | None) -> Iterator[str]:
    for way in range(_ALTERNATIVES):
        try:
            tree = _Reader(pattern, way).read()
        except _NotReadError:
            break
        shortest = len(_write(tree, [0]))
        missing = [max(0, (length or 0) - shortest)]
        text = _write(tree, missing)
        yield text
        if missing[0]:
            yield text + "a" * missing[0]
            yield "a" * missing[0] + text
    if length is not None:
        yield "a" * length


def _write(node: _Node, missing: list[int]) -> str:
    """The text of ``node``, repetitions stretched by up to ``missing[0]`` characters, which are taken off."""
    match node:
        case str():
            return node
        case _Sequence(parts):
            return "".join([_write(part, missing) for part in parts])[: MAX_TEXT_LENGTH + 1]
        case _Repeat(body, low, high):
            unit = _write(body, [0])
            if not unit:
                return ""
            more = min(high - low, missing[0] // len(unit))
            missing[0] -= more * len(unit)
            return unit * min(low + more, MAX_TEXT_LENGTH // len(unit) + 1)


@lru_cache(maxsize=1024)
def _character_of(atom: str) -> str:
    """The first usual character that a class such as ``[^a-z]`` or ``\\d`` takes."""
    test = compile_pattern(f"^(?:{atom})$")
    found = next((character for character in _CHARACTERS if test.search(character)), None)
    if found is None:
        raise _NotReadError
    return found


class _Reader:
    """Reads a pattern to a tree, of alternatives the one that is ``way`` places behind the first."""

    def __init__(self, pattern: str, way: int) -> None:
        self.pattern = pattern
        self.way = way
        self.position = 0

    def read(self) -> _Node:
        tree = self._alternatives(0)
        if self.position < len(self.pattern):
            raise _NotReadError
        return tree

    def _alternatives(self, depth: int) -> _Node:
        if depth > _NESTING:
            raise _NotReadError
        found = [self._sequence(depth)]
        while self.pattern[self.position : self.position + 1] == "|":
            self.position += 1
            found.append(self._sequence(depth))
        return found[self.way % len(found)]

    def _sequence(self, depth: int) -> _Node:
        parts: list[_Node] = []
        while self.position < len(self.pattern):
            token = _TOKEN.match(self.pattern, self.position)
            if token is None:
                raise _NotReadError
            if token["other"]:
                break
            self.position = token.end()
            if token["repeat"]:
                if not parts:
                    raise _NotReadError
                parts.append(_Repeat(parts.pop(), *_bounds(token)))
            else:
                parts.append(self._atom(token, depth))
        return _Sequence(tuple(parts))

    def _atom(self, token: re.Match[str], depth: int) -> _Node:
        text = token[0]
        if token["set"]:
            return _character_of(text)
        if token["literal"]:
            return text[-1]
        if token["empty"]:
            return ""
        inner = self._alternatives(depth + 1)
        if self.pattern[self.position : self.position + 1] != ")":
            raise _NotReadError
        self.position += 1
        return inner


def _bounds(token: re.Match[str]) -> tuple[int, int]:
    text = token["repeat"]
    if text[0] != "{":
        return (1 if text[0] == "+" else 0), (1 if text[0] == "?" else MAX_TEXT_LENGTH)
    low = int(token["low"])
    if not token["comma"]:
        return low, low
    return low, int(token["high"]) if token["high"] else MAX_TEXT_LENGTH
