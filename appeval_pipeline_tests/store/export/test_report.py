from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from appeval_pipeline.store import Database
from appeval_pipeline.store.export import Format, export
from appeval_pipeline.store.export.report.texts import embedded
from appeval_pipeline.store.rows import (
    AgentEvaluationRow,
    AppVersionRow,
    CoverageGapRow,
    QualityScoreRow,
    ScenarioFailureRow,
    ScenarioRunRow,
)
from appeval_pipeline_tests.store.export import results
from appeval_pipeline_tests.store.export.agent_results import agents
from appeval_pipeline_tests.store.export.tau_results import store_experiment

VOID = {"meta", "br", "link", "img", "hr", "input"}


class Page(HTMLParser):
    """What tests ask of a page: its elements with attributes, its text, and whether its tags match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
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
        if self._open and self._open[-1] == "script":
            self.scripts.append(data)
        elif self._open and self._open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def data(self, name: str) -> Any:
        """What the page's script is given under a name."""
        place = [script.get("id") for script in self.all("script")].index(name)
        return json.loads(self.scripts[place])

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


def test_the_page_needs_no_network(page: Page) -> None:
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & {
        tag for tag, _ in page.elements
    }
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") for name in attributes), tag
        for name in ("href", "src", "xlink:href"):
            assert attributes.get(name, "#").startswith("#"), tag


def test_nothing_runs_but_the_script_of_the_page(page: Page) -> None:
    *given, own = zip(page.all("script"), page.scripts, strict=True)
    assert [attributes for attributes, _ in given] == [
        {"type": "application/json", "id": name} for name in ("facts", "interfaces", "trial-data")
    ]
    attributes, script = own
    assert attributes == {}
    assert len(page.all("noscript")) == 2
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = [meta["content"] for meta in page.all("meta") if "http-equiv" in meta]
    assert policy == [
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{hashed}'; base-uri 'none'; form-action 'none'"
    ]
    for reaching_out in (
        "innerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "fetch(",
        "import(",
        "http",
    ):
        assert reaching_out not in script


def test_no_style_reaches_out(source: str) -> None:
    assert "@import" not in source
    assert all(target.startswith("#") for target in re.findall(r"url\(['\"]?([^)]*)", source))


def test_hostile_names_are_shown_and_do_nothing(page: Page, source: str) -> None:
    assert results.SCRIPT not in source
    assert f"Wallet {results.SCRIPT} wallet version 2" in page.text
    assert "https://" not in source


def test_what_the_script_is_given_cannot_end_its_element() -> None:
    hostile = "</script><!--<script>&\u2028" + results.CONTROL
    given = embedded({"name": hostile})
    assert not set("<>&\u2028") & set(given)
    assert json.loads(given) == {"name": hostile}


def test_no_text_turns_the_direction_of_writing(database: Database, out: Path) -> None:
    given = results.definition("wallet", 1).partition.rows[0]
    assert isinstance(given, AppVersionRow)
    turned = dataclasses.replace(given, name="Say \u202egnp.exe\u2066")
    results.store(database, results.result("app_definitions", "wallet", 1, turned))
    written = source_of(database, out)
    assert "Say \N{REPLACEMENT CHARACTER}gnp.exe" in written
    assert not set("\u202e\u2066") & set(written)


def test_gaps_are_shown_in_the_authors_text_which_does_nothing(database: Database, out: Path) -> None:
    text = "app_id: wallet\nactions:\n  - name: pay # </script><script>alert(1)</script>\n    logic: []\n"
    file = out / "data" / "apps" / "wallet" / "v1.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    given = results.definition("wallet", 1).partition.rows[0]
    assert isinstance(given, AppVersionRow)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    gap = results.row(CoverageGapRow, "wallet", 1, kind="action", location="pay", message="Nobody pays")
    results.store(
        database,
        results.result("app_definitions", "wallet", 1, dataclasses.replace(given, file_sha256=sha256)),
        results.result(
            "coverage_reports", "wallet", 1, gap, *results.coverage("wallet", 1).partition.rows[:1]
        ),
    )
    export(database, out, [Format.html], out / "data")
    source = (out / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in source
    assert "Where they are in apps/wallet/v1.yaml app_id: wallet" in Page(source).text
    assert "- name: pay # </script><script>alert(1)</script> Nobody pays logic: []" in Page(source).text


def test_ids_are_unique_and_links_lead_to_them(page: Page) -> None:
    ids = Counter(attributes["id"] for _, attributes in page.elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    links = {link["href"].removeprefix("#") for link in page.all("a")}
    trials = {unquote(link.removeprefix("trial=")) for link in links if link.startswith("trial=")}
    assert trials == {trial["id"] for trial in page.data("trial-data")}
    targets = {link for link in links if not link.startswith("trial=")}
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
    assert len(page.all("figcaption")) == len(page.all("figure")) == len(page.all("svg")) == 5
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
        "quality: version 1: 72.5, version 2: 85.0; scenarios: version 1: 100.0, version 2: 0.0; branches: ",
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
        "How agents get on with the tasks of version 2",
        "Pay <script>alert('1')</script> apps/wallet/tasks/paying.yaml oracle 1/1 (21%–100%) 2 1.00 0",
        "apps/wallet/tasks/paying.yaml llm:made/up 1/4 (5%–70%) 2 0.25 3",
        "zz.yaml apps/wallet/tasks/zz.yaml oracle invalid : line 3: 'goal' is not accepted",
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
        "agent_evaluations",
    ):
        line = (
            rf"From {asset} · data version [0-9a-f]{{12}} · run run-1 · 2026-01-02 12:00:00 UTC · evaluator"
        )
        assert re.search(line, page.text)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"optimal_actions": None}, "oracle 1/1 (21%–100%) cannot be reached 1.00 0"),
        ({"optimal_is_exact": False}, "oracle 1/1 (21%–100%) at most 2 1.00 0"),
        ({"optimal_actions": None, "optimal_is_exact": False}, "oracle 1/1 (21%–100%) no plan found 1.00 0"),
        (
            {"trial_count": 3, "infra_errors": 1, "efficiency_ratio": None},
            "oracle 1/2 (21%–100%) 1 broke down 2 – 0",
        ),
        (
            {"goals_reached": 0, "infra_errors": 1, "goal_rate_low": None, "goal_rate_high": None},
            "oracle 0/0 1 broke down 2 1.00 0",
        ),
    ],
)
def test_agents_are_told_with_what_is_known_of_the_task(
    database: Database, out: Path, given: dict[str, object], words: str
) -> None:
    first = agents("wallet", 1).partition.rows[0]
    assert isinstance(first, AgentEvaluationRow)
    tried = results.result("agent_evaluations", "wallet", 1, dataclasses.replace(first, **given))  # type: ignore[arg-type]
    results.store(database, results.definition("wallet", 1), tried)
    assert words in Page(source_of(database, out)).text


def test_every_number_of_a_version_has_its_sources(page: Page) -> None:
    facts = page.data("facts")
    assert list(facts["partitions"]) == ["broken@1", "wallet@1", "wallet@2", "careful"]
    wallet = facts["partitions"]["wallet@2"]
    places = wallet["values"][::2]
    owners = {facts["metrics"][place][0]: facts["metrics"][place][2] for place in places}
    assert owners["quality.overall"] == "quality_scores"
    assert dict(zip(owners, wallet["values"][1::2], strict=True))["quality.overall"] == 85
    assert wallet["left_out"] == 0
    results_ = {asset: tuple(rest) for asset, *rest in wallet["results"]}
    assert set(owners.values()) <= set(results_)
    for version, run, inputs, left_out in results_.values():
        assert left_out == 0
        assert re.fullmatch("[0-9a-f]{16}", version)
        assert facts["runs"][run] == ["run-1", "2026-01-02 12:00:00 UTC"]
        assert ["code", "evaluator", "2", ""] in [facts["inputs"][place] for place in inputs]


def test_a_scenario_is_told_with_its_status_and_what_it_came_to(page: Page) -> None:
    facts = page.data("facts")
    first, second = (facts["partitions"][f"wallet@{version}"]["scenarios"] for version in (1, 2))
    assert facts["scenarios"][first[0]] == [f"Paying {results.SCRIPT}", "apps/wallet/scenarios/paying.yaml"]
    assert (first[1], second[1], second[4]) == ("passed", "failed", "invalid")
    assert first[2] != second[2]


def test_a_trial_is_told_step_by_step(page: Page) -> None:
    trials = {trial["id"]: trial for trial in page.data("trial-data")}
    trial = trials["wallet@2/apps/wallet/tasks/paying.yaml/llm:made/up/1"]
    assert (trial["task"], trial["outcome"]) == (f"Pay {results.SCRIPT}", "failed")
    assert trial["why"] == "the agent stopped; the goal was not reached"
    first = trial["steps"][0]
    assert (first["action"], first["arguments"]) == ("transfer", '{"amount": -1.5}')
    assert (first["observation"], first["error"], first["failed"]) == (
        results.FORMULA,
        results.CONTROL,
        True,
    )
    tau = trials["careful/1/1"]
    assert tau["steps"][0]["written"] == ["orders #1"]
    assert [fault["kind"] for fault in tau["faults"]] == ["extra_write"]
    assert ["the user wants", f"You want {results.SCRIPT}"] in tau["facts"]


def test_of_many_trials_those_that_differ_come_first(page: Page) -> None:
    shown = [trial for trial in page.data("trial-data") if trial["agent"] == "llm:made/up"]
    assert [(trial["number"], trial["outcome"]) for trial in shown] == [
        (0, "passed"),
        (1, "failed"),
        (2, "failed"),
    ]
    assert "Here are 8 of 14 trials" in page.text


def test_an_experiment_has_its_scores_with_intervals(page: Page) -> None:
    assert "tau-bench: careful evaluated" in page.text
    assert "pass^1 0.750 0.500–1.000 0.250 that count 2 4" in page.text
    assert "pass^1 1.000 0.200–1.000 – that count, without read only 2 4" in page.text
    assert "TC 1 0.600 – – – –" in page.text
    assert "1 You want <script>alert('1')</script> read only 1/2 extra write ✓ 0 ✗ 1" in page.text
    assert re.search(r"From tau_metrics · data version [0-9a-f]{12} · run run-1", page.text)


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
    assert len(source) < 120_000


def test_a_thousand_versions_and_more_are_counted(database: Database, out: Path) -> None:
    definitions = [
        results.definition(f"app_{number:03}", version) for number in range(102) for version in range(1, 11)
    ]
    results.store(database, *definitions)
    page = Page(source_of(database, out))
    assert "1,020 versions of 102 apps" in page.text
    assert "… and 20 more versions" in page.text
    assert "… and 2 more apps without a section of their own" in page.text


def test_a_store_with_nothing_but_an_experiment_has_a_page(database: Database, out: Path) -> None:
    store_experiment(database)
    page = Page(source_of(database, out))
    assert "0 versions of 0 apps, 1 tau-bench experiment, last evaluated" in page.text
    assert "No app version is stored." in page.text
    assert len(page.data("trial-data")) == 4


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
