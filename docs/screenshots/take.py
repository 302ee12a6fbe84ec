"""Make the pictures of the README from the real pages: ``python docs/screenshots/take.py``.

Evaluates what ships in ``data/`` into a temporary directory, opens the report and the pages of the Dagster UI
and of the HTTP API in Chromium, and writes the PNG files beside this script. Takes some two minutes; needs
the extras ``dev`` and ``api``, and Chromium.
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Page, ViewportSize, sync_playwright

HERE: Final = Path(__file__).resolve().parent
PROJECT: Final = HERE.parents[1]
SIZE: Final = ViewportSize(width=1280, height=800)
GRAPH_SIZE: Final = ViewportSize(width=1600, height=900)
COLOURS: Final = 128
"""Of a picture: enough for pages, and a third of the bytes."""


def main() -> None:
    """Take every picture."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        workplace = Path(folder)
        for command in (["run"], ["export", "--format", "html", "--output", "report"]):
            appeval(workplace, command)
        (report,) = (workplace / "report").glob("*.html")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(report.as_uri())
        save(page, "report")
        page.goto("about:blank")  # an address within the page is looked at when the page is opened
        page.goto(f"{report.as_uri()}#compare=paypal@2..3")
        page.wait_for_timeout(500)
        save(page, "report-comparison")
        show_trial(page)
        save(page, "report-trial")
        with server(workplace, "ui", "/server_info") as url:
            show_graph(page, url)
            save(page, "ui-assets")
            page.set_viewport_size(SIZE)
        with server(workplace, "serve", "/api/v1/app-definitions") as url:
            page.goto(f"{url}/docs")
            page.wait_for_timeout(3_000)
            save(page, "api")
        browser.close()


def show_trial(page: Page) -> None:
    """The oracle's first trial of the app with a workflow, at its second step."""
    choice = page.locator("#trial-choice")
    group = choice.locator("optgroup[label*=bench_workflow]")
    choice.select_option(group.locator("option", has_text="oracle").first.get_attribute("value"))
    page.get_by_role("button", name="Next step").click()
    page.locator("#trials").scroll_into_view_if_needed()
    page.wait_for_timeout(500)


def show_graph(page: Page, url: str) -> None:
    """All assets, from top to bottom, so large that the names can be read."""
    page.set_viewport_size(GRAPH_SIZE)
    page.goto(f"{url}/asset-groups")
    page.get_by_text("regressions").first.wait_for(timeout=60_000)
    page.get_by_text("Hide navigation").click()
    edge = GRAPH_SIZE["width"] - 50
    boxes = [(button.bounding_box(), button) for button in page.locator("button:visible").all()]
    column = [button for box, button in boxes if box and box["x"] > edge and box["y"] > 100]
    graph_settings = column[-3]  # none of them has a name
    for change in ("Change graph to vertical orientation", "Expand all groups"):
        page.wait_for_timeout(1_000)
        graph_settings.click()
        page.get_by_role("menuitem", name=change).click()
    page.get_by_placeholder("Jump to").locator("xpath=following::button[1]").click()  # hides the list
    page.wait_for_timeout(5_000)  # the graph is laid out, and drawn in steps
    page.mouse.dblclick(100, GRAPH_SIZE["height"] - 40)  # all of it, as large as fits
    page.wait_for_timeout(2_000)


def appeval(workplace: Path, command: list[str]) -> None:
    """Run a command there, with the data that ships."""
    subprocess.run(
        [sys.executable, "-m", "appeval_pipeline.cli", *command],
        cwd=workplace,
        env=environment(),
        check=True,
    )


def environment() -> dict[str, str]:
    return {**os.environ, "APPEVAL_DATA_DIR": str(PROJECT / "data")}


@contextmanager
def server(workplace: Path, command: str, ready: str) -> Iterator[str]:
    """``appeval ui`` or ``appeval serve``, from when it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "appeval_pipeline.cli", command, "--port", str(port)],
        cwd=workplace,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(lambda: answers(f"{url}{ready}"))
        yield url
    finally:
        process.terminate()
        process.wait(60)


def wait_for(what: Callable[[], bool], within_s: float = 120.0) -> None:
    deadline = time.monotonic() + within_s
    while not what():
        if time.monotonic() > deadline:
            raise TimeoutError(f"Nothing within {within_s:g} s")
        time.sleep(0.5)


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def save(page: Page, name: str) -> None:
    """Write what the window shows, in few colours."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(HERE / f"{name}.png", optimize=True)
    print(f"{name}.png  {(HERE / f'{name}.png').stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
