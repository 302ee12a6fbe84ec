from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from appeval_pipeline.store import Database
from appeval_pipeline.store.export import Format, export
from appeval_pipeline.store.rows import CoverageReportRow, QualityScoreRow, ScenarioRunRow
from appeval_pipeline_tests.store.export import results

COUNTS = {"tests", "failures", "errors", "skipped", "time"}
REQUIRED = {
    "testsuites": {"name", *COUNTS},
    "testsuite": {"name", "timestamp", *COUNTS},
    "testcase": {"classname", "name", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
    "property": {"name", "value"},
    "properties": set(),
    "system-out": set(),
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "testcase": {"failure", "error", "skipped", "system-out"},
    "properties": {"property"},
}


def junit(database: Database, out: Path) -> ET.Element:
    export(database, out, [Format.junit])
    return ET.parse(out / "junit.xml").getroot()


@pytest.fixture
def root(filled: Database, out: Path) -> ET.Element:
    return junit(filled, out)


def outcomes(suite: ET.Element) -> dict[str, str]:
    return {
        f"{case.get('classname', '').rsplit('.', 1)[1]}: {case.get('name')}": next(
            (child.tag for child in case), "passed"
        )
        for case in suite.iter("testcase")
    }


def test_a_suite_is_an_app_version_and_tells_what_fails(root: ET.Element) -> None:
    found = {suite.get("name"): outcomes(suite) for suite in root}
    scenario = f"scenarios: Paying {results.SCRIPT}"
    assert found == {
        "broken@1": {
            "definition: definition is valid": "error",
            "quality: quality is at least 50": "skipped",
        },
        "wallet@1": {
            "definition: definition is valid": "passed",
            "quality: quality is at least 50": "passed",
            scenario: "passed",
            "regression: breaks nothing": "skipped",
        },
        "wallet@2": {
            "definition: definition is valid": "passed",
            "quality: quality is at least 50": "passed",
            scenario: "failure",
            "scenarios: zz.yaml": "error",
            "regression: breaks nothing of version 1": "failure",
        },
    }


def test_every_element_has_what_ci_systems_require(root: ET.Element) -> None:
    for element in root.iter():
        assert set(element.keys()) >= REQUIRED[element.tag], element.tag
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
    for suite in (root, *root):
        cases = list(suite.iter("testcase"))
        assert suite.get("tests") == str(len(cases))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert suite.get(attribute) == str(len(list(suite.iter(tag))))
        times = [float(case.get("time", "")) for case in cases]
        assert float(suite.get("time", "")) == pytest.approx(sum(times))


def test_a_failed_scenario_tells_step_expectation_outcome_file_and_time(root: ET.Element) -> None:
    (case,) = [case for case in root.iter("testcase") if case.find("failure[@type='scenario']") is not None]
    failure = case.find("failure")
    assert failure is not None
    assert case.get("file") == "apps/wallet/scenarios/paying.yaml"
    assert case.get("time") == "0.002500"
    assert failure.get("message", "").startswith("0 of 1 steps pass; pay: a")
    assert failure.text is not None
    assert 'expected {"data.total": 5}' in failure.text
    assert 'actual   {"data.total": null}' in failure.text


def test_characters_that_xml_forbids_are_replaced(root: ET.Element) -> None:
    (failure,) = root.findall(".//failure[@type='scenario']")
    assert failure.text is not None
    assert "a\ufffdb\ufffdc\ufffdd\ufffde\U0001f600" in failure.text


def test_a_break_lists_every_breaking_change(root: ET.Element) -> None:
    (failure,) = root.findall(".//failure[@type='breaking']")
    assert failure.get("message") == "2 breaking changes: Paying: passes on version 1, fails on version 2"
    assert failure.text is not None
    assert "actions.transfer.parameters.note: parameter 'note' was removed" in failure.text


def test_quality_below_50_fails_and_below_70_is_remarked(database: Database, out: Path) -> None:
    for version, score in ((1, 49.9), (2, 69.9), (3, 70.0)):
        made = results.definition("wallet", version), results.quality("wallet", version, score)
        results.store(database, *made)
    suites = junit(database, out)
    assert [outcomes(suite)["quality: quality is at least 50"] for suite in suites] == [
        "failure",
        "system-out",
        "passed",
    ]
    assert [element.text for element in suites.iter("system-out")] == ["quality 69.9 (Good) is below 70"]


def test_what_could_not_be_evaluated_is_an_error(database: Database, out: Path) -> None:
    results.store(database, results.definition("wallet", 1))
    unscored = results.row(QualityScoreRow, "wallet", 1, status="error", error="boom\nmore")
    results.store(database, results.result("quality_scores", "wallet", 1, unscored))
    uncovered = results.row(CoverageReportRow, "wallet", 1, status="error", error="bang")
    results.store(database, results.result("coverage_reports", "wallet", 1, uncovered))
    errors = [(error.get("message"), error.text) for error in junit(database, out).iter("error")]
    assert errors == [("boom", "boom\nmore"), ("bang", "bang")]


def test_two_scenario_files_of_one_name_are_told_apart(database: Database, out: Path) -> None:
    results.store(database, results.definition("wallet", 1))
    runs = [
        results.row(
            ScenarioRunRow,
            "wallet",
            1,
            file_path=file,
            scenario_name="Same",
            status="passed",
            passed=True,
        )
        for file in ("a.yaml", "b.yaml")
    ]
    results.store(database, results.result("scenario_runs", "wallet", 1, *runs))
    names = [case.get("name") for case in junit(database, out).iter("testcase")]
    assert names == ["definition is valid", "Same (a.yaml)", "Same (b.yaml)"]
