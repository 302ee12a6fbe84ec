"""The page: charts and texts in a template, in one file that needs no network and no script."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import duckdb
import jinja2
from markupsafe import Markup

from appeval_pipeline.store import charts
from appeval_pipeline.store.charts import Chart
from appeval_pipeline.store.export.report.loading import load_results
from appeval_pipeline.store.export.report.model import App, Results, Version
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION

FILE_NAME = "report.html"
MAX_TEXT = 400
"""Characters of any text from the store that are shown."""


@dataclass(frozen=True, slots=True)
class Section:
    """An app with its charts, and the name that links lead to."""

    anchor: str
    app: App
    quality: tuple[Chart, ...]
    coverage: tuple[Chart, ...]
    latency: tuple[Chart, ...]


def write_report(connection: duckdb.DuckDBPyConnection, directory: Path) -> None:
    """Write ``report.html``: equal stores give equal bytes."""
    (directory / FILE_NAME).write_text(render(load_results(connection)), encoding="utf-8", newline="\n")


def render(results: Results) -> str:
    """The page as a text."""
    sections = [_section(f"app-{number}", app) for number, app in enumerate(results.apps.items, start=1)]
    return (
        _environment()
        .get_template("report.html")
        .render(
            results=results,
            sections=sections,
            anchors={section.app.app_id: section.anchor for section in sections},
            package_version=PACKAGE_VERSION,
            evaluator_version=EVALUATOR_VERSION,
        )
    )


def _section(anchor: str, app: App) -> Section:
    return Section(
        anchor,
        app,
        quality=tuple(_quality_charts(anchor, app)),
        coverage=tuple(_coverage_charts(anchor, app.latest)),
        latency=tuple(_latency_charts(anchor, app)),
    )


def _quality_charts(anchor: str, app: App) -> list[Chart]:
    made = []
    if app.dimensions:
        caption = f"Quality of version {app.latest.version} by dimension, points of 100"
        made.append(charts.inline_svg(f"{anchor}-dimensions", charts.bars(app.dimensions, caption)))
    points = [(version.version, version.score) for version in app.versions if version.score is not None]
    if len(points) > 1:
        made.append(
            charts.inline_svg(f"{anchor}-history", charts.history(points, "Overall quality by version"))
        )
    return made


def _coverage_charts(anchor: str, latest: Version) -> list[Chart]:
    shares = [
        ("actions", latest.action_coverage),
        ("blocks", latest.block_coverage),
        ("branches", latest.branch_coverage),
        ("paths", latest.path_coverage),
        ("edge cases", latest.edge_case_coverage),
        ("edge cases robust", latest.edge_case_robustness),
    ]
    known = [(name, share) for name, share in shares if share is not None]
    if not known:
        return []
    caption = f"What the scenarios of version {latest.version} cover, in percent"
    return [charts.inline_svg(f"{anchor}-coverage", charts.bars(known, caption))]


def _latency_charts(anchor: str, app: App) -> list[Chart]:
    timed = app.benchmark
    if timed is None or len(timed.edges) < 2 or len(timed.edges) != len(timed.counts) + 1:
        return []
    marks = [("p50", timed.p50_ms), ("p95", timed.p95_ms), ("p99", timed.p99_ms)]
    known = [(name, value) for name, value in marks if value is not None]
    caption = f"Latency of {timed.samples:,} actions"
    return [
        charts.inline_svg(f"{anchor}-latency", charts.histogram(timed.edges, timed.counts, known, caption))
    ]


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("appeval_pipeline.store.export.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=_number, signed=_signed, latency=_latency, cut=_cut, spaced=_spaced, drawn=_drawn
    )
    return environment


def _number(value: float | None, digits: int = 1) -> str:
    """A number, with a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}"


def _signed(value: float | None, unit: str = "") -> str:
    """A difference with its sign; one that rounds to nothing has none."""
    if value is None:
        return "–"
    text = f"{value:+.1f}".replace("-", "\N{MINUS SIGN}")
    return f"{'0.0' if text[1:] == '0.0' else text}{unit}"


def _latency(value_ms: float | None) -> str:
    """A latency with three digits that count, in the unit that makes them easy to read."""
    if value_ms is None:
        return "–"
    value, unit = (value_ms * 1000, "µs") if value_ms < 1 else (value_ms, "ms")
    return f"{float(f'{value:.3g}'):,.10g} {unit}"


def _cut(text: str, length: int = MAX_TEXT) -> str:
    """A text, no longer than a page can bear."""
    left_out = len(text) - length
    return text if left_out <= 0 else f"{text[:length]} … and {left_out:,} more characters"


def _spaced(document: str) -> str:
    """A JSON text with spaces at which a line may break."""
    return json.dumps(json.loads(document), ensure_ascii=False)


def _drawn(chart: Chart) -> Markup:
    """The chart's SVG, in which matplotlib and ElementTree have escaped every text."""
    return Markup(chart.svg)
