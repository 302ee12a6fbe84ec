"""``appeval check`` in CI: JUnit XML, tasks, and changed files of any kind as arguments."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from appeval_pipeline.cli.main import app

from .conftest import GOOD, SCENARIO, write_app

TASK = """\
name: Two
description: Bring the total to 2.
app_id: tally
agent: ann
goal_condition: shared.total == 2
"""


@pytest.fixture
def tally(data: Path) -> Path:
    """The folder of an app with one version, one scenario and one task."""
    folder = data / "apps" / "tally"
    (folder / "tasks").mkdir()
    (folder / "tasks" / "two.yaml").write_text(TASK)
    return folder


def check(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["check", *map(str, arguments)])


def junit(path: Path) -> dict[str, list[tuple[str, str]]]:
    """By suite: each case's group, and how it came out."""
    return {
        suite.attrib["name"]: [
            (
                case.attrib["classname"].rpartition(".")[2],
                next((child.tag for child in case if child.tag != "system-out"), "passed"),
            )
            for case in suite
        ]
        for suite in ET.parse(path).getroot()
    }


def test_a_suite_a_definition_and_a_case_a_scenario(tally: Path, tmp_path: Path) -> None:
    worse = GOOD.replace("value: params.amount}}", "value: 9}}").replace("description: Add to the total.", "")
    write_app(tmp_path / "data", "tally", version=2, text=worse)
    write_app(tmp_path / "data", "tally", version=3, text="app_id: {app_id}\n")
    report = tmp_path / "reports" / "junit.xml"
    assert check(tally, "--junit", report, "--min-quality", "99.9").exit_code == 2
    assert junit(report) == {
        "tally@1": [("definition", "passed"), ("quality", "passed"), ("scenarios", "passed")],
        "tally@2": [("definition", "passed"), ("quality", "failure"), ("scenarios", "failure")],
        str(tally / "v3.yaml"): [("definition", "error"), ("quality", "skipped")],
    }
    root = ET.parse(report).getroot()
    assert {key: root.attrib[key] for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "8",
        "failures": "2",
        "errors": "1",
        "skipped": "1",
    }
    failure = root.find("testsuite[@name='tally@2']/testcase/failure[@type='scenario']")
    assert failure is not None
    assert failure.attrib["message"] == "0 of 1 steps pass; Step 1: data.total is 9, expected 2"
    assert [case.attrib["file"] for case in root.iter("testcase") if case.find("error") is not None] == [
        str(tally / "v3.yaml")
    ]


def test_standard_output_is_the_same_beside_it(tally: Path, tmp_path: Path) -> None:
    result = check(tally, "--junit", tmp_path / "junit.xml", "--json")
    assert json.loads(result.stdout)[0]["tasks"] == ["Two"]


def test_a_scenario_or_a_task_stands_for_the_latest_version_of_its_app(tally: Path, tmp_path: Path) -> None:
    for version in (2, 10):
        write_app(tmp_path / "data", "tally", version=version)
    changed = (tally / "scenarios" / "counting.yaml", tally / "tasks" / "two.yaml", tally / "v2.yaml")
    checked = json.loads(check(*changed, "--json").stdout)
    assert [Path(one["path"]).name for one in checked] == ["v10.yaml", "v2.yaml"]


def test_an_app_may_be_called_tasks(data: Path) -> None:
    path = write_app(data, "tasks", scenario=SCENARIO)
    assert json.loads(check(path, "--json").stdout)[0]["path"] == str(path)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("agent: ann", "agnt: ann", "two.yaml: agnt (line 4)"),
        ("shared.total", "shard.total", "two.yaml: goal_condition (line 5)"),
        ("app_id: tally", "app_id: score", "two.yaml: app_id: The task is for 'score'"),
    ],
)
def test_a_task_that_cannot_be_used_exits_with_2_and_names_the_place(
    tally: Path, old: str, new: str, fault: str
) -> None:
    (tally / "tasks" / "two.yaml").write_text(TASK.replace(old, new))
    result = check(tally)
    assert result.exit_code == 2
    assert fault in result.stderr
