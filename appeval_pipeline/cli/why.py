"""``appeval why``: where a metric comes from, and why it differs between two versions."""

from __future__ import annotations

from typing import Annotated

import typer

BASELINE = "baseline"


def why(
    app: Annotated[str, typer.Argument(help="The app's id.", metavar="APP", show_default=False)],
    version: Annotated[int, typer.Argument(help="Its version.", metavar="VERSION", show_default=False)],
    metric: Annotated[
        str, typer.Argument(help="The metric, e.g. quality.overall.", metavar="METRIC", show_default=False)
    ],
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Tell why the metric differs from that of this version: a number, or `baseline`.",
            metavar="VERSION",
            show_default=False,
        ),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Print hashes and run ids whole.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a metric was computed from, down to files, code, configuration and the run.

    A result on which several others rest is shown once. With `--against`, show instead which of all that
    changed between two versions, and what is the same.
    """
    from appeval_pipeline.cli import lineage
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import explain_difference, explain_metric, open_store

    database = open_store(load_settings().store)
    if against is not None:
        found = explain_difference(database, app, version, metric, _version(against))
        print_json(found.to_dict()) if as_json else lineage.print_difference(found)
    else:
        node = explain_metric(database, app, version, metric)
        print_json(node.to_dict()) if as_json else lineage.print_lineage(node, full=full)


def _version(text: str) -> int | None:
    if text == BASELINE:
        return None
    if text.isascii() and text.isdigit():
        return int(text)
    raise typer.BadParameter(
        f"{text!r} is no version: accepted are a number and `{BASELINE}`", param_hint="--against"
    )
