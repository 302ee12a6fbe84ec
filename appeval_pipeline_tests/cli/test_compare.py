"""``appeval compare`` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import GOOD, Appeval, write_app

TIP = ("minValue: 1}}", "minValue: 1}}\n      tip: {{type: number, description: On top.{required}}}")


def second(data: Path, *edits: tuple[str, str], app_id: str = "tally") -> Path:
    """A second version of an app, made from the first."""
    text = GOOD
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return write_app(data, app_id, version=2, text=text)


def test_the_same_definition_again_is_no_change(appeval: Appeval, data: Path) -> None:
    second(data)
    result = appeval("compare", "tally", "1", "2")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("tally 1 → 2: no change\n\nQuality: no change\nSpeed: ")
    assert result.stderr == ""


def test_a_scenario_that_newly_fails_exits_with_1_and_shows_what_broke_and_where(
    appeval: Appeval, data: Path
) -> None:
    second(data, ("operation: add, value: params.amount", "operation: add, value: params.amount + 1"))
    result = appeval("compare", "tally", "1", "2")
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "tally 1 → 2: BREAKING, 1 scenario newly failing"
    assert lines[2:6] == [
        "What held and fails now",
        "  ✗ Counting › Step 1 (count)",
        "      data.total  expected 2, got 3",
        "      and 1 failure after it in this scenario (--json lists all)",
    ]


def test_a_breaking_change_of_the_interface_alone_exits_with_1_too(appeval: Appeval, data: Path) -> None:
    (data / "apps" / "tally" / "scenarios" / "counting.yaml").unlink()
    path = second(data, (TIP[0], TIP[1].replace("{required}", ", required: true")))
    (path.parent / "scenarios" / "counting.yaml").unlink()
    result = appeval("compare", "tally", "1", "2")
    assert result.returncode == 1
    assert result.stdout.splitlines()[0] == "tally 1 → 2: BREAKING, 1 breaking interface change"
    assert (
        "  breaking   Parameter 'tip' of 'count' is new and required: calls without it are refused"
        in result.stdout
    )
    assert "Speed: no action could be compared" in result.stdout


def test_a_compatible_version_exits_with_0_and_its_changes_are_listed(appeval: Appeval, data: Path) -> None:
    second(
        data,
        (TIP[0], TIP[1].replace("{required}", "")),
        ("returns: {{total: The total so far.}}", "returns: {{total: The total so far., by: Who counts.}}"),
        ("value: {{total: shared.total}}", "value: {{total: shared.total, by: agent.id}}"),
    )
    result = appeval("compare", "tally", "1", "2")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "tally 1 → 2: compatible: no scenario newly fails, the interface holds"
    assert lines[2:10] == [
        "Interface",
        "  compatible Parameter 'tip' of 'count' is new, and optional",
        "  compatible 'count' now declares that it returns 'by'",
        "",
        "Other output where the scenarios hold",
        "  count: data.by",
        "      nothing → 'ann'",
        "      Counting › Step 1",
    ]


def test_json_is_the_report_and_nothing_else(appeval: Appeval, data: Path) -> None:
    second(data, ("operation: add", "operation: set"))
    result = appeval("compare", "tally", "1", "2", "--json")
    assert result.returncode == 0
    report = json.loads(result.stdout)
    assert (report["app_id"], report["old_version"], report["new_version"]) == ("tally", 1, 2)
    # Setting the total to the first amount comes to the same as adding it to nothing.
    assert report["new_failures"] == report["output_changes"] == report["interface_changes"] == []
    assert [action["action"] for action in report["timing"]] == ["count"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tally", "1", "2"), "App 'tally' has no version 2; known versions: 1"),
        (("nothing", "1", "2"), "There is no app 'nothing'; known apps: score, tally"),
    ],
)
def test_a_version_that_is_not_there_exits_with_2(
    appeval: Appeval, data: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = appeval("compare", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"Error: {message}\n"


def test_an_invalid_definition_or_scenario_exits_with_2_and_names_the_place(
    appeval: Appeval, data: Path
) -> None:
    path = second(data, ("shared.total, operation", "shared.sum, operation"))
    result = appeval("compare", "tally", "1", "2")
    assert result.returncode == 2
    assert "apps/tally/v2.yaml is invalid" in result.stderr
    assert "actions.count.logic[0].target" in result.stderr
    second(data)
    scenario = path.parent / "scenarios" / "counting.yaml"
    text = scenario.read_text()
    scenario.write_text(text.replace("action:", "acton:"))
    result = appeval("compare", "tally", "1", "2")
    assert result.returncode == 2
    assert "counting.yaml is invalid" in result.stderr
    assert "steps[0].acton (line 6)" in result.stderr
    scenario.write_text(text.replace("app_id: tally", "app_id: score"))
    result = appeval("compare", "tally", "1", "2")
    assert result.returncode == 2
    assert "Scenario 'Counting' is for 'score', the definitions are of 'tally'" in result.stderr


def test_an_id_that_stands_for_something_else_is_not_shown_as_its_own_double(
    appeval: Appeval, data: Path
) -> None:
    stored = GOOD.replace(
        "actions:\n",
        "  - {{name: last, type: string, default: '', description: Id., perAgent: false}}\nactions:\n",
    ).replace(
        "      - {{type: return, value: {{total: shared.total}}}}",
        "      - {{type: update, target: shared.last, operation: set, value: generate_id()}}\n"
        "      - {{type: return, value: {{total: shared.total, last: shared.last}}}}",
    )
    write_app(data, "tally", version=2, text=stored)
    write_app(data, "tally", version=3, text=stored.replace("last: shared.last", "last: generate_id()"))
    lines = appeval("compare", "tally", "2", "3").stdout.splitlines()
    place = lines.index("  count: shared.last")
    assert lines[place + 1].endswith("' → the id of something else")
