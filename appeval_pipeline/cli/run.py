"""``appeval run``: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from appeval_pipeline.cli.exits import FAILED

if TYPE_CHECKING:
    from rich.table import Table

    from appeval_pipeline.launch import RunSummary, VersionSummary
    from appeval_pipeline.store.freshness import Plan
    from appeval_pipeline.store.overview import VersionOverview


def run(
    app: Annotated[str | None, typer.Option(help="Only this app.", metavar="APP")] = None,
    version: Annotated[int | None, typer.Option(help="Only this version.", metavar="N", min=1)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Evaluate what is up to date, too.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if a check fails or warns.")] = False,
) -> None:
    """Evaluate the app versions that are new or stale, and show how all of them stand.

    Exits with 0 if all were evaluated, with 1 if an evaluation could not run (or, with --strict, if a
    check failed).
    """
    from appeval_pipeline import launch
    from appeval_pipeline.cli.rendering import console
    from appeval_pipeline.settings import load_settings

    out, err = console(), console(stderr=True)
    settings = load_settings()

    def announce(plan: Plan) -> None:
        count = len(plan.needs)
        if count:
            plural = "" if count == 1 else "s"
            err.print(f"Evaluating {count} app version{plural}, {len(plan.fresh)} up to date …")

    request = launch.EvaluationRequest(app_id=app, version=version, everything=everything)
    summary = launch.run(settings, request, report=announce)
    if summary.versions:
        out.print(_versions(summary.versions))
    _tell_troubles(summary)
    out.print(_closing(summary, settings.data_dir), soft_wrap=True, markup=False)
    if summary.could_not_run or summary.errors or (strict and summary.verdicts):
        raise typer.Exit(FAILED)


def _versions(versions: tuple[VersionSummary, ...]) -> Table:
    from appeval_pipeline.cli.rendering import table

    numbers = ("branches", "edges", "p50 µs")
    made = table("version", "quality", "scenarios", *numbers, "change", "this run", numbers=numbers)
    for version in versions:
        cells = _cells(version.overview) if version.overview else ["-"] * 6
        made.add_row(f"{version.app_id}@{version.version}", *cells, version.progress.value)
    return made


def _cells(overview: VersionOverview) -> list[str]:
    from appeval_pipeline.cli.rendering import level

    quality = scenarios = "-"
    if overview.overall_score is not None:
        quality = f"{overview.overall_score:.1f} {level(overview.level)}"
    if overview.scenarios_total:
        scenarios = f"{overview.scenarios_passed}/{overview.scenarios_total} pass"
        scenarios = f"[red]{scenarios}[/]" if overview.scenario_problems else scenarios
    latency = overview.p50_latency_ms
    return [
        quality,
        scenarios,
        _percent(overview.branch_coverage),
        _percent(overview.edge_case_coverage),
        "-" if latency is None else f"{latency * 1000:.1f}",
        _change(overview),
    ]


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0f}%"


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
    if not summary.versions:
        return f"There are no app versions in {data_dir}; put a definition into apps/<app_id>/v1.yaml there."
    count = summary.evaluated_count
    if not count and summary.fresh_count == len(summary.versions):
        done = f"Nothing to do: all {summary.fresh_count} app versions are up to date."
    else:
        done = f"{count} evaluated, {summary.fresh_count} up to date."
    return (
        f"{done} ({summary.elapsed_s:.1f} s)\n"
        f"Results: {summary.store}\n"
        'Next: appeval ui · appeval sql "select * from metrics" · appeval why APP VERSION quality.overall'
    )
