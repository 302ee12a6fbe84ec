"""``appeval why``: where a metric comes from, and why it differs between two versions."""

from __future__ import annotations

from typing import Annotated

import typer

from appeval_pipeline.cli.completion import complete_app, complete_version

BASELINE = "baseline"


def why(
    app: Annotated[
        str,
        typer.Argument(
            help="The app's id, or an experiment's name.",
            metavar="APP",
            show_default=False,
            autocompletion=complete_app,
        ),
    ],
    version: Annotated[
        str,
        typer.Argument(
            help="Its version; left out for an experiment.",
            metavar="VERSION",
            show_default=False,
            autocompletion=complete_version,
        ),
    ],
    metric: Annotated[
        str | None,
        typer.Argument(
            help="The metric, e.g. quality.overall, or tau.pass_hat_1 of an experiment.",
            metavar="METRIC",
            show_default=False,
        ),
    ] = None,
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

    `appeval why paypal 2 quality.overall` asks of an app version, `appeval why oracle tau.pass_hat_1` of a
    tau-bench experiment.
    """
    from appeval_pipeline.cli import lineage
    from appeval_pipeline.cli.rendering import print_json
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store import (
        explain_difference,
        explain_experiment_metric,
        explain_metric,
        open_store,
    )

    database = open_store(load_settings().store)
    if metric is None and against is not None:
        raise typer.BadParameter(
            "it is for versions of an app; `appeval tau compare` compares experiments",
            param_hint="--against",
        )
    if metric is not None and against is not None:
        found = explain_difference(database, app, _number(version), metric, _version(against))
        print_json(found.to_dict()) if as_json else lineage.print_difference(found)
        return
    if metric is None and version.isdigit():
        raise typer.BadParameter(
            f"it is missing: as in `appeval why {app} {version} quality.overall`; all of them: "
            '`appeval sql "select distinct metric from metrics"`',
            param_hint="METRIC",
        )
    if metric is None:
        node = explain_experiment_metric(database, app, version)
    else:
        node = explain_metric(database, app, _number(version), metric)
    print_json(node.to_dict()) if as_json else lineage.print_lineage(node, full=full)


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise typer.BadParameter(f"{text[:40]!r} is no version: accepted is a number", param_hint="VERSION")


def _version(text: str) -> int | None:
    if text == BASELINE:
        return None
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise typer.BadParameter(
        f"{text[:40]!r} is no version: accepted are a number and `{BASELINE}`", param_hint="--against"
    )
