"""``appeval compare``: what a version of an app changes against another one; stores nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from appeval_pipeline.cli.completion import complete_app, complete_baseline, complete_version
from appeval_pipeline.cli.exits import FAILED

if TYPE_CHECKING:
    from appeval_pipeline.evaluation import RegressionReport

BASELINE = "baseline"


class Format(StrEnum):
    """How the comparison is printed."""

    text = "text"
    markdown = "markdown"
    json = "json"


def compare(
    app: Annotated[
        str,
        typer.Argument(help="An app of the data directory.", metavar="APP", autocompletion=complete_app),
    ],
    old: Annotated[
        str,
        typer.Argument(
            help="The version to start from: a number, or `baseline`: the greatest below NEW.",
            metavar="OLD",
            autocompletion=complete_baseline,
        ),
    ],
    new: Annotated[
        int,
        typer.Argument(
            help="The version to compare with it.", metavar="NEW", min=1, autocompletion=complete_version
        ),
    ],
    output_format: Annotated[
        Format | None,
        typer.Option("--format", help="How to print it; markdown is for pull requests.", show_default="text"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Compare two versions of an app: scenarios, outputs, interface, speed and quality.

    Both versions run the scenarios of the app that apply to both, and are timed against each other. Exits
    with 0 if nothing breaks, with 1 if a scenario newly fails or the interface breaks, with 2 if there is no
    such version, or a definition or scenario is invalid. The first version breaks nothing of its `baseline`.
    """
    chosen = _chosen(output_format, as_json)
    start = _version(old)
    report = _report(app, start, new)
    if report is None:
        _tell_first(app, new, chosen)
        return
    _print(report, chosen)
    if report.is_breaking or report.breaks_interface:
        raise typer.Exit(FAILED)


def _chosen(output_format: Format | None, as_json: bool) -> Format:
    if as_json and output_format not in (None, Format.json):
        raise typer.BadParameter(f"--json and --format {output_format} contradict each other")
    return Format.json if as_json else output_format or Format.text


def _version(text: str) -> int | None:
    """A number; None for the baseline."""
    if text == BASELINE:
        return None
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0:
        return int(text)
    raise typer.BadParameter(
        f"{text[:40]!r} is no version: accepted are a number from 1 and `{BASELINE}`", param_hint="OLD"
    )


def _print(report: RegressionReport, output_format: Format) -> None:
    from appeval_pipeline.cli.comparison import print_report
    from appeval_pipeline.cli.comparison_markdown import markdown
    from appeval_pipeline.cli.rendering import print_json

    match output_format:
        case Format.json:
            print_json(report.to_dict())
        case Format.markdown:
            typer.echo(markdown(report), nl=False)
        case Format.text:
            print_report(report)


def _tell_first(app: str, version: int, output_format: Format) -> None:
    match output_format:
        case Format.json:
            typer.echo("null")
        case Format.markdown:
            typer.echo(f"### `{app}` {version}: the first version")
        case Format.text:
            typer.echo(f"{app} {version} is the first version: there is nothing to compare it with")


def _report(app_id: str, old: int | None, new: int) -> RegressionReport | None:
    """The comparison of the files as they are now; None where there is no baseline.

    Raises:
        CatalogueError: There is no such app or version.
        DefinitionError, ScenarioError: A file cannot be used.
        ComparisonError: A scenario beside the definitions is for another app.
    """
    from appeval_pipeline.appdef.catalogue import load_version, scan
    from appeval_pipeline.evaluation import detect_regressions
    from appeval_pipeline.evaluation.suite import load_suite
    from appeval_pipeline.settings import load_settings

    data_dir = load_settings().data_dir
    catalogue = scan(data_dir)
    after = catalogue.entry(app_id, new)
    before = catalogue.baseline(app_id, new) if old is None else catalogue.entry(app_id, old)
    if before is None:
        load_version(data_dir, after)  # raises if the definition cannot be used
        return None
    apps = [load_version(data_dir, entry).app for entry in (before, after)]
    return detect_regressions(apps[0], apps[1], load_suite(data_dir, app_id, before.root))
