"""``appeval run``: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from appeval_pipeline.cli.completion import complete_app, complete_version
from appeval_pipeline.cli.exits import FAILED

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from appeval_pipeline.launch import RunSummary, VersionSummary
    from appeval_pipeline.store.overview import VersionOverview


Row = dict[str, str]
"""The cells of a row, by column."""

LAYOUTS = (
    ("version", "quality", "scenarios", "branches", "edges", "p50 µs", "change", "this run"),
    ("version", "score", "passed", "branch", "edges", "p50 µs", "change", "this run"),
    ("version", "score", "passed", "branch", "edges", "change", "this run"),
)
"""The columns of the table, from wide to narrow: the first that fits the terminal is taken."""

ANY_WIDTH = 10_000
NUMBERS = ("score", "passed", "branches", "branch", "edges", "p50 µs")


def run(
    app: Annotated[
        str | None, typer.Option(help="Only this app.", metavar="APP", autocompletion=complete_app)
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(help="Only this version.", metavar="N", min=1, autocompletion=complete_version),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Evaluate what is up to date, too.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a check fails or warns.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON on stdout.")] = False,
) -> None:
    """Evaluate the app versions that are new or stale, and show how all of them stand and what changed.

    Unless only some app or version is asked for, it also carries out the tau-bench experiments of the data
    directory that are new or stale and ask no model; `appeval tau evaluate` does the others.

    Exits with 0 if all were evaluated, with 1 if an evaluation could not run (or, with --strict, if a
    check failed).
    """
    from appeval_pipeline import launch
    from appeval_pipeline.cli.interrupting import resumable
    from appeval_pipeline.cli.rendering import console, print_json
    from appeval_pipeline.cli.run_progress import RunProgress
    from appeval_pipeline.settings import load_settings

    settings = load_settings()
    request = launch.EvaluationRequest(
        app_id=app, version=version, everything=everything, check_lineage=strict
    )
    with resumable(), RunProgress(console(stderr=True)) as progress:
        summary = launch.run(
            settings,
            request,
            report=progress.announce,
            report_experiments=progress.announce_experiments,
            follow=progress.follow,
        )
    experiments = summary.experiments
    if as_json:
        print_json(summary.to_dict())
    else:
        _show(summary, settings.data_dir)
    failed = bool(summary.could_not_run or summary.errors or (experiments and experiments.could_not_run))
    found_wanting = bool(summary.verdicts or (experiments and experiments.verdicts))
    if failed or (strict and found_wanting):
        raise typer.Exit(FAILED)


def _show(summary: RunSummary, data_dir: Path) -> None:
    from appeval_pipeline.cli.changes import change_lines
    from appeval_pipeline.cli.experiment_tables import show_experiments
    from appeval_pipeline.cli.rendering import console

    out = console()
    if summary.versions:
        out.print(_versions(summary.versions, out))
    _tell_troubles(summary)
    for line in change_lines(summary):
        out.print(line, soft_wrap=True)
    if summary.experiments is not None:
        show_experiments(summary.experiments)
    out.print(_closing(summary, data_dir), soft_wrap=True, markup=False)


def _versions(versions: tuple[VersionSummary, ...], out: Console) -> Table:
    """The widest table that fits."""
    from rich.measure import Measurement

    from appeval_pipeline.cli.rendering import table

    rows = [_cells(version) for version in versions]
    for columns in LAYOUTS:
        made = table(*columns, numbers=NUMBERS)
        for row in rows:
            made.add_row(*(row[column] for column in columns))
        if Measurement.get(out, out.options.update(max_width=ANY_WIDTH), made).maximum <= out.width:
            break
    return made


def _cells(version: VersionSummary) -> Row:
    names = {column for columns in LAYOUTS for column in columns}
    known = _results(version.overview) if version.overview else {}
    key = f"{version.app_id}@{version.version}"
    return {**dict.fromkeys(names, "-"), **known, "version": key, "this run": version.progress.value}


def _results(overview: VersionOverview) -> Row:
    from appeval_pipeline.cli.rendering import level, percent

    cells = {
        "branches": percent(overview.branch_coverage),
        "branch": percent(overview.branch_coverage),
        "edges": percent(overview.edge_case_coverage),
        "change": _change(overview),
    }
    if overview.overall_score is not None:
        cells["score"] = f"{overview.overall_score:.1f}"
        cells["quality"] = f"{cells['score']} {level(overview.level)}"
    if overview.scenarios_total:
        passed = f"{overview.scenarios_passed}/{overview.scenarios_total}"
        style = "red" if overview.scenario_problems else "none"
        cells |= {"passed": f"[{style}]{passed}[/]", "scenarios": f"[{style}]{passed} pass[/]"}
    if overview.p50_latency_ms is not None:
        cells["p50 µs"] = f"{overview.p50_latency_ms * 1000:.1f}"
    return cells


def _change(overview: VersionOverview) -> str:
    """The verdict of the comparison with the baseline, in a word."""
    if overview.old_version is None:
        return "-"
    if overview.new_failures:
        return "[red]breaking[/]"
    return "[yellow]interface[/]" if overview.interface_breaks else "compatible"


def _tell_troubles(summary: RunSummary) -> None:
    """What went wrong or deserves a look, on stderr."""
    from rich.markup import escape

    from appeval_pipeline.cli.rendering import console

    err = console(stderr=True)
    lines = [f"[red]run failed[/] {escape(error)}" for error in summary.errors]
    lines += [
        f"[{'red' if verdict.severity == 'error' else 'yellow'}]{verdict.severity}[/] "
        f"{verdict.partition_key} {verdict.check}: {escape(verdict.message)}"
        for verdict in summary.verdicts
    ]
    lines += [
        f"[yellow]catalogue[/] {escape(str(problem.path))}: {escape(problem.message)}"
        for problem in summary.problems
    ]
    for line in lines:
        err.print(line, soft_wrap=True)


def _closing(summary: RunSummary, data_dir: Path) -> str:
    from appeval_pipeline.store_address import seen_from_here

    if not summary.versions:
        return f"There are no app versions in {data_dir}; put a definition into apps/<app_id>/v1.yaml there."
    return (
        f"{what_was_done(summary)} ({summary.elapsed_s:.1f} s)\n"
        f"Results: {seen_from_here(summary.store)}\n"
        'Next: appeval ui · appeval sql "select * from metrics" · appeval why APP VERSION quality.overall'
    )


def what_was_done(summary: RunSummary) -> str:
    """What the run did, in a line."""
    from appeval_pipeline.launch import Progress

    count, fresh = summary.evaluated_count, summary.fresh_count
    experiments = summary.experiments.experiments if summary.experiments else ()
    carried_out = sum(1 for one in experiments if one.progress is Progress.EVALUATED)
    also = f" tau-bench: {carried_out} evaluated." if carried_out else ""
    if count or fresh < len(summary.versions):
        return f"{count} evaluated, {fresh} up to date.{also}"
    if also:
        return f"All {fresh} app versions are up to date.{also}"
    return f"Nothing to do: all {fresh} app versions are up to date."
