"""The page: charts and texts in a template, in one file that needs no network.

It can be read without its script, which compares versions, walks through trials, and tells what a number
rests on. The content security policy lets nothing run but this script, whose hash it holds.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb
import jinja2
from markupsafe import Markup

from appeval_pipeline.store import charts
from appeval_pipeline.store.charts import Chart
from appeval_pipeline.store.export.report import texts
from appeval_pipeline.store.export.report.experiments import Experiment
from appeval_pipeline.store.export.report.model import App, Version
from appeval_pipeline.store.export.report.results import Results, load_results
from appeval_pipeline.version import EVALUATOR_VERSION, PACKAGE_VERSION

FILE_NAME = "report.html"
SCRIPTS = ("elements.js", "sources.js", "comparison.js", "trials.js", "addresses.js")
"""Parts of the script, in the order in which they build on each other."""
MAX_BARS = 24
"""Of a chart of intervals."""


@dataclass(frozen=True, slots=True)
class Section:
    """An app with its charts, and the name that links lead to."""

    anchor: str
    app: App
    quality: tuple[Chart, ...]
    coverage: tuple[Chart, ...]
    latency: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class TauSection:
    """An experiment with its chart, and the name that links lead to."""

    anchor: str
    experiment: Experiment
    charts: tuple[Chart, ...]


def write_report(
    connection: duckdb.DuckDBPyConnection, directory: Path, data_dir: Path | None = None
) -> None:
    """Write ``report.html``: equal stores, and equal definition files, give equal bytes.

    Args:
        data_dir: Where definition files lie, to show their own text; without, it is made from what is stored.
    """
    page = render(load_results(connection, data_dir))
    (directory / FILE_NAME).write_text(page, encoding="utf-8", newline="\n")


def render(results: Results) -> str:
    """The page as a text."""
    sections = [_section(f"app-{number}", app) for number, app in enumerate(results.apps.items, start=1)]
    experiments = [
        _tau_section(f"tau-{number}", experiment)
        for number, experiment in enumerate(results.experiments.items, start=1)
    ]
    environment = _environment()
    script = _script(environment)
    page = environment.get_template("report.html").render(
        results=results,
        sections=sections,
        experiments=experiments,
        anchors={section.app.app_id: section.anchor for section in sections},
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        package_version=PACKAGE_VERSION,
        evaluator_version=EVALUATOR_VERSION,
    )
    return texts.in_reading_order(page)


def _script(environment: jinja2.Environment) -> str:
    assert environment.loader is not None
    parts = [environment.loader.get_source(environment, name)[0] for name in SCRIPTS]
    return '"use strict";\n{\n' + "\n".join(parts) + "}\n"


def _tau_section(anchor: str, experiment: Experiment) -> TauSection:
    values = [
        (metric.label, metric.value, metric.low, metric.high)
        for metric in experiment.headlines
        if metric.counting == "scored_only" and metric.low is not None and metric.high is not None
    ]
    if not values:
        return TauSection(anchor, experiment, ())
    drawing = charts.intervals(values[:MAX_BARS], "Scores with their 95% intervals, trials that count")
    return TauSection(anchor, experiment, (charts.inline_svg(f"{anchor}-scores", drawing),))


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
    series = [(name, points) for name, points in _series(app) if len(points) > 1]
    if series:
        caption = "Overall quality in points, scenarios that pass and branches covered in percent, by version"
        made.append(charts.inline_svg(f"{anchor}-history", charts.history(series, caption)))
    return made


def _series(app: App) -> list[tuple[str, list[tuple[int, float]]]]:
    """What is drawn over the versions of an app."""
    return [
        ("quality", [(one.version, one.score) for one in app.versions if one.score is not None]),
        (
            "scenarios",
            [
                (one.version, 100 * one.scenarios_passed / one.scenarios_total)
                for one in app.versions
                if one.scenarios_total
            ],
        ),
        (
            "branches",
            [(one.version, one.branch_coverage) for one in app.versions if one.branch_coverage is not None],
        ),
    ]


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


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("appeval_pipeline.store.export.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=texts.number,
        share=texts.share,
        signed=texts.signed,
        latency=texts.latency,
        cut=texts.cut,
        spaced=texts.spaced,
        embedded=texts.embedded,
        drawn=_drawn,
    )
    return environment


def _drawn(chart: Chart) -> Markup:
    """The chart's SVG, in which matplotlib and ElementTree have escaped every text."""
    return Markup(chart.svg)
