"""A JSON list read item by item, so that a fault can be placed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Final

from appeval_pipeline.errors import Fault

_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_CUT_TOKEN: Final = re.compile(r"t|tr|tru|f|fa|fal|fals|n|nu|nul|-|[eE][-+]|[\\u]*[0-9a-fA-F]*")
"""What is left at the end of a word, an exponent or an escape that was cut off."""
_LONGEST_TOKEN: Final = 6
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
"""A pair of surrogates, half of one, or any other escape."""


class UnreadableError(Exception):
    """The rest of a file cannot be read."""

    def __init__(self, message: str, location: str = "", line: int | None = None) -> None:
        super().__init__(message)
        self.fault = Fault(location, message, line)


def with_whole_characters(text: str) -> str:
    """JSON text in which escaped halves of surrogate pairs are U+FFFD; as long as it was."""
    if not _HALF.search(text):
        return text
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape[1] else escape[0], text)


def json_items(text: str) -> Iterator[tuple[object, int]]:
    """The items of a JSON list, each with the line where it begins.

    Half of a surrogate pair, which a model may write and nobody can print or store, becomes U+FFFD.

    Args:
        text: Not blank; it is not trusted.

    Raises:
        UnreadableError: It is no JSON list, was cut off, or nests too deeply. What came before the fault
            has been given by then.
    """
    text = with_whole_characters(text)
    decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)
    end = len(text.rstrip())
    position = _after_blanks(text, 0)
    if text[position] != "[":
        raise UnreadableError("Expected a JSON list: [...]")
    position = _after_blanks(text, position + 1)
    counted, line, place = 0, 1, 0
    while not text.startswith("]", position):
        if place:
            if not text.startswith(",", position):
                _refuse_rest(text, position, end, place)
            position = _after_blanks(text, position + 1)
            if text.startswith("]", position):
                told = "Not valid JSON: a comma before the closing bracket"
                raise UnreadableError(told, f"[{place}]", _line(text, position))
        line += text.count("\n", counted, position)
        counted = position
        record, position = _decoded(decoder, text, position, end, place)
        yield record, line
        position = _after_blanks(text, position)
        place += 1
    if position + 1 < end:
        raise UnreadableError("Something follows the list", line=_line(text, position + 1))


def _decoded(decoder: json.JSONDecoder, text: str, position: int, end: int, place: int) -> tuple[object, int]:
    at = f"[{place}]"
    try:
        return decoder.raw_decode(text, position)
    except json.JSONDecodeError as error:
        if _is_cut_off(error, text, end):
            raise UnreadableError(
                "The file ends within this item: it was cut off, or is still being written; "
                f"whole items before it: {place}",
                at,
                _line(text, end),
            ) from None
        raise UnreadableError(
            f"Not valid JSON: {error.msg} (column {error.colno})", at, error.lineno
        ) from None
    except RecursionError:
        raise UnreadableError("Nested too deeply", at, _line(text, position)) from None
    except UnreadableError as error:
        raise UnreadableError(str(error), at, _line(text, position)) from None
    except ValueError:
        raise UnreadableError("A number is too long", at, _line(text, position)) from None


def _refuse_rest(text: str, position: int, end: int, place: int) -> None:
    if position >= end:
        told = f"The file ends after {place} items, without the closing bracket: it was cut off"
        raise UnreadableError(told, line=_line(text, end))
    raise UnreadableError(
        "Not valid JSON: expected a comma or a closing bracket", f"[{place}]", _line(text, position)
    )


def _is_cut_off(error: json.JSONDecodeError, text: str, end: int) -> bool:
    if error.msg.startswith("Unterminated string") or error.pos >= end - 1:
        return True
    return end - error.pos < _LONGEST_TOKEN and _CUT_TOKEN.fullmatch(text, error.pos, end) is not None


def _refuse_constant(constant: str) -> object:
    raise UnreadableError(f"{constant} is no JSON number")


def _finite(number: str) -> float:
    read = float(number)
    if math.isinf(read):
        raise UnreadableError(f"{number[:30]} is larger than any number can be")
    return read


def _after_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1
