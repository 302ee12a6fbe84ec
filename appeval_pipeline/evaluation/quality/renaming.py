"""Giving a name another spelling, wherever the definition uses it."""

from __future__ import annotations

import re
from typing import Any, Final

from appeval_pipeline.appdef.loading import find_key
from appeval_pipeline.appdef.schema import AppDefinition
from appeval_pipeline.evaluation.quality.edits import Edit

_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    """``name`` in snake_case: ``newBalance`` and ``New__Balance`` are ``new_balance``."""
    words = [word for word in _WORD_START.sub("_", name).casefold().split("_") if word]
    joined = "_".join(words) or "x"
    return joined if joined[0].isalpha() else f"x_{joined}"


def rename_edits(app: AppDefinition, location: str, old: str, new: str) -> tuple[Edit, ...]:
    """The edits that call what is named ``old`` at ``location`` ``new``, where it is declared and used."""
    document = app.to_dict()
    key = find_key(document, location)
    match location.split("."):
        case ["app_id"]:
            return (Edit("set", key, new),)
        case ["state_schema", *rest]:
            pattern = re.compile(rf"(?<=\.){re.escape(old)}\b")
            used = _used(document, ("actions",), pattern, new) if len(rest) == 1 else ()
            return (Edit("set", (*key, "name"), new), *used)
        case ["actions", _]:
            return (Edit("set", (*key, "name"), new),)
        case ["actions", _, "parameters", _]:
            pattern = re.compile(rf"(?<=\bparams\.){re.escape(old)}\b")
            return (Edit("rename", key, new), *_used(document, (*key[:2], "logic"), pattern, new))
        case _:
            pattern = re.compile(rf"(?<![\w.]){re.escape(old)}\b")
            return (Edit("set", key, new), *_used(document, (*key[:-1], "body"), pattern, new))


def _used(document: Any, key: tuple[str | int, ...], pattern: re.Pattern[str], new: str) -> tuple[Edit, ...]:
    """An edit of all that stands under ``key``, if ``pattern`` is anywhere in its texts."""
    current = document
    for part in key:
        current = current[part]
    changed = _replaced(current, pattern, new)
    return (Edit("set", key, changed),) if changed != current else ()


def _replaced(value: Any, pattern: re.Pattern[str], new: str) -> Any:
    if isinstance(value, str):
        return pattern.sub(new, value)
    if isinstance(value, list):
        return [_replaced(item, pattern, new) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, pattern, new) for key, item in value.items()}
    return value
