"""The report as people use it: with keys, on a phone, on paper, and without its script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from appeval_pipeline.store import Database
from appeval_pipeline.store.export import Format, export
from appeval_pipeline_tests.store.export import results
from appeval_pipeline_tests.store.export.filling import fill

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

pytestmark = pytest.mark.browser

PATIENCE_MS = 20_000

TRIAL = quote("wallet@2/apps/wallet/tasks/paying.yaml/llm:made/up/1", safe="")
TAU_TRIAL = quote("careful/1/1", safe="")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The report on made-up results with hostile texts, as a file."""
    folder = tmp_path_factory.mktemp("report")
    database = Database(folder / "appeval.duckdb")
    fill(database)
    export(database, folder, [Format.html])
    return (folder / "report.html").as_uri()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page on which nothing may go wrong: no error, no refused script, no pop-up, no request elsewhere."""
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("dialog", lambda popup: wrong.append(popup.message))
    page.on("request", lambda asked: None if asked.url.startswith("file:") else wrong.append(asked.url))
    yield page
    assert wrong == []


def focused(page: Page) -> str:
    """What the keyboard is at: its label, or its text."""
    found = page.evaluate(
        "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    )
    return str(found).strip()


def text_of(found: Locator) -> str:
    """All of its text; the page's layout does not count, which waits until a part comes into sight."""
    return found.text_content() or ""


def step_shown(page: Page) -> Locator:
    return page.locator("#steps > li:visible h4")


def leads_to(page: Page, end: str) -> None:
    """The address ends so, once the browser has told of it."""
    expect(page).to_have_url(re.compile(re.escape(end) + "$"))


def test_any_two_versions_are_compared_and_the_address_tells_which(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("App", exact=True).select_option("wallet")
    page.get_by_label("Old version").select_option("1")
    page.get_by_label("New version").select_option("2")
    comparison = page.locator("#compare")
    assert "wallet: version 1 → 2" in text_of(comparison)
    row = comparison.locator("tr", has_text="quality.overall")
    assert row.locator("td").all_text_contents() == ["72.5", "85", "+12.5"]
    failing = comparison.locator("tr", has_text="paying.yaml")
    assert failing.locator("td").all_text_contents() == ["newly failing", "passed", "failed"]
    leads_to(page, "#compare=wallet@1..2")
    page.get_by_label("New version").select_option("1")
    assert "Choose two different versions." in text_of(comparison)
    page.goto("about:blank")
    page.goto(f"{address}#compare=wallet@2..1")
    assert "wallet: version 1 → 2" in text_of(comparison)
    assert "The lower version is taken as the old one." in text_of(comparison)


def test_sources_open_and_close_by_keys_and_give_the_focus_back(page: Page, address: str) -> None:
    page.goto(address)
    button = page.get_by_role("button", name="What quality_scores of wallet@2 rests on")
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    assert text_of(dialog.get_by_role("heading")) == "What the numbers of wallet@2 rest on"
    assert focused(page).startswith("quality_scores 8 numbers")
    opened = dialog.locator("details[open]")
    assert opened.count() == 1
    assert opened.locator("tr", has_text="code evaluator").count() == 1
    assert text_of(opened.locator("tr", has_text="quality.validation").locator("td")) == "95.5"
    page.keyboard.press("Escape")
    assert dialog.count() == 0
    assert focused(page) == "What quality_scores of wallet@2 rests on"


def test_an_address_leads_to_the_step_of_a_trial(page: Page, address: str) -> None:
    page.goto(f"{address}#trial={TRIAL}&step=2")
    expect(step_shown(page)).to_have_text("Step 2: transfer")
    assert text_of(page.locator("#trial-title")) == f"Pay {results.SCRIPT} ✗ failed"
    assert page.locator("#trials").evaluate("part => part.getBoundingClientRect().top") < 900
    page.goto(f"{address}#trial={TAU_TRIAL}")
    expect(step_shown(page)).to_have_text("Step 1: cancel")
    assert "orders #1" in text_of(page.locator("#steps > li:visible"))
    page.locator(".faults").get_by_role("button", name="step 1").click()
    leads_to(page, "&step=1")
    page.goto(f"{address}#trial=gone")
    expect(page.locator("#trial-missing")).to_be_visible()


def test_arrow_keys_go_from_step_to_step(page: Page, address: str) -> None:
    page.goto(f"{address}#trial={TRIAL}")
    assert focused(page).startswith("Pay")
    for key, step in (("ArrowRight", 2), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 2), ("Home", 1)):
        page.keyboard.press(key)
        expect(step_shown(page)).to_contain_text(f"Step {step}: transfer")
    leads_to(page, f"#trial={TRIAL}&step=1")
    page.get_by_role("button", name="Next step").click()
    expect(page.get_by_text("step 2 of 2")).to_be_visible()
    page.get_by_label("all steps").check()
    expect(page.locator("#steps > li:visible")).to_have_count(2)
    page.get_by_role("button", name="Next trial").click()
    expect(page.locator("#trial-view")).to_contain_text("trial 2 on")


def test_a_link_in_the_table_of_agents_opens_its_trial(page: Page, address: str) -> None:
    page.goto(address)
    page.locator("a.trial.bad").first.click()
    expect(page.locator("#trial-title")).to_have_text(re.compile("✗ failed$"))
    assert focused(page).startswith("Pay")


def test_the_first_key_offers_to_skip_to_the_results_and_shows_where_it_is(page: Page, address: str) -> None:
    page.goto(address)
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the results"
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_nothing_sticks_out_of_the_page(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{address}#trial={TRIAL}")
    page.get_by_label("all steps").check()
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("button[data-partition]:visible").first.click()
    assert page.get_by_role("dialog").evaluate("dialog => dialog.scrollWidth - dialog.clientWidth") <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(page: Page, address: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(address)
    contrasts = page.evaluate(CONTRASTS)
    assert set(contrasts) == {"text", "muted", "accent", "good", "fair", "bad"}
    assert min(contrasts.values()) >= 4.5, contrasts  # WCAG 2.2, level AA


def test_on_paper_all_steps_are_there_and_no_buttons(page: Page, address: str) -> None:
    page.goto(f"{address}#trial={TRIAL}")
    page.emulate_media(media="print")
    expect(page.locator("#steps > li:visible")).to_have_count(2)
    expect(page.locator("button:visible")).to_have_count(0)
    expect(page.locator("#compare")).to_be_hidden()


def test_without_its_script_the_page_still_has_its_results(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.get_by_text("Quality of version 2 by dimension").is_visible()
    assert page.locator("button:visible").count() == page.locator("select:visible").count() == 0
    context.close()


CONTRASTS = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const of = (name) => {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/\\d+/g).map((part) => linear(part / 255));
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const names = ["text", "muted", "accent", "good", "fair", "bad"];
  const against = (name) => Math.min(...["page", "card", "wash"].map((ground) => {
    const [high, low] = [of(name), of(ground)].sort((one, other) => other - one);
    return (high + 0.05) / (low + 0.05);
  }));
  return Object.fromEntries(names.map((name) => [name, against(name)]));
}"""
"""The least contrast of each colour of texts on the grounds that they stand on."""
