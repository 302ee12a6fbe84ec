"""``appeval compare``: what a version of an app changes against another one; stores nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from appeval_pipeline.cli.exits import FAILED

if TYPE_CHECKING:
    from appeval_pipeline.evaluation import RegressionReport


def compare(
    app: Annotated[str, typer.Argument(help="An app of the data directory.", metavar="APP")],
    old: Annotated[int, typer.Argument(help="The version to start from.", metavar="OLD", min=1)],
    new: Annotated[int, typer.Argument(help="The version to compare with it.", metavar="NEW", min=1)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two versions of an app: scenarios, outputs, interface, speed and quality.

    Both versions run the scenarios of the app that apply to both, and are timed against each other. Exits
    with 0 if nothing breaks, with 1 if a scenario newly fails or the interface breaks, with 2 if there is no
    such version, or a definition or scenario is invalid.
    """
    from appeval_pipeline.cli.rendering import print_json

    report = _report(app, old, new)
    if as_json:
        print_json(report.to_dict())
    else:
        from appeval_pipeline.cli.comparison import print_report

        print_report(report)
    if report.is_breaking or report.breaks_interface:
        raise typer.Exit(FAILED)


def _report(app_id: str, old: int, new: int) -> RegressionReport:
    """The comparison of the files as they are now.

    Raises:
        CatalogueError: There is no such app or version.
        DefinitionError, ScenarioError: A file cannot be used.
        ComparisonError: A scenario beside the definitions is for another app.
    """
    from appeval_pipeline.appdef.catalogue import load_version, scan, scenario_paths
    from appeval_pipeline.evaluation import detect_regressions, load_scenario
    from appeval_pipeline.settings import load_settings

    data_dir = load_settings().data_dir
    catalogue = scan(data_dir)
    entries = [catalogue.entry(app_id, version) for version in (old, new)]
    before, after = (load_version(data_dir, entry).app for entry in entries)
    paths = scenario_paths(data_dir, app_id, entries[0].root)
    return detect_regressions(before, after, [load_scenario(data_dir / path) for path in paths])
