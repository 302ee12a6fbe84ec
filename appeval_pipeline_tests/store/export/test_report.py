from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from appeval_pipeline.store import Database
from appeval_pipeline.store.export import Format, export
from appeval_pipeline.store.rows import CoverageGapRow, QualityScoreRow, ScenarioFailureRow, ScenarioRunRow
from appeval_pipeline_tests.store.export import results

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """What tests ask of a page: its elements with attributes, its text, and whether its tags match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]


def source_of(database: Database, out: Path) -> str:
    export(database, out, [Format.html])
    return (out / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def source(filled: Database, tmp_path_factory: pytest.TempPathFactory) -> str:
    return source_of(filled, tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="session")
def page(source: str) -> Page:
    return Page(source)


def test_the_page_needs_no_network_and_no_script(page: Page) -> None:
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in page.elements}
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") for name in attributes), tag
        for name in ("href", "src", "xlink:href"):
            assert attributes.get(name, "#").startswith("#"), tag
    policy = [meta["content"] for meta in page.all("meta") if "http-equiv" in meta]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_no_style_reaches_out(source: str) -> None:
    assert "@import" not in source
    assert all(target.startswith("#") for target in re.findall(r"url\(['\"]?([^)]*)", source))


def test_hostile_names_are_shown_and_do_nothing(page: Page, source: str) -> None:
    assert results.SCRIPT not in source
    assert f"Wallet {results.SCRIPT} wallet version 2" in page.text
    assert "https://" not in source


def test_ids_are_unique_and_links_lead_to_them(page: Page) -> None:
    ids = Counter(attributes["id"] for _, attributes in page.elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    targets = {link["href"].removeprefix("#") for link in page.all("a")}
    targets |= {use["xlink:href"].removeprefix("#") for use in page.all("use")}
    targets |= {
        attributes["aria-labelledby"] for _, attributes in page.elements if "aria-labelledby" in attributes
    }
    assert len(targets) > 5
    assert targets <= set(ids)


def test_the_page_is_made_for_everybody(page: Page) -> None:
    assert page.all("html")[0]["lang"] == "en"
    assert page.all("a")[0] == {"class": "skip", "href": "#main"}
    assert len(page.all("caption")) == len(page.all("table")) > 5
    assert len(page.all("figcaption")) == len(page.all("figure")) == len(page.all("svg")) == 4
    assert all(svg["role"] == "img" and ": " in svg["aria-label"] for svg in page.all("svg"))
    assert all(header["scope"] in ("col", "row") for header in page.all("th"))


def test_the_overview_has_a_row_a_version(page: Page) -> None:
    assert "wallet 1 72.5 Good 1/1 passed 75.0 50.0 100.0 10.1 µs 45.6 µs first version" in page.text
    assert (
        "wallet 2 85.0 Good 0/2 passed 75.0 50.0 100.0 10.1 µs 45.6 µs breaking: 1 new failure" in page.text
    )
    assert "broken 1 invalid actions: <script>" in page.text


@pytest.mark.parametrize(
    "words",
    [
        "error handling 79.5, state safety 87.5",  # the chart's description
        "version 1: 72.5, version 2: 85.0",
        "actions 100.0, blocks 90.0, branches 75.0, paths 50.0, edge cases 50.0, edge cases robust 100.0",
        "p50 0.0101 ms, p95 0.0303 ms, p99 0.0456 ms",
    ],
)
def test_charts_say_their_numbers_in_words(page: Page, words: str) -> None:
    assert any(words in svg["aria-label"] for svg in page.all("svg"))


@pytest.mark.parametrize(
    "words",
    [
        '+1.5 =HYPERLINK("http://example.org";"here") actions.transfer.description documentation',
        "zz.yaml apps/wallet/scenarios/zz.yaml invalid line 3: 'stepz' is not accepted",
        '· apps/wallet/scenarios/paying.yaml {"data.total": 5} {"data.total": null} a',
        "`transfer.logic[1]`: the else arm is never taken Add a step that fails",
        "transfer: required missing of amount",
        "Version 2 against 1: breaking: 1 new failure · quality +12.5 · latency −4.2 % · throughput +3.1 %",
        "interface change, breaking actions.transfer.parameters.note parameter 'note' was removed",
        "transfer 10.5 µs 10.1 µs 0.96 (0.90–1.02) no",
        "81,234 actions per second of time spent in actions; mean 12.3 µs, p95 30.3 µs.",
        "transfer 1,200 10.1 µs 30.3 µs 45.6 µs",
    ],
)
def test_a_section_tells_the_details_of_the_latest_version(page: Page, words: str) -> None:
    assert words in page.text


def test_every_part_says_where_its_numbers_come_from(page: Page) -> None:
    for asset in (
        "app_definitions",
        "quality_scores",
        "scenario_runs",
        "coverage_reports",
        "edge_case_reports",
        "regression_reports",
        "benchmark_results",
    ):
        line = (
            rf"From {asset} · data version [0-9a-f]{{12}} · run run-1 · 2026-01-02 12:00:00 UTC · evaluator"
        )
        assert re.search(line, page.text)


def test_equal_stores_give_equal_pages(filled: Database, source: str, out: Path) -> None:
    assert source_of(filled, out) == source


def test_what_nobody_would_read_is_counted(database: Database, out: Path) -> None:
    gaps = [
        results.row(CoverageGapRow, "wallet", 1, position=place, message=f"gap {place}")
        for place in range(10_000)
    ]
    long = results.row(
        ScenarioFailureRow, "wallet", 1, step_name="x" * 5000, expected="y" * 10_000, error="z"
    )
    results.store(
        database,
        results.definition("wallet", 1),
        results.result(
            "coverage_reports", "wallet", 1, *gaps, *results.coverage("wallet", 1).partition.rows[:1]
        ),
        results.result("scenario_runs", "wallet", 1, long),
    )
    source = source_of(database, out)
    page = Page(source)
    assert "gap 19" in page.text
    assert "gap 20" not in page.text
    assert "… and 9,980 more gaps" in page.text
    assert "… and 4,840 more characters" in page.text
    assert len(source) < 100_000


def test_a_thousand_versions_and_more_are_counted(database: Database, out: Path) -> None:
    definitions = [
        results.definition(f"app_{number:03}", version) for number in range(102) for version in range(1, 11)
    ]
    results.store(database, *definitions)
    page = Page(source_of(database, out))
    assert "1,020 versions of 102 apps" in page.text
    assert "… and 20 more versions" in page.text
    assert "… and 2 more apps without a section of their own" in page.text


def test_a_version_that_passes_everything_says_so(database: Database, out: Path) -> None:
    run = results.row(ScenarioRunRow, "wallet", 1, scenario_name="A", status="passed", passed=True)
    score = results.row(
        QualityScoreRow,
        "wallet",
        1,
        status="scored",
        overall_score=100.0,
        level="Excellent",
        suggestion_count=0,
    )
    results.store(
        database,
        results.definition("wallet", 1, name="Wallet"),
        results.result(
            "quality_scores", "wallet", 1, score, *results.quality("wallet", 1, 1).partition.rows[1:7]
        ),
        results.result("scenario_runs", "wallet", 1, run),
    )
    page = Page(source_of(database, out))
    assert "The scenario passes." in page.text
    assert "No suggestion would raise the quality." in page.text
