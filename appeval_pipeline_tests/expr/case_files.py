"""Cases of the language, read from the text files beside the tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

_FOLDER = Path(__file__).parent / "cases"


def read(name: str) -> Any:
    """What the case file ``name`` holds."""
    return yaml.safe_load((_FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


def grouped_cases(name: str) -> list[Any]:
    """The cases of a file of groups, each named after its group and its text."""
    return list(_named(read(name)))


def _named(groups: dict[str, list[dict[str, Any]]]) -> Iterator[Any]:
    for group, cases in groups.items():
        for case in cases:
            yield pytest.param(case, id=f"{group}: {case['expr']}")
