"""``appeval compare --format markdown``: what a pull request shows, whatever the definitions call things."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from appeval_pipeline.cli.comparison_markdown import markdown
from appeval_pipeline.cli.main import app
from appeval_pipeline.evaluation import RegressionReport
from appeval_pipeline.evaluation.regression import InterfaceChange, OutputChange, VersionFailure
from appeval_pipeline.evaluation.timing import ActionComparison

from .conftest import GOOD, write_app

EMPTY = RegressionReport(
    app_id="tally",
    old_version=1,
    new_version=2,
    new_failures=(),
    fixed_tests=(),
    still_failing=(),
    failures=(),
    output_changes=(),
    output_changes_left_out=0,
    interface_changes=(),
    latency_change_pct=None,
    throughput_change_pct=None,
    timing=(),
    not_timed=(),
    quality_score_delta=0.0,
    dimension_changes={},
    not_compared=(),
)


def html(text: str) -> str:
    return str(MarkdownIt("commonmark").enable("table").render(text))


@pytest.fixture
def two_versions(data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The app ``tally``, whose second version counts one too many."""
    monkeypatch.setenv("APPEVAL_DATA_DIR", str(data))
    write_app(
        data, "tally", version=2, text=GOOD.replace("value: params.amount}}", "value: params.amount + 1}}")
    )
    return data


def compare(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["compare", "tally", *arguments])


def test_what_breaks_comes_first_with_expected_and_actual(two_versions: Path) -> None:
    result = compare("1", "2", "--format", "markdown")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:9] == [
        "### ❌ `tally` 1 → 2: breaking",
        "",
        "1 scenario newly failing.",
        "",
        "#### What held and fails now",
        "",
        "| scenario | step | what | expected | got |",
        "|---|---|---|---|---|",
        "| `Counting` | `Step 1` (`count`) | `data.total` | `2` | `3` |",
    ]
    assert "and 1 failure after it in this scenario" in result.stdout


def test_nothing_new_is_said_in_a_line(two_versions: Path) -> None:
    write_app(two_versions, "tally", version=2)
    result = compare("1", "2", "--format", "markdown")
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, "### ✅ `tally` 1 → 2: no change")


def test_the_baseline_is_the_greatest_version_below(two_versions: Path) -> None:
    write_app(two_versions, "tally", version=5)
    named = json.loads(compare("baseline", "5", "--json").stdout)
    assert (named["old_version"], named["new_version"]) == (2, 5)


@pytest.mark.parametrize(
    ("output_format", "printed"),
    [
        ("text", "tally 1 is the first version: there is nothing to compare it with\n"),
        ("markdown", "### `tally` 1: the first version\n"),
        ("json", "null\n"),
    ],
)
def test_the_first_version_breaks_nothing(two_versions: Path, output_format: str, printed: str) -> None:
    result = compare("baseline", "1", "--format", output_format)
    assert (result.exit_code, result.stdout) == (0, printed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("0", "2"), "'0' is no version"),
        (("9" * 5000, "2"), "is no version: accepted are"),
        (("last", "2"), "accepted are a number from 1 and"),
        (("1", "2", "--json", "--format", "markdown"), "contradict each other"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    two_versions: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = compare(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.replace("│", " ").split())


HOSTILE = "a|b `c` ``d`` <img src=x onerror=alert(1)> @everyone [x](http://y)\n| --- |\n\u202e\x1b[31m"


def test_texts_of_definitions_are_shown_and_do_nothing() -> None:
    report = replace(
        EMPTY,
        new_failures=(HOSTILE,),
        fixed_tests=(HOSTILE,),
        failures=(
            VersionFailure(HOSTILE, HOSTILE, "go", {HOSTILE: HOSTILE}, {HOSTILE: "`"}, HOSTILE),
            VersionFailure(HOSTILE + "2", HOSTILE, None, {}, {}, HOSTILE),
        ),
        interface_changes=(InterfaceChange("k", "breaking", "l", HOSTILE, None, None),),
        output_changes=(OutputChange(HOSTILE, HOSTILE, "go", "data", HOSTILE, "changed", HOSTILE, ""),),
    )
    text = markdown(report)
    assert "\u202e" not in text
    assert "\x1b" not in text
    page = html(text)
    assert "<img" not in page
    assert "<a " not in page
    assert "&lt;img src=x" in page
    rows = page.split("<tr>")[1:]
    cells = [row.count("<td>") + row.count("<th>") for row in rows]
    assert cells == [5, 5, 5, 2, 2, 5, 5]  # of failures, the interface, and other output


def test_the_largest_report_fits_into_a_comment() -> None:
    names = [f"{number:04}{'`|' * 500}" for number in range(200)]
    report = replace(
        EMPTY,
        new_failures=tuple(names),
        fixed_tests=tuple(names),
        still_failing=tuple(names),
        not_compared=tuple(names),
        failures=tuple(VersionFailure(n, n, n, dict.fromkeys(names, n), {}, n) for n in names for _ in "12"),
        interface_changes=tuple(
            InterfaceChange("k", severity, n, n, None, None)
            for severity in ("breaking", "warning", "compatible")
            for n in names
        ),
        output_changes=tuple(
            OutputChange(n, n, n, "data", f"{n}.{chr(97 + i % 26)}{chr(97 + i // 26)}", "changed", n, n + "x")
            for i, n in enumerate(names)
        ),
        timing=tuple(ActionComparison(n, 31, 1.0, 2.0, 2.0, 1.9, 2.1) for n in names),
    )
    text = markdown(report)
    assert len(text) < 65_536
    assert "and 185 more scenarios" in text
    assert "and 185 more actions" in text
