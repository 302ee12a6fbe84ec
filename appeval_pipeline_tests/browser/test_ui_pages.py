"""What a person sees in the UI, in a real browser: `pytest -m browser`, with Chromium installed."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from appeval_pipeline import launch
from appeval_pipeline.settings import Settings
from appeval_pipeline_tests.ui_server import running_ui

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAYPAL = Path(__file__).parents[2] / "data" / "apps" / "paypal"

PATIENCE_MS = 60_000
"""The UI loads its code location, and this machine may be busy."""

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The UI on three evaluated versions."""
    folder = tmp_path_factory.mktemp("ui")
    shutil.copytree(PAYPAL, folder / "data" / "apps" / "paypal")
    settings = Settings.model_validate(
        {"data_dir": folder / "data", "store": folder / "appeval.duckdb", "dagster_home": folder / "dagster"}
    )
    assert launch.run(settings).evaluated_count == 3
    with running_ui(settings, folder) as ui:
        yield ui.url


@pytest.fixture
def page(url: str, browser: "Browser", tmp_path: Path, request: pytest.FixtureRequest) -> Iterator["Page"]:
    """A page whose paths are the UI's; what it showed last lies in the test's folder as a picture.

    The UI comes first: playwright keeps an event loop running, in which the pipeline cannot start one.
    """
    context = browser.new_context(base_url=url, viewport={"width": 1500, "height": 1200})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    expect.set_options(timeout=PATIENCE_MS)
    yield page
    page.screenshot(path=tmp_path / f"{request.node.name}.png")
    context.close()


def open_partition(page: "Page", asset: str) -> None:
    page.goto(f"/assets/{asset}?view=partitions&partition=paypal%403")
    page.get_by_text("data_version", exact=True).wait_for()


def shows(page: "Page", text: str, *, exact: bool = True) -> bool:
    """Whether the text comes up on the page; one that does not fails after playwright's patience."""
    found = page.get_by_text(text, exact=exact).first
    found.wait_for()
    return found.is_visible()


def test_the_graph_has_its_groups_and_a_group_its_assets(page: "Page") -> None:
    page.goto("/asset-groups")
    for group in ("definitions", "evaluation", "benchmarks", "regressions"):
        assert shows(page, group)
    page.goto("/locations/__repository__@appeval_pipeline/asset-groups/evaluation")
    for asset in ("quality_scores", "scenario_runs", "coverage_reports", "edge_case_reports"):
        assert shows(page, asset)
    assert shows(page, "3 partitions", exact=False)


def test_a_partition_of_quality_scores_has_a_table_of_dimensions_and_a_chart(page: "Page") -> None:
    open_partition(page, "quality_scores")
    table = page.locator("table table", has_text="completeness")
    expect(table.locator("tbody tr")).to_have_count(6)
    validation = table.locator("tr", has_text="validation").locator("td")
    expect(validation.nth(1)).to_have_text("75.0")
    row = page.locator("tr", has=page.get_by_text("chart", exact=True))
    row.get_by_text("[Show Markdown]").click()
    picture = page.get_by_role("dialog").locator("img")
    picture.wait_for()
    page.wait_for_function("image => image.complete", arg=picture.element_handle())
    assert picture.evaluate("image => image.naturalWidth") > 300


def test_a_partition_of_regression_reports_names_its_baseline_and_what_breaks(page: "Page") -> None:
    open_partition(page, "regression_reports")
    page.locator("tr", has_text="baseline").get_by_text("paypal@2").wait_for()
    row = page.locator("tr", has=page.get_by_text("changes", exact=True))
    row.get_by_text("[Show Markdown]").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("actions.pay_request.returns.transaction_id").wait_for()
    table = dialog.locator("table")
    assert table.evaluate("table => table.scrollWidth <= table.closest('[role=dialog]').clientWidth")


def test_a_partition_of_benchmark_results_has_latencies_by_action(page: "Page") -> None:
    open_partition(page, "benchmark_results")
    table = page.locator("table table", has_text="p50 µs")
    expect(table.locator("tbody tr")).to_have_count(5)


def test_the_checks_of_an_asset_are_named_with_their_result(page: "Page") -> None:
    page.goto("/assets/scenario_runs?view=checks")
    assert shows(page, "all_scenarios_pass", exact=False)
    assert shows(page, "lineage_complete", exact=False)
    assert shows(page, "Failed")
    assert shows(page, "3 of 5 scenarios pass", exact=False)
