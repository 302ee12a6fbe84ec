"""JUnit XML, which CI systems show as test results.

A suite is an app version. Its test cases are the definition, the quality, each scenario, and the comparison
with the version before. A *failure* is what was found wanting, an *error* what could not be evaluated.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

Outcome = Literal["passed", "failure", "error", "skipped"]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OUTCOMES = ("failure", "error", "skipped")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test case.

    Attributes:
        group: ``definition``, ``quality``, ``scenarios`` or ``regression``, and others of what could not be
            evaluated.
        outcome: ``failure`` was found wanting, ``error`` could not be evaluated, ``skipped`` does not apply.
        message: One line; of a passed case a remark.
        type: Kind of failure or error.
        text: All there is to say; empty where the message says it.
        time_s: Measured time, in seconds; 0 where none was.
    """

    group: str
    name: str
    outcome: Outcome = "passed"
    message: str = ""
    type: str = ""
    text: str = ""
    time_s: float = 0.0
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Suite:
    """One app version.

    Attributes:
        made_at: When it was evaluated; None where that does not matter.
        properties: Name and value of what else there is to say.
    """

    name: str
    made_at: datetime | None
    properties: tuple[tuple[str, str], ...]
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class _Counts:
    tests: int
    failures: int
    errors: int
    skipped: int
    time_s: float

    @property
    def attributes(self) -> dict[str, str]:
        return {
            "tests": str(self.tests),
            "failures": str(self.failures),
            "errors": str(self.errors),
            "skipped": str(self.skipped),
            "time": _seconds(self.time_s),
        }


def write_suites(suites: Sequence[Suite], path: Path) -> None:
    """Write a file, in a folder that is there."""
    root = ET.Element(
        "testsuites", {"name": "appeval", **_count([case for s in suites for case in s.cases]).attributes}
    )
    root.extend(_suite(suite) for suite in suites)
    ET.indent(root)
    ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _suite(suite: Suite) -> ET.Element:
    element = ET.Element("testsuite", {"name": clean(suite.name), **_count(suite.cases).attributes})
    if suite.made_at is not None:
        element.set("timestamp", f"{suite.made_at:%Y-%m-%dT%H:%M:%S}")
    if suite.properties:
        properties = ET.SubElement(element, "properties")
        for name, value in suite.properties:
            ET.SubElement(properties, "property", {"name": clean(name), "value": clean(value)})
    element.extend(_cases(suite))
    return element


def _cases(suite: Suite) -> Iterator[ET.Element]:
    for case in suite.cases:
        element = ET.Element(
            "testcase",
            {
                "classname": clean(f"{suite.name}.{case.group}"),
                "name": clean(case.name),
                "time": _seconds(case.time_s),
            },
        )
        if case.file:
            element.set("file", clean(case.file))
        if case.outcome in _OUTCOMES:
            outcome = ET.SubElement(element, case.outcome, {"message": clean(case.message)})
            if case.outcome != "skipped":
                outcome.set("type", case.type)
            outcome.text = clean(case.text or case.message)
        elif case.message:
            ET.SubElement(element, "system-out").text = clean(case.message)
        yield element


def _count(cases: list[Case] | tuple[Case, ...]) -> _Counts:
    outcomes = [case.outcome for case in cases]
    return _Counts(
        tests=len(cases),
        failures=outcomes.count("failure"),
        errors=outcomes.count("error"),
        skipped=outcomes.count("skipped"),
        time_s=sum(case.time_s for case in cases),
    )


def _seconds(time_s: float) -> str:
    return f"{time_s:.6f}"


def clean(text: str) -> str:
    """``text`` with every character that XML 1.0 does not allow written as U+FFFD."""
    return _NOT_XML.sub("\ufffd", text)
