"""Numbers and texts as the page shows them, and data as its script reads them."""

from __future__ import annotations

import json

import orjson
from markupsafe import Markup

MAX_TEXT = 400
"""Characters of any text from the store that are shown."""

_UNSAFE = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
"""What could end a script element, or a line in an old reader; JSON may write each as an escape."""

_TURNING = dict.fromkeys(
    [0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\N{REPLACEMENT CHARACTER}"
)
"""What turns the direction of writing: a name with one would have what stands after it read backwards."""


def in_reading_order(page: str) -> str:
    """The page with a sign where a text has what turns the direction of writing."""
    return page.translate(_TURNING)


def number(value: float | None, digits: int = 1) -> str:
    """A number, with a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}"


def share(value: float | None) -> str:
    """A share of 0 to 1, in whole percent."""
    return "–" if value is None else f"{value:.0%}"


def signed(value: float | None, unit: str = "") -> str:
    """A difference with its sign; one that rounds to nothing has none."""
    if value is None:
        return "–"
    text = f"{value:+.1f}".replace("-", "\N{MINUS SIGN}")
    return f"{'0.0' if text[1:] == '0.0' else text}{unit}"


def latency(value_ms: float | None) -> str:
    """A latency with three digits that count, in the unit that makes them easy to read."""
    if value_ms is None:
        return "–"
    value, unit = (value_ms * 1000, "µs") if value_ms < 1 else (value_ms, "ms")
    return f"{float(f'{value:.3g}'):,.10g} {unit}"


def cut(text: str, length: int = MAX_TEXT) -> str:
    """A text, no longer than a page can bear."""
    left_out = len(text) - length
    return text if left_out <= 0 else f"{text[:length]} … and {left_out:,} more characters"


def spaced(document: str) -> str:
    """A JSON text with spaces at which a line may break."""
    return json.dumps(json.loads(document), ensure_ascii=False)


def embedded(value: object) -> Markup:
    """A value as JSON that can stand in a script element: no text in it can end the element."""
    return Markup(orjson.dumps(value).decode().translate(_UNSAFE))
