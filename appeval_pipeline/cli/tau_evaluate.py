"""``appeval tau evaluate``: the experiments of the data directory, into the store."""

from __future__ import annotations

from typing import Annotated

import typer

from appeval_pipeline.cli.exits import FAILED, INFRASTRUCTURE


def evaluate(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Experiments: the names of their files in tau/experiments, without .yaml.",
            metavar="[EXPERIMENT]...",
            show_default="all",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Evaluate what is up to date, too.")] = False,
    free: Annotated[bool, typer.Option("--free", help="Only those that ask no model.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print only JSON on stdout.")] = False,
) -> None:
    """Carry out the experiments of the data directory that are new or stale, and store what they come to.

    Trials that ended are kept as they end: the same command goes on where it was, with what is missing or
    broke down, also with what `appeval tau run` has begun. Exits with 1 if an experiment could not run, with
    3 if trials are missing or broke down.
    """
    from appeval_pipeline import launch
    from appeval_pipeline.cli.experiment_tables import show_experiments
    from appeval_pipeline.cli.interrupting import resumable
    from appeval_pipeline.cli.rendering import console, print_json
    from appeval_pipeline.cli.run_progress import RunProgress
    from appeval_pipeline.errors import TauBenchError
    from appeval_pipeline.settings import load_settings
    from appeval_pipeline.store.experiments.files import FOLDER
    from appeval_pipeline.store_address import seen_from_here

    settings = load_settings()
    request = launch.ExperimentRequest(tuple(names) if names else None, everything, costly=not free)
    with resumable(), RunProgress(console(stderr=True)) as progress:
        summary = launch.run_experiments(
            settings, request, report=progress.announce_experiments, follow=progress.follow
        )
    if summary.missing is not None:
        raise TauBenchError(summary.missing)
    if as_json:
        print_json(summary.to_dict())
    else:
        show_experiments(summary)
        if not summary.experiments and not summary.left:
            typer.echo(f"There are no experiments; put one into {settings.data_dir / FOLDER}/NAME.yaml")
        typer.echo(f"Results: {seen_from_here(summary.store)} ({summary.elapsed_s:.1f} s)")
    if summary.could_not_run:
        raise typer.Exit(FAILED)
    if summary.has_missing_trials:
        raise typer.Exit(INFRASTRUCTURE)
