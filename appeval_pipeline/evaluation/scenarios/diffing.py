"""What changed between two states, path by path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from appeval_pipeline.expr.values import equal
from appeval_pipeline.expr.writing import MISSING

Change = dict[str, Any]


def state_diff(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Change]:
    """Each path that differs, with ``before`` and ``after``; one of them is left out where nothing was.

    Paths start at an agent's id or ``shared``, as expectations write them.
    """
    changes = dict(_differences(before["per_agent"], after["per_agent"], ""))
    changes.update(_differences(before["shared"], after["shared"], "shared"))
    return changes


def _differences(before: object, after: object, path: str) -> Iterator[tuple[str, Change]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            old, new = before.get(key, MISSING), after.get(key, MISSING)
            # A copied state shares its texts and numbers with the original: most need no second look.
            if old is not new:
                yield from _differences(old, new, f"{path}.{key}" if path else key)
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            old = before[index] if index < len(before) else MISSING
            new = after[index] if index < len(after) else MISSING
            if old is not new:
                yield from _differences(old, new, f"{path}[{index}]")
    elif before is MISSING:
        yield path, {"after": after}
    elif after is MISSING:
        yield path, {"before": before}
    elif not equal(before, after):
        yield path, {"before": before, "after": after}
